#include "line_search/more_thuente.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "line_search/bracket.h"
#include "line_search/finite_trial.h"

namespace loa {
namespace {

// A step with the value and slope of whichever function the stage works on.
struct Point {
  double step, phi, slope;
};

// The interval of uncertainty: `best` has the lowest value so far, `other` is the far end once `bracketed`.
struct Interval {
  Point best, other;
  bool bracketed = false;
  double low = 0.0, high = 0.0;  // bounds of the next trial
};

// Minimizers of interpolants, as offsets in [a.step, b.step].
double cubic_gamma(const Point& a, const Point& b, double& theta) {
  theta = 3.0 * (a.phi - b.phi) / (b.step - a.step) + a.slope + b.slope;
  const double s = std::max({std::abs(theta), std::abs(a.slope), std::abs(b.slope)});
  const double radicand = (theta / s) * (theta / s) - (a.slope / s) * (b.slope / s);
  return s * std::sqrt(std::max(0.0, radicand));
}

// The minimizer of the quadratic through both slopes.
double secant_step(const Point& a, const Point& b) {
  return b.step + (b.slope / (b.slope - a.slope)) * (a.step - b.step);
}

// dcstep: the next trial from the interval and the latest trial t, and the new interval. REQUIRES: t.slope and
// interval.best.slope are finite, and best.slope points from best to t.
double safeguarded_step(Interval& interval, const Point& t) {
  Point& x = interval.best;
  Point& y = interval.other;
  const bool opposite_slopes = t.slope * (x.slope / std::abs(x.slope)) < 0.0;
  double theta, next;

  if (t.phi > x.phi) {
    // Case 1: a higher value. The minimizer is bracketed; cubic if it is nearer to x than the quadratic, else their
    // mean.
    double gamma = cubic_gamma(x, t, theta);
    if (t.step < x.step) gamma = -gamma;
    const double p = (gamma - x.slope) + theta, q = ((gamma - x.slope) + gamma) + t.slope;
    const double cubic = x.step + (p / q) * (t.step - x.step);
    const double quadratic =
        x.step + ((x.slope / ((x.phi - t.phi) / (t.step - x.step) + x.slope)) / 2.0) * (t.step - x.step);
    next = std::abs(cubic - x.step) < std::abs(quadratic - x.step) ? cubic : cubic + (quadratic - cubic) / 2.0;
    interval.bracketed = true;
  } else if (opposite_slopes) {
    // Case 2: a lower value and slopes of opposite sign. Bracketed; cubic if it is farther from t than the secant step.
    double gamma = cubic_gamma(x, t, theta);
    if (t.step > x.step) gamma = -gamma;
    const double p = (gamma - t.slope) + theta, q = ((gamma - t.slope) + gamma) + x.slope;
    const double cubic = t.step + (p / q) * (x.step - t.step);
    const double secant = secant_step(x, t);
    next = std::abs(cubic - t.step) > std::abs(secant - t.step) ? cubic : secant;
    interval.bracketed = true;
  } else if (std::abs(t.slope) < std::abs(x.slope)) {
    // Case 3: a lower value, slopes of the same sign, decreasing in size. The cubic counts only if it tends to infinity
    // in the direction of the step or its minimizer is beyond t.
    double gamma = cubic_gamma(x, t, theta);
    if (t.step > x.step) gamma = -gamma;
    const double p = (gamma - t.slope) + theta, q = (gamma + (x.slope - t.slope)) + gamma;
    const double r = p / q;
    const double cubic =
        r < 0.0 && gamma != 0.0 ? t.step + r * (x.step - t.step) : (t.step > x.step ? interval.high : interval.low);
    const double secant = secant_step(x, t);
    if (interval.bracketed) {
      next = std::abs(cubic - t.step) < std::abs(secant - t.step) ? cubic : secant;
      // Not more than two thirds towards the far end.
      const double limit = t.step + 0.66 * (y.step - t.step);
      next = t.step > x.step ? std::min(limit, next) : std::max(limit, next);
    } else {
      next = std::abs(cubic - t.step) > std::abs(secant - t.step) ? cubic : secant;
      next = std::clamp(next, interval.low, interval.high);
    }
  } else {
    // Case 4: a lower value, slopes of the same sign, not decreasing in size.
    if (interval.bracketed) {
      double gamma = cubic_gamma(t, y, theta);
      if (t.step > y.step) gamma = -gamma;
      const double p = (gamma - t.slope) + theta, q = ((gamma - t.slope) + gamma) + y.slope;
      next = t.step + (p / q) * (y.step - t.step);
    } else {
      next = t.step > x.step ? interval.high : interval.low;
    }
  }

  if (t.phi > x.phi) {
    y = t;
  } else {
    if (opposite_slopes) y = x;
    x = t;
  }
  return next;
}

}  // namespace

LineSearchOutcome MoreThuente::search(Ray& ray, double first_trial, Trial& accepted) const {
  constexpr int kMaxTrials = 40;
  // Factors of extrapolation (MINPACK-2). From the third extrapolation on the upper one doubles each time: a first
  // trial that is 1e80 too short, as after a start on an exponential cliff, is then mended within one search.
  constexpr double kLow = 1.1, kHigh = 4.0;
  constexpr int kPatience = 3;
  // How far a search may go from its first trial.
  constexpr double kLongest = 1e100, kShortest = 1e-100;
  const double slope0 = ray.slope0();
  const double armijo = constants_.c1 * slope0;
  const double longest = kLongest * first_trial, shortest = kShortest * first_trial;

  Interval interval{.best = {0.0, 0.0, slope0}, .other = {0.0, 0.0, slope0}, .low = 0.0};
  double step = first_trial;
  interval.high = step + kHigh * step;
  double width = longest - shortest, width_before = 2.0 * width;
  double ceiling = std::numeric_limits<double>::infinity();  // the shortest step known to leave the domain
  double high_factor = kHigh;
  int extrapolations = 0;
  bool first_stage = true;

  for (int i = 0; i < kMaxTrials && !ray.exhausted(); ++i) {
    Trial trial = ray.evaluate(step);
    if (!trial.finite) {
      if (ray.met_minus_infinity()) return LineSearchOutcome::kUnbounded;
      // Outside the domain: +infinity. Pull back towards the best step; quickly, because domains end abruptly.
      ceiling = step;
      step = interval.best.step + 0.2 * (step - interval.best.step);
      continue;
    }
    const Point t{trial.step, trial.phi, trial.slope};
    // With bounds also by what x(t) - x promises, as Ray::decreases() has it: beyond bounds t goes on where x does not.
    const bool decreased = t.phi <= t.step * armijo || (t.phi < 0.0 && t.phi <= ray.reach(trial) * armijo);
    if ((decreased && std::abs(t.slope) <= constants_.c2 * -slope0) ||
        (decreased && t.slope < 0.0 && t.step >= longest)) {
      accepted = trial;
      ray.accept(trial);
      return LineSearchOutcome::kAccepted;
    }
    if (first_stage && decreased && t.slope >= 0.0) first_stage = false;

    double next;
    if (first_stage && t.phi <= interval.best.phi && !decreased) {
      // psi instead of phi: subtract the Armijo line, step, add it again.
      const auto add_line = [armijo](Point& p, double sign) {
        p.phi += sign * p.step * armijo;
        p.slope += sign * armijo;
      };
      Point t_psi = t;
      add_line(t_psi, -1.0);
      add_line(interval.best, -1.0);
      add_line(interval.other, -1.0);
      next = safeguarded_step(interval, t_psi);
      add_line(interval.best, 1.0);
      add_line(interval.other, 1.0);
    } else {
      next = safeguarded_step(interval, t);
    }

    if (interval.bracketed) {
      const double size = std::abs(interval.other.step - interval.best.step);
      if (size >= 0.66 * width_before) next = interval.best.step + 0.5 * (interval.other.step - interval.best.step);
      width_before = width;
      width = size;
      interval.low = std::min(interval.best.step, interval.other.step);
      interval.high = std::max(interval.best.step, interval.other.step);
      if (is_exhausted(interval.low, interval.high)) break;
      if (!(next > interval.low && next < interval.high)) next = 0.5 * (interval.low + interval.high);
    } else {
      interval.low = next + kLow * (next - interval.best.step);
      if (++extrapolations >= kPatience) high_factor *= 2.0;
      interval.high = next + high_factor * (next - interval.best.step);
    }
    if (std::isnan(next)) break;
    step = std::clamp(next, shortest, longest);
    if (step >= ceiling) step = 0.5 * (interval.best.step + ceiling);
  }
  return unsuccessful(ray);
}

}  // namespace loa
