// The iterates of a run, and how far those of another run are from them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/bounds.h"
#include "loa/principle.h"
#include "loa/random.h"

namespace loa {

// x_{-1} and x_0: with f all that an algorithm starts from; and the bounds.
struct FirstPair {
  Vector x_prev, x;
  Vector lower = {}, upper = {};  // empty: none

  // For State::bounds; refers to the vectors above.
  std::optional<Bounds> bounds() const {
    return has_bound(lower, upper) ? std::optional(Bounds(lower, upper)) : std::nullopt;
  }

  // The size of a coordinate.
  double size() const { return std::max(inf_norm(x_prev), inf_norm(x)); }
};

// f of a problem, at the point of its bounds that is nearest: a transformation of x and back is rounded.
std::unique_ptr<Objective> make_inside(const CheckedProblem& problem);

// x_0 by the library's first step, a search along -g. Throws std::invalid_argument when there is none to be made.
FirstPair make_first_pair(const CheckedProblem& problem, Objective& f);

// x_0, x_1, ..., at most K steps. Shorter when the run ended.
using Path = std::vector<Vector>;

// Ends the path of a run that diverges before its numbers leave the range of a double, which has units.
void cut_where_diverged(Path& path, const Vector& x_prev);

// S_0 = what Storage::initialize makes of the pair, so that the choice of B_{-1} is checked as well. `bounds`: those of
// the pair, which must outlive the state; null: none.
State initial_state(const Algorithm& algorithm, CountedObjective& f, const FirstPair& pair, const Bounds* bounds);

// I_0, without taking a step.
Input first_input(const Algorithm& algorithm, Objective& f, const FirstPair& pair);

Path record_path(const Algorithm& algorithm, Objective& f, const FirstPair& pair, const CheckedMode& mode,
                 std::int64_t iterations);

// ||T^{-1}(x^_k) - x_k|| / max_{j<=k} ||x_j - x_{-1}|| for k = 0, ..., length of the path - 1. The other run stays at
// its last point. Infinity for what is not finite. `transform` may be null: the identity.
std::vector<double> deviations(const Path& path, const Vector& x_prev, const Path& other, const Transform* transform);

// The tolerance of each iteration: what round-off alone does to this run, measured.
//
// f with x moved, and f, gradient and Hessian changed, in about the last two bits and at random in every evaluation, is
// f in another arithmetic. Its runs differ from the original one by round-off and by how the algorithm amplifies it.
// The tolerance is kSafety times the largest difference up to iteration k in kNumJitters such runs (cf. the random
// rounding of Vignes 1993).
class Calibration {
 public:
  static constexpr double kSafety = 100.0;
  static constexpr int kNumJitters = 10;
  // Where the tolerance is larger, nothing is compared: a difference could be round-off. Nor after a step that is
  // shorter than the tolerance: what the algorithm makes of d_k and dg_k then is made of round-off.
  static constexpr double kCoarsest = 1e-6;

  Calibration(const Algorithm& algorithm, Objective& f, const FirstPair& pair, const CheckedMode& mode,
              const Path& path, std::uint64_t seed);

  double tolerance(std::size_t k) const { return tolerances_[k]; }
  // The last iteration that can be compared.
  std::size_t horizon() const { return horizon_; }
  // False when round-off hides everything after an iteration or two.
  bool is_informative() const;

 private:
  std::vector<double> tolerances_;
  std::size_t horizon_ = 0;
  bool converged_ = false;  // to round-off, at the horizon
};

}  // namespace loa
