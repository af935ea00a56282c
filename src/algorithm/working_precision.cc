#include "algorithm/working_precision.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "linalg/pass.h"

namespace loa {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Of eps: see the header.
constexpr double kRounding = 32.0 * std::numeric_limits<double>::epsilon();
// Products that underflow leave the smallest doubles behind; ten bits of them.
constexpr double kUnderflow = 1024.0 * std::numeric_limits<double>::denorm_min();
// A step lowers f in earnest if it makes this part of the whole decrease since the start: half the digits of f. Shorter
// steps across a kink look like any curvature.
constexpr double kEarnest = 1e-8;
// The gradient of a converged run is the rounding of its stiffest directions, and steps need not have met the largest
// curvature exactly. 1e3 loses no true claim on the sets of bench/statuses.cc; a kink is off by 1e5 and more.
constexpr double kCurvatureMargin = 1e3;
// Noise is within this multiple of the largest sample of it.
constexpr double kNoiseMargin = 4.0;
// Unexplained changes of f from which noise is told.
constexpr int kNoiseSamples = 3;

// sum_i |g_i x_i|
double sum_of_products(const State& state) {
  auto sums = summing_pass<1>(state.dimension(), [&](const Block& block, std::array<double, 1>& sum) {
    sum[0] += block.of(state.grad).cwiseProduct(block.of(state.x)).cwiseAbs().sum();
  });
  state.reduction->sum(sums);
  return sums[0];
}

// The most that f can change along a step between two slopes if it is smooth and the slopes are right: phi' lies
// between them.
double explained(const Trial& trial, double slope0) {
  return trial.step * std::max(std::abs(slope0), std::abs(trial.slope));
}

// The noise of f from trials of one search: changes that the slopes cannot explain, and that are as large for short
// steps as for long ones. A wrong gradient leaves changes unexplained too, but these shrink with the step; behind a
// jump of f they are all the same. So only the shorter half of the trials counts (in orders of magnitude), and the
// spread of what they leave unexplained.
double noise_of(std::span<const Trial> log, double f0, double slope0) {
  double shortest = kInfinity, longest = 0.0;
  for (const Trial& t : log) {
    if (t.f == f0 && t.slope == slope0) continue;  // x did not move
    shortest = std::min(shortest, t.step);
    longest = std::max(longest, t.step);
  }
  const double middle = std::sqrt(shortest) * std::sqrt(longest);
  double lowest = kInfinity, highest = -kInfinity;
  int num_samples = 0;
  for (const Trial& t : log) {
    if (!(t.step <= middle) || !(std::abs(t.f - f0) > explained(t, slope0))) continue;
    const double rest = t.f - f0 - 0.5 * t.step * (slope0 + t.slope);
    lowest = std::min(lowest, rest);
    highest = std::max(highest, rest);
    ++num_samples;
  }
  return num_samples >= kNoiseSamples ? highest - lowest : 0.0;
}

// What is left to gain along a direction: down to where slopes turn upward, by the median of the secants through
// phi'(0) and an upward slope. Long trials may lie beyond the next hill, the slopes of short ones are mostly rounding.
double promise_of(std::span<const Trial> log, double slope0) {
  std::array<double, Ray::kNumLogged> zeros;
  std::size_t num_zeros = 0;
  double longest = 0.0;
  for (const Trial& t : log) {
    longest = std::max(longest, t.step);
    if (t.slope >= 0.0) zeros[num_zeros++] = t.step * (slope0 / (slope0 - t.slope));
  }
  if (num_zeros == 0) return longest > 0.0 ? -0.5 * slope0 * longest : kInfinity;  // infinity: no trial was finite
  const auto median = zeros.begin() + static_cast<std::ptrdiff_t>(num_zeros / 2);
  std::nth_element(zeros.begin(), median, zeros.begin() + static_cast<std::ptrdiff_t>(num_zeros));
  return -0.5 * slope0 * *median;
}

// Whether f is visibly higher at a trial up to which all slopes point downward.
bool rises_against_slope(std::span<const Trial> log, double f0, double resolution) {
  double first_upward = kInfinity;
  for (const Trial& t : log)
    if (t.slope >= 0.0) first_upward = std::min(first_upward, t.step);
  return std::ranges::any_of(log, [&](const Trial& t) { return t.f - f0 > resolution && t.step < first_upward; });
}

// |g|^2/(2 kappa) <= factor R, without squares that overflow.
bool gradient_promises_nothing(const State& state, double curvature, double factor, double resolution) {
  const double grad_norm = norm(state.grad, *state.reduction);
  return 0.5 * grad_norm / curvature * grad_norm <= factor * resolution;
}

// Whether the gradient promises nothing visible, by the largest curvature if a direction that knows it promised
// nothing here, otherwise by the smallest.
bool nothing_is_promised(const State& state, double resolution) {
  const Evidence& e = state.evidence;
  if (gradient_promises_nothing(state, e.smallest_curvature, 1.0, resolution)) return true;
  return std::abs(e.f_without_promise - state.f) <= resolution &&
         gradient_promises_nothing(state, e.largest_curvature, kCurvatureMargin, resolution);
}

}  // namespace

double resolution(const State& state) {
  return kUnderflow + kRounding * (std::abs(state.f) + sum_of_products(state)) +
         kNoiseMargin * state.evidence.noise * std::abs(state.f);
}

void note_evidence(const Trial& trial, double slope0, double length, State& state) {
  Evidence& e = state.evidence;
  const double change = state.f - state.f_prev;
  const double curvature = (trial.slope - slope0) / trial.step / length / length;
  if (-change >= kEarnest * (state.f_start - state.f) && -change > kRounding * std::abs(state.f) && curvature > 0.0) {
    e.largest_curvature = std::max(e.largest_curvature, curvature);
    e.smallest_curvature = std::min(e.smallest_curvature, curvature);
  }
  const double unexplained = (std::abs(change) - explained(trial, slope0)) / std::abs(state.f);
  if (unexplained > e.noise && std::abs(change) <= Ray::kRoundOff * std::abs(state.f)) e.noise = unexplained;
}

void note_promise(double promise, State& state) {
  // Far from a minimizer the sum in R need not be made.
  const double size = std::max(std::abs(state.f), state.f_start - state.f);
  if (!(promise <= Ray::kRoundOff * size) && state.iterations_without_progress == 0) return;
  if (promise <= resolution(state)) state.evidence.f_without_promise = state.f;
}

void FailedSearches::add(std::span<const Trial> log, double f0, double slope0, bool knows_curvature, State& state) {
  const double with_noise = resolution(state) + kNoiseMargin * noise_of(log, f0, slope0);
  const double promise = promise_of(log, slope0);
  if (knows_curvature && promise <= with_noise) state.evidence.f_without_promise = state.f;
  if (rises_against_slope(log, f0, with_noise)) gradient_looks_wrong_ = true;
  resolution_ = std::max(resolution_, with_noise);
  promise_ = std::max(promise_, promise);
}

bool FailedSearches::at_working_precision(const State& state) const {
  return !gradient_looks_wrong_ && promise_ <= resolution_ && nothing_is_promised(state, resolution_);
}

bool idle_at_working_precision(const State& state) { return nothing_is_promised(state, resolution(state)); }

}  // namespace loa
