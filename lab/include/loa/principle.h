// Table 1, measured: does an algorithm, of the library or of a user, obey the principles?
//
// Layer: principle. For each transformation T the algorithm runs K iterations on (f, x_{-1}, x_0) and on
// (f^, T(x_{-1}), T(x_0)), through the one loop of the library, and the iterates are compared: is x^_k = T(x_k)?
// docs/principles.md derives the tolerance.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "loa/algorithm.h"
#include "loa/claims.h"
#include "loa/export.h"
#include "loa/objective.h"
#include "loa/transform.h"

LOA_EXPORT_BEGIN
namespace loa {

// An algorithm as the checker needs it: made from Gamma, because tuning means making it again.
struct CheckedAlgorithm {
  std::string name;
  std::function<Algorithm(const HyperParameters&)> make;
  Claims claims = {};
};

// A named algorithm with the claims of its registry entry. Throws std::invalid_argument as make_algorithm does.
CheckedAlgorithm checked_algorithm(const std::string& name, const std::string& weights = "");

// Whether it runs with bounds, as the problems below may have them.
bool takes_bounds(const CheckedAlgorithm& algorithm);

// An objective as the checker needs it: made anew for each thread. `start` is x_{-1}; with bounds, lower <= x <= upper,
// the point of them that is nearest. Bounds are moved with x by the transformations, and f is never called outside.
struct CheckedProblem {
  std::string name;
  std::function<std::unique_ptr<Objective>()> make;
  Vector start;
  Vector lower = {}, upper = {};  // of the length of the start, or empty: none
};

// A built-in problem, with its bounds. Throws std::invalid_argument with the complaint of make_problem.
CheckedProblem checked_problem(const std::string& spec);

// What `loa check` uses: quadratics, ridge and logistic regression, and functions that are not convex, n = 2 to 40.
std::vector<CheckedProblem> default_check_problems();

// The same kinds with bounds, some of which hold a variable at the solution: `loa check --bounds`.
std::vector<CheckedProblem> bounded_check_problems();

// One way to run an algorithm.
struct CheckedMode {
  std::string line_search;
  Safeguard safeguard = Safeguard::kOn;
  // gamma of Gamma: given by the user, or left to the algorithm.
  enum class Gamma { kGiven, kOwn } gamma = Gamma::kOwn;
};

// fixed, as in Table 1 and to the letter of Algorithms 1 and 2; fixed with the safeguard; two line searches.
std::vector<CheckedMode> default_check_modes();

// What check_principles() runs, and how long.
struct PrincipleOptions {
  std::vector<CheckedProblem> problems = default_check_problems();
  std::vector<CheckedMode> modes = default_check_modes();
  std::int64_t iterations = 20;  // K
  std::uint64_t seed = 0;        // of v, P and the calibration
  // Powers of two are compared bit for bit, others within the tolerance. Powers of four have exact square roots.
  std::vector<double> lambdas = {0x1p-8, 0x1p+12, 0.3, 7.0};
  std::vector<Index> dimensions = {1, 2, 10, 1000,
                                   10000};  // Principle 1; with bounds where one of the problems has some
  std::int64_t dimension_iterations = 4;
  int jobs = 1;                                                            // threads; the result does not depend on it
  std::function<void(std::size_t done, std::size_t total)> observer = {};  // called from one thread at a time
};

// The comparison that decided a cell.
struct WorstRun {
  std::string problem, mode, transform;
  double deviation = 0.0;
  double tolerance = 0.0;             // 0: bit for bit
  std::int64_t first_iteration = -1;  // the first one beyond the tolerance; -1: none is
};

// One principle of one algorithm: the verdict, and the numbers that it rests on.
struct PrincipleCell {
  Verdict verdict = Verdict::kFails;
  Verdict claimed = Verdict::kHolds;
  // The largest ||T^{-1}(x^_k) - x_k|| / max_{j<=k} ||x_j - x_{-1}||; for a tuned cell with the tuned Gamma.
  double deviation = 0.0;
  double tolerance = 0.0;               // the largest that was used
  std::int64_t compared = 0;            // pairs of runs
  std::int64_t iterations = 0;          // the fewest iterations compared in any of them
  WorstRun worst = {};                  // the run that broke first, or the one nearest to its tolerance
  std::optional<double> exponent = {};  // tuned: gamma -> lambda^exponent gamma
  double untuned_deviation = 0.0;       // tuned: without that
  std::string note = {};                // what else there is to say, for a person
  bool is_asked = true;                 // false: says nothing, because a box has no rotations

  bool as_claimed() const { return !is_asked || verdict <= claimed; }
};

// A row of Table 1.
struct PrincipleRow {
  std::string algorithm;
  std::array<PrincipleCell, kNumPrinciples> cells;

  const PrincipleCell& at(Principle principle) const { return cells[static_cast<std::size_t>(principle)]; }
  bool as_claimed() const;
};

// One row an algorithm, in their order. An exception of an objective or a part passes through. Throws
// std::invalid_argument where a problem has bounds and an algorithm takes none.
std::vector<PrincipleRow> check_principles(const std::vector<CheckedAlgorithm>& algorithms,
                                           const PrincipleOptions& options = {});

}  // namespace loa
LOA_EXPORT_END
