// Is x_k a minimizer as far as f can tell? The evidence behind "converged to working precision".
//
// The claim is that f cannot be lowered visibly from x_k. Visibly means by more than the resolution of f,
//
//   R = 32 eps (|f| + sum_i |g_i x_i|) + 4 noise.
//
// f is stored with the spacing eps |f|, and x_i with eps |x_i|, which moves f by eps |g_i x_i|; 32 leaves five bits for
// the rounding on the way to f. The noise is measured where it matters, by six values of f a few roundings of x apart;
// that of an f whose noise is smooth on this scale shows in the searches (Ray), and the larger of the two counts.
// Every term has the units of f, and the claim is as equivariant as the sum.
//
// A decrease is promised by
//   the direction p   -<g,p>/2 by the quadratic model behind p, or what the slopes along p leave of it where they turn
//                     upward;
//   the gradient      |g|^2/(2 kappa), with a curvature kappa that the run has met. At a kink |g| is as large as on the
//                     way there, at a minimizer of a smooth f it is not.
// Both must be within R. The promise of p counts if B had the time to learn the curvature of f, not soon after a
// restart; then kappa is the largest curvature met. Without such a p, kappa is the smallest one.
//
// A trial that is visibly higher although all slopes up to it point downward says that the gradient is wrong, unless it
// is so close to x_k that all it sees is the rounding of x.
#pragma once

#include <span>

#include "loa/line_search.h"

namespace loa {

// R, with state.evidence.noise.
double resolution(const State& state);

// The noise of f at x_k, half the largest second difference of f, after More and Wild, "Estimating
// computational noise" (SIAM J. Sci. Comput. 33, 2011). A trend of f, right or wrong in the gradient, has none.
// REQUIRES: f0 = f(x_k), `log` are trials at equal distances from it along kNoiseStep x.
double noise_of(double f0, std::span<const Trial> log);
// Far enough for another rounding on the way to f, near enough for curvature not to show: with 8, 64, 256 and 1024 eps
// the counts of `statuses --gtol 0 --starts 3 named` (bench) differ by three at most.
inline constexpr double kNoiseStep = 64.0 * std::numeric_limits<double>::epsilon();
inline constexpr int kNumNoiseTrials = 5;

// Whether the best point of the state is lower than x_k by more than R. A difference below 1e-10 of f and of the whole
// decrease since the start does not count if the slopes at both points contradict it along the line between them: the
// difference is then rounding that R does not know, for instance of a sum that cancels.
// REQUIRES: state.best_is_behind.
bool best_is_visibly_lower(const State& state);

// Called after x has moved by trial.step times a direction with slope `slope0` and found that <d,dg>/<d,d>; f_prev is f
// before. Brings state.evidence up to date.
void note_evidence(const Trial& trial, double slope0, double curvature, State& state);

// Whether the next direction may promise so little that note_promise() asks for the resolution of f; `promise` is that
// of the last one. The trials of a distributed run then take along what the resolution needs.
bool comes_close(double promise, const State& state);

// Called when the direction is known. Keeps in mind when a direction that knows the curvature of f promised nothing.
void note_promise(double promise, State& state);

// The shortest step along `direction` that moves an x_i by kNoiseStep of itself, over all slices.
double shortest_visible_step(const Vector& direction, const State& state);

// What the searches of one iteration, none of which found a lower point, say about x_k.
class FailedSearches {
 public:
  void clear() { *this = {}; }

  // Called after each of these searches. REQUIRES: f0 and slope0 < 0 belong to x_k; `log` are the finite trials.
  // `knows_curvature`: the direction is one that note_promise() is called for. Trials below `shortest_visible_step` do
  // not speak against the gradient.
  void add(std::span<const Trial> log, double f0, double slope0, bool knows_curvature, State& state,
           double shortest_visible_step = 0.0);

  // f rose visibly where slopes promised a fall.
  bool gradient_looks_wrong() const { return gradient_looks_wrong_; }

  // The verdict.
  bool at_working_precision(const State& state) const;

 private:
  double promise_ = 0.0;  // the largest
  bool gradient_looks_wrong_ = false;
};

// Whether the gradient promises nothing visible, by the largest curvature if a direction that knows the curvature
// promised nothing here, otherwise by the smallest. The verdict on iterations that lower neither f nor the gradient.
bool nothing_is_promised(const State& state);

}  // namespace loa
