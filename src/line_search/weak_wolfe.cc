#include "line_search/weak_wolfe.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/numbers.h"
#include "line_search/bracket.h"
#include "line_search/finite_trial.h"

namespace loa {
namespace {

constexpr int kMaxTrials = 40;
constexpr int kMaxCubic = 10;            // trials after which a bracket is bisected
constexpr double kMargin = 0.1;          // of a bracket that a cubic step keeps from its ends
constexpr double kCubic = 3.0;           // exponents from which on phi is steeper than a cubic,
constexpr double kExponential = 50.0;    // and than a power
constexpr double kSmallestPart = 1e-8;   // of a bracket that such a step takes
constexpr double kExpand = 20.0;         // growth while there is no right end, at first,
constexpr double kFaster = 4.0;          // and by how much it grows each time
constexpr double kLongest = 1e100;       // multiples of the first trial
constexpr double kBackIntoDomain = 0.2;  // of the way to a trial that is not finite

// The minimizer of the cubic through a and b, or the middle where there is none.
double cubic_step(const Trial& a, const Trial& b) {
  const double h = b.step - a.step;
  const double theta = 3.0 * (a.phi - b.phi) / h + a.slope + b.slope;
  const double scale = std::max({std::abs(theta), std::abs(a.slope), std::abs(b.slope)});
  const double root = scale * std::sqrt((theta / scale) * (theta / scale) - (a.slope / scale) * (b.slope / scale));
  const double t = (root - a.slope + theta) / (2.0 * root - a.slope + b.slope);
  return a.step + (std::isnan(t) ? 0.5 : std::clamp(t, kMargin, 1.0 - kMargin)) * h;
}

// The minimizer of the model phi(a) + slope(a) t + C t^p, which like a cubic fits values and slopes at both ends, where
// phi rises faster than a cubic: p > 3. A cubic stays near a third of a bracket then, however far off its right end is.
// With excess = C h^p = phi(b) - phi(a) - slope(a) h and change = p C h^(p - 1) = slope(b) - slope(a),
//
//   p = change h/excess,   t/h = (-slope(a)/change)^(1/(p - 1)).
//
// So large a p that no power has it is rather the end of an exponential, A exp(p t/h), whose slope makes up for that at
// a where t/h = 1 - log(change/-slope(a))/p.
double bracket_step(const Trial& a, const Trial& b) {
  const double h = b.step - a.step;
  const double excess = b.phi - a.phi - a.slope * h, change = b.slope - a.slope;
  const double p = change * h / excess;
  if (!(p > kCubic && p < kInfinity && excess > 0.0 && a.slope < 0.0)) return cubic_step(a, b);
  const double ratio = -a.slope / change;
  const double t = p < kExponential ? std::pow(ratio, 1.0 / (p - 1.0)) : 1.0 + std::log(ratio) / p;
  return a.step + (std::isnan(t) ? 0.5 : std::clamp(t, kSmallestPart, 1.0 - kMargin)) * h;
}

// Where the slope would vanish by the secant through the last two points, if that is within the factor.
double longer_step(const Trial& before, const Trial& trial, double factor) {
  const double secant = trial.step - trial.slope * (trial.step - before.step) / (trial.slope - before.slope);
  return secant > 1.1 * trial.step && secant < factor * trial.step ? secant : factor * trial.step;
}

}  // namespace

LineSearchOutcome WeakWolfe::search(Ray& ray, double first_trial, Trial& accepted) const {
  Trial left{.step = 0.0, .f = ray.f0(), .phi = 0.0, .slope = ray.slope0(), .finite = true};
  Trial right;                 // not finite: there is none yet
  double ceiling = kInfinity;  // the shortest step known to leave the domain
  double factor = kExpand;
  double step = first_trial;
  for (int i = 0; i < kMaxTrials && !ray.exhausted(); ++i) {
    const Trial trial = ray.evaluate(step);
    if (ray.met_minus_infinity()) return LineSearchOutcome::kUnbounded;
    if (!trial.finite) {
      ceiling = step;
      step = left.step + kBackIntoDomain * (step - left.step);
      continue;
    }
    const bool decreased = ray.decreases(trial, constants_.c1);
    const bool rejected = right.finite || ceiling < kInfinity;
    const double c2 = rejected ? std::min(constants_.c2, options_.c2_after_rejection) : constants_.c2;
    if (decreased && (trial.slope >= c2 * ray.slope0() || step >= kLongest * first_trial))
      return accept_before_plateau(ray, {constants_, options_.plateau}, trial, accepted);
    if (decreased && !right.finite) {
      const double longer = longer_step(left, trial, factor);
      factor *= kFaster;
      step = longer < ceiling ? longer : 0.5 * (step + ceiling);
      left = trial;
      continue;
    }
    (decreased ? left : right) = trial;
    if (is_exhausted(left.step, right.step)) break;
    step = i < kMaxCubic ? bracket_step(left, right) : 0.5 * (left.step + right.step);
  }
  return unsuccessful(ray);
}

}  // namespace loa
