#include "algorithm/working_precision.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/numbers.h"
#include "core/bounds.h"
#include "core/sum_of_products.h"
#include "linalg/pass.h"

namespace loa {
namespace {

// Of eps: see the header.
constexpr double kRounding = 32.0 * std::numeric_limits<double>::epsilon();
// Products that underflow leave the smallest doubles behind; ten bits of them.
constexpr double kUnderflow = 1024.0 * std::numeric_limits<double>::denorm_min();
// A step lowers f in earnest if it makes this part of the whole decrease since the start: half the digits of f. Shorter
// steps across a kink look like any curvature.
constexpr double kEarnest = 1e-8;
// The gradient of a converged run is the rounding of its stiffest directions, and steps need not have met the largest
// curvature exactly. A kink promises half of kEarnest of the whole decrease, 1e6 R or so where f is of that size.
constexpr double kCurvatureMargin = 1e3;
// The same where the smallest curvature stands for all directions. Conjugate gradients need 10 on Rosenbrock's
// function.
constexpr double kSmallMargin = 30.0;

// sum_i |g_i x_i| over all slices, without an all-reduce where the trial has made it.
double sum_over_slices(const State& state) {
  if (!std::isnan(state.sum_of_products)) return state.sum_of_products;
  double sum = sum_of_products(state.x, state.grad);
  state.reduction->sum({&sum, 1});
  return sum;
}

// More than a hundredth of f is no noise of f, but a valley narrower than the spacing of x. What searches have shown
// has its margin already.
double noise_term(const State& state) {
  const Evidence& e = state.evidence;
  const double shown = e.round_off > Evidence::kRoundOff ? e.round_off * std::abs(state.f) : 0.0;
  return std::max(Evidence::kNoiseMargin * std::min(e.noise, 0.01 * std::abs(state.f)), shown);
}

double size_of_f(const State& state) { return std::max(std::abs(state.f), state.f_start - state.f); }

// Short trials may round to x_k itself, and say nothing then.
bool has_moved(const Trial& trial, double f0, double slope0) { return trial.f != f0 || trial.slope != slope0; }

// What is left to gain along a direction: down to where slopes turn upward, by the median of the secants through
// phi'(0) and an upward slope. Long trials may lie beyond the next hill, the slopes of short ones are mostly rounding.
double promise_of(std::span<const Trial> log, double f0, double slope0) {
  std::array<double, Ray::kNumLogged> zeros;
  std::size_t num_zeros = 0;
  double longest = 0.0;
  for (const Trial& t : log) {
    if (!has_moved(t, f0, slope0)) continue;
    longest = std::max(longest, t.step);
    if (t.slope >= 0.0) zeros[num_zeros++] = t.step * (slope0 / (slope0 - t.slope));
  }
  if (num_zeros == 0) return longest > 0.0 ? -0.5 * slope0 * longest : kInfinity;  // infinity: no trial was finite
  const auto median = zeros.begin() + static_cast<std::ptrdiff_t>(num_zeros / 2);
  std::nth_element(zeros.begin(), median, zeros.begin() + static_cast<std::ptrdiff_t>(num_zeros));
  return -0.5 * slope0 * *median;
}

// Whether f does not fall where all slopes up to a trial point downward: by the smaller of the two slopes at least, if
// phi' lies between them.
bool contradicts_slopes(std::span<const Trial> log, double f0, double slope0, double resolution, double shortest) {
  double first_upward = kInfinity;
  for (const Trial& t : log)
    if (t.slope >= 0.0) first_upward = std::min(first_upward, t.step);
  return std::ranges::any_of(log, [&](const Trial& t) {
    return t.step < first_upward && t.step >= shortest && has_moved(t, f0, slope0) &&
           t.f - f0 > resolution - t.step * std::min(std::abs(slope0), std::abs(t.slope));
  });
}

// |g|^2/(2 kappa) <= R, with the margin for the part of R that is rounding. Without squares that overflow.
bool gradient_promises_nothing(const State& state, double curvature, double margin, double resolution) {
  const double grad_norm = free_gradient_norm(state);
  const double noise = noise_term(state);
  return 0.5 * grad_norm / curvature * grad_norm <= margin * (resolution - noise) + noise;
}

}  // namespace

bool nothing_is_promised(const State& state) {
  const Evidence& e = state.evidence;
  const double r = resolution(state);
  // Before the first visible step the searches have the last word.
  if (e.largest_curvature == 0.0) return std::abs(state.f_start - state.f) <= r;
  // The mean curvature on the way from the start is one that was met too.
  const double mean = 0.5 * state.grad_inf_norm_start / (state.f_start - state.f) * state.grad_inf_norm_start;
  const double smallest = mean > 0.0 ? std::min(mean, e.smallest_curvature) : e.smallest_curvature;
  if (gradient_promises_nothing(state, smallest, kSmallMargin, r)) return true;
  return std::abs(e.f_without_promise - state.f) <= r &&
         gradient_promises_nothing(state, e.largest_curvature, kCurvatureMargin, r);
}

double resolution(const State& state) {
  return kUnderflow + kRounding * (std::abs(state.f) + sum_over_slices(state)) + noise_term(state);
}

double noise_of(double f0, std::span<const Trial> log) {
  double largest = 0.0;
  for (std::size_t i = 1; i < log.size(); ++i) {
    const double before = i == 1 ? f0 : log[i - 2].f;
    largest = std::max(largest, std::abs(before - 2.0 * log[i - 1].f + log[i].f));
  }
  return 0.5 * largest;
}

bool best_is_visibly_lower(const State& state) {
  const double excess = state.f - state.best_f;
  if (!(excess > resolution(state))) return false;
  if (!(excess <= Evidence::kRoundOff * std::min(std::abs(state.f), state.f_start - state.f))) return true;
  auto slopes = summing_pass<2>(state.dimension(), [&](const Block& block, std::array<double, 2>& sum) {
    const auto way = block.of(state.best_x) - block.of(state.x);
    sum[0] += block.of(state.grad).dot(way);
    sum[1] += block.of(state.best_grad).dot(way);
  });
  state.reduction->sum(slopes);
  return !(excess > std::max(std::abs(slopes[0]), std::abs(slopes[1])));
}

void note_evidence(const Trial& trial, double slope0, double curvature, State& state) {
  Evidence& e = state.evidence;
  const double change = state.f - state.f_prev;
  if (!(-change > kRounding * std::abs(state.f) && trial.slope > slope0)) return;
  if (state.bounds != nullptr && std::isnan(curvature)) return;
  // Where f/x^2 leaves the range of numbers B does too, and nothing that it promises counts.
  e.smallest_curvature = std::isnormal(curvature) ? std::min(e.smallest_curvature, curvature) : 0.0;
  const bool in_earnest = -change >= kEarnest * (state.f_start - state.f);
  if (in_earnest && std::isnormal(curvature)) e.largest_curvature = std::max(e.largest_curvature, curvature);
}

bool comes_close(double promise, const State& state) {
  // A direction seldom promises less than this part of what the one before it has promised.
  constexpr double kMargin = 1e4;
  return promise <= kMargin * state.evidence.round_off * size_of_f(state) || state.iterations_without_progress > 0;
}

void note_promise(double promise, State& state) {
  // Far from a minimizer the sum in R need not be made.
  if (!(promise <= state.evidence.round_off * size_of_f(state)) && state.iterations_without_progress == 0) return;
  if (promise <= resolution(state)) state.evidence.f_without_promise = state.f;
}

double shortest_visible_step(const Vector& direction, const State& state) {
  double largest = 0.0;  // of |p_i/x_i|
  for (Index i = 0; i < direction.size(); ++i)
    if (direction[i] != 0.0) largest = std::max(largest, std::abs(direction[i] / state.x[i]));
  state.reduction->reduce({}, {&largest, 1});
  return kNoiseStep / largest;
}

void FailedSearches::add(std::span<const Trial> log, double f0, double slope0, bool knows_curvature, State& state,
                         double shortest_visible_step) {
  const double promise = promise_of(log, f0, slope0), r = resolution(state);
  if (knows_curvature && promise <= r) state.evidence.f_without_promise = state.f;
  if (contradicts_slopes(log, f0, slope0, r, shortest_visible_step)) gradient_looks_wrong_ = true;
  promise_ = std::max(promise_, promise);
}

bool FailedSearches::at_working_precision(const State& state) const {
  return !gradient_looks_wrong_ && promise_ <= resolution(state) && nothing_is_promised(state);
}

}  // namespace loa
