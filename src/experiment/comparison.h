// Problems x algorithms x starts: the runs behind `loa compare`.
//
// Layer: experiment. Algorithms are compared by evaluations of f, never by iterations, from the same starts and with
// the same limits. Everything but the seconds is the same in every run with the same plan, whatever the number of jobs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "loa/options.h"
#include "loa/summary.h"

namespace loa {

struct ComparisonPlan {
  std::vector<std::string> problems = {"quadratic:n=100,seed=1",  "logistic", "rosenbrock:n=20",
                                       "chained-rosenbrock:n=20", "mgh:wood", "mgh:chebyquad"};
  std::vector<std::string> algorithms = {"gradient-descent", "bfgs", "sr1", "loa-bfgs"};
  std::string weights = {};      // a name or a file, for the learned algorithms; empty: the built-in ones
  std::string line_search = {};  // for all of them; empty: each algorithm's own
  std::int64_t starts = 1;       // start 0 is the problem's own, the others are perturbed_start(start, seed + index)
  std::uint64_t seed = 0;
  double gtol = 1e-6;
  std::int64_t max_evaluations = 3000;
  std::int64_t jobs = 1;  // threads; a problem is one piece of work
};

struct ComparedProblem {
  std::string name;
  Index n = 0;
  double reference = 0.0;           // what gaps are measured from
  bool reference_is_known = false;  // the problem's minimum; otherwise the lowest f that any run reached
};

struct ComparedRun {
  std::size_t problem = 0;    // index into Comparison::problems
  std::size_t algorithm = 0;  // index into ComparisonPlan::algorithms
  std::int64_t start = 0;
  Status status = Status::kRunning;
  // Converged, and to no worse a point than another algorithm from the same start: within kSolvedGap of the decrease
  // that was possible. A run that ends in a worse local minimum is not compared by its evaluations.
  bool solved = false;
  double f_start = 0.0;
  double f = 0.0;
  double gap = 0.0;  // f - reference
  double grad_inf_norm = 0.0;
  std::int64_t iterations = 0;
  Evaluations evaluations = {};
  Fallbacks fallbacks = {};
  double seconds = 0.0;
  std::vector<TraceRow> trace = {};
};

inline constexpr double kSolvedGap = 1e-4;

struct Comparison {
  ComparisonPlan plan;
  std::vector<ComparedProblem> problems;
  std::vector<ComparedRun> runs;  // by problem, then algorithm, then start; fewer than planned when interrupted
  bool interrupted = false;
};

struct ComparisonProgress {
  std::size_t done;  // runs
  std::size_t total;
  const std::string& problem;
  const std::string& algorithm;
};
// Called after each iteration of each run, by one thread at a time. kNo ends the comparison with what there is.
using ComparisonObserver = std::function<Continue(const ComparisonProgress&)>;

// Makes all problems and algorithms first, so that a mistake shows before the first run. Returns an empty string and
// fills `comparison`, or one line that says what is wrong.
std::string run_comparison(const ComparisonPlan& plan, const ComparisonObserver& observer, Comparison& comparison);

// Geometric mean of the evaluations relative to those of the baseline, over the problems and starts that both solved.
struct RelativeEvaluations {
  std::string algorithm;
  double ratio = 1.0;      // NaN when there is nothing in common
  std::int64_t count = 0;  // solved by both
  std::int64_t solved = 0;
  std::int64_t runs = 0;
};

// The baseline is bfgs, or the first algorithm where bfgs was not run.
std::string baseline(const ComparisonPlan& plan);
std::vector<RelativeEvaluations> relative_evaluations(const Comparison& comparison);

}  // namespace loa
