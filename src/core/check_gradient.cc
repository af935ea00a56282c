// A gradient against differences of the value, one coordinate at a time: central ones, where bounds leave room.
//
// Central: with D(h) = (f(x + h e_i) - f(x - h e_i)) / 2h, Richardson's D = D(h/2) + (D(h/2) - D(h)) / 3 has an error
// of order h^4 (Press et al., Numerical Recipes, section 5.7). To one side, with four points x + k delta e_i, delta =
// h/4 or a quarter of the way to the farther bound, k = 1, ..., 4, and f_k = f(x + k delta e_i) - f(x),
//
//   D = (48 f_1 - 36 f_2 + 16 f_3 - 3 f_4) / 12 delta,
//
// with an error of order delta^4 too (Fornberg, Math. Comp. 51 (1988), 699-706). Coordinate i agrees when
//
//   |g_i - D| <= tolerance max(|g_i|, |D|) + slack_i,
//
// where slack_i estimates what is wrong with D itself: the distance of D from a formula of order 2, the round-off of f
// over h, and the fourth difference of the five values over h, which sees noise in f that comes from cancellation
// inside f. max_error is the largest |g_i - D| / (max(|g_i|, |D|) + slack_i / tolerance), so the check is the same as
// max_error <= tolerance. Nothing in here has a unit: scaling f or x by a power of two changes no verdict, except that
// a coordinate at exactly 0 takes its length from the others.
#include "loa/check_gradient.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include "base/numbers.h"
#include "base/text.h"
#include "core/bounds.h"

namespace loa {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// h over the length of the coordinate. About epsilon^(1/5) = 7e-4, where the h^4 of the truncation meets the 1/h of the
// round-off; a power of two.
constexpr double kRelativeStep = 0x1.0p-10;

// Round-off of f in units of epsilon |f|. Sums of n terms have about sqrt(n); the other two parts of the slack see
// more.
constexpr double kNoiseInEpsilons = 32.0;

struct Lengths {
  double f;         // |f(x)|
  double max_x;     // max |x_j|, 1 when x = 0
  double max_grad;  // max |g_j|
};

// The step for one coordinate.
//
// Usually |x_i| gives the length. Two cases need the other length there is, |f / g_i|, over which f changes by itself:
// - |x_i| is so small that round-off of f would hide an error of `tolerance`: the step grows just enough to see it.
// - x_i = 0: the shorter of |f / g_i| and max |x_j|, but not below 2^-13 max |x_j|, because near a minimum |f / g_i|
//   goes to zero while the noise of the residuals does not.
double step_for(double x, double grad, const Lengths& lengths, double tolerance) {
  const double slope = grad != 0.0 ? std::abs(grad) : lengths.max_grad;
  const double change = slope > 0.0 ? lengths.f / slope : 0.0;
  if (x != 0.0) {
    const double visible = 4.0 * kNoiseInEpsilons * kEpsilon / tolerance * change;
    return std::max(kRelativeStep * std::abs(x), std::min(kRelativeStep * lengths.max_x, visible));
  }
  const double length = change > 0.0 ? std::min(change, lengths.max_x) : lengths.max_x;
  return kRelativeStep * std::max(length, 0x1.0p-13 * lengths.max_x);
}

struct Difference {
  double value;  // D
  double slack;
};

// Leaves x as it was unless f throws. `f_here` is f(x).
Difference central_difference(Objective& f, Vector& x, Index i, double step, double f_here) {
  const double middle = x[i];
  const auto at = [&](double coordinate) {
    x[i] = coordinate;
    return f.value(x);
  };
  // Divided by the distance that the rounded points really have.
  const double right = middle + step, left = middle - step;
  const double near_right = middle + 0.5 * step, near_left = middle - 0.5 * step;
  const double f_right = at(right), f_left = at(left), f_near_right = at(near_right), f_near_left = at(near_left);
  x[i] = middle;

  const double wide = (f_right - f_left) / (right - left);
  const double narrow = (f_near_right - f_near_left) / (near_right - near_left);
  const double correction = (narrow - wide) / 3.0;
  const double fourth =
      ((f_right - f_here) + (f_left - f_here)) - 4.0 * ((f_near_right - f_here) + (f_near_left - f_here));
  const double largest = std::max({std::abs(f_here), std::abs(f_right), std::abs(f_left), std::abs(f_near_right),
                                   std::abs(f_near_left), std::numeric_limits<double>::min()});
  const double noise = kNoiseInEpsilons * kEpsilon * largest + std::abs(fourth);
  return {narrow + correction, std::abs(correction) + noise / step};
}

// The four points away from x_i, to the side of `step`, none of them beyond x_i + step, `end`. A sum of the formula's
// weights over delta, 103/12 delta = 34/h, against 3/h of the central one makes the round-off of f count 12 times, in
// round numbers 16. The points are rounded as well, to epsilon |x_i| each, which the slopes on the way make changes of
// f.
Difference one_sided_difference(Objective& f, Vector& x, Index i, double end, double f_here) {
  constexpr double kAmplification = 16.0;
  const double from = x[i], step = end - from;
  std::array<double, 4> change;
  double largest = std::max(std::abs(f_here), std::numeric_limits<double>::min()), largest_change = 0.0;
  for (int k = 0; k < 4; ++k) {
    x[i] = k == 3 ? end : std::clamp(from + 0.25 * (k + 1) * step, std::min(from, end), std::max(from, end));
    const double f_there = f.value(x);
    change[static_cast<std::size_t>(k)] = f_there - f_here;
    largest = std::max(largest, std::abs(f_there));
    largest_change = std::max(largest_change, std::abs(f_there - f_here));
  }
  x[i] = from;

  const auto [f1, f2, f3, f4] = change;
  const double value = (48.0 * f1 - 36.0 * f2 + 16.0 * f3 - 3.0 * f4) / (3.0 * step);
  const double order_2 = (4.0 * f1 - f2) / (0.5 * step);
  const double fourth = 6.0 * f2 - 4.0 * (f1 + f3) + f4;
  const double noise = kAmplification * (kNoiseInEpsilons * kEpsilon * largest + std::abs(fourth)) / std::abs(step);
  const double of_points = kAmplification * kEpsilon * std::abs(from / step) * (largest_change / std::abs(step));
  const Difference result = {value, std::abs(value - order_2) + noise + of_points};
  // Values of f that are numbers, over a way that is too short for a quotient: nothing is known.
  const bool is_known = std::isfinite(result.value) && std::isfinite(result.slack);
  if (!is_known && std::ranges::all_of(change, [](double c) { return std::isfinite(c); }))
    return {0.0, std::numeric_limits<double>::max()};
  return result;
}

// Inside the bounds: central where both sides have room for the step, otherwise towards the farther bound.
// REQUIRES: l_i < u_i.
Difference difference(Objective& f, Vector& x, Index i, double step, double f_here, const Bounds& bounds) {
  const double l = bounds.lower(i), u = bounds.upper(i);
  if (x[i] - step >= l && x[i] + step <= u) return central_difference(f, x, i, step, f_here);
  const double end = u - x[i] >= x[i] - l ? std::min(x[i] + step, u) : std::max(x[i] - step, l);
  return one_sided_difference(f, x, i, end, f_here);
}

// distance / (size + allowed) without overflow in the sum; 0 where the distance is.
double relative_error(double distance, double size, double allowed) {
  if (distance == 0.0) return 0.0;
  const double larger = std::max(size, allowed), smaller = std::min(size, allowed);
  return distance / larger / (1.0 + smaller / larger);
}

GradientCheck not_finite(Index coordinate, std::string message) {
  return {.ok = false,
          .max_error = kNan,
          .worst = coordinate,
          .gradient = kNan,
          .difference = kNan,
          .message = std::move(message)};
}

Index first_not_finite(const Vector& v) {
  for (Index i = 0; i < v.size(); ++i) {
    if (!std::isfinite(v[i])) return i;
  }
  return -1;
}

// Of the coordinates that are compared.
struct Compared {
  Index number = 0;
  Index hidden = 0;  // the noise of f hides a disagreement
};

std::string verdict(const GradientCheck& check, const Compared& compared, Index n, double tolerance) {
  if (!check.ok) {
    return "the gradient is wrong: coordinate " + std::to_string(check.worst) + " is " + real_text(check.gradient, 9) +
           ", finite differences say " + real_text(check.difference, 9);
  }
  const std::string in_noise =
      compared.hidden == 0 ? ""
                           : "; " + std::to_string(compared.hidden) + " of them could not be told from the noise of f";
  const std::string which = compared.number == n ? "all " + std::to_string(n) + " coordinates"
                                                 : std::to_string(compared.number) + " of " + std::to_string(n) +
                                                       " coordinates, the others are fixed";
  return "the gradient agrees with finite differences to " + real_text(tolerance, 6) + " in " + which + in_noise;
}

GradientCheck nothing_to_compare() { return {.ok = true, .message = "there are no coordinates to check"}; }

struct Evaluated {
  double f;
  Vector grad;
};

// The check proper. REQUIRES: n > 0 and everything is finite. x is changed while f is called and restored.
GradientCheck compare(Objective& f, Vector& x, const Evaluated& here, const GradientCheckOptions& options) {
  const Bounds bounds(options.lower, options.upper);
  const double tolerance = options.tolerance;
  Lengths lengths{.f = std::abs(here.f), .max_x = x.cwiseAbs().maxCoeff(), .max_grad = here.grad.cwiseAbs().maxCoeff()};
  if (lengths.max_x == 0.0) lengths.max_x = 1.0;
  GradientCheck check;
  check.max_error = -1.0;  // below any error, so that `worst` is a coordinate even when all errors are 0
  Compared compared;
  for (Index i = 0; i < x.size(); ++i) {
    if (bounds.lower(i) == bounds.upper(i)) continue;
    ++compared.number;
    const double g = here.grad[i];
    const Difference d = difference(f, x, i, step_for(x[i], g, lengths, tolerance), here.f, bounds);
    if (!(std::isfinite(d.value) && std::isfinite(d.slack))) {
      return not_finite(i, "f is not finite near x in coordinate " + std::to_string(i) + ": a border of its domain?");
    }
    const double distance = std::abs(g - d.value);
    const double size = std::max(std::abs(g), std::abs(d.value));
    const double error = relative_error(distance, size, d.slack / tolerance);
    if (distance > tolerance * size && error <= tolerance) ++compared.hidden;
    if (error > check.max_error) {
      check.max_error = error;
      check.worst = i;
      check.gradient = g;
      check.difference = d.value;
    }
  }
  if (compared.number == 0) return nothing_to_compare();
  check.ok = check.max_error <= tolerance;
  check.message = verdict(check, compared, x.size(), tolerance);
  return check;
}

}  // namespace

GradientCheck check_gradient(Objective& f, const Vector& x, const GradientCheckOptions& options) {
  const Index n = f.dimension();
  if (x.size() != n) {
    throw std::invalid_argument("check_gradient: x has length " + std::to_string(x.size()) +
                                ", expected the dimension " + std::to_string(n) + " of the objective");
  }
  if (!(options.tolerance > 0.0 && std::isfinite(options.tolerance))) {
    throw std::invalid_argument("check_gradient: tolerance is " + real_text(options.tolerance) +
                                ", expected a positive number");
  }
  if (const std::string mistake = mistake_in_bounds(n, options.lower, options.upper); !mistake.empty())
    throw std::invalid_argument("check_gradient: " + mistake);
  Vector grad = Vector::Constant(n, kNan), point = x;  // a coordinate that f forgets to fill stays NaN
  project(Bounds(options.lower, options.upper), point);
  if (const Index i = first_not_finite(point); i >= 0)
    return not_finite(i, "x is not finite in coordinate " + std::to_string(i));

  const double f_here = f.value_and_gradient(point, grad);
  if (grad.size() != n) {
    throw std::invalid_argument("check_gradient: the objective returned a gradient of length " +
                                std::to_string(grad.size()) + ", expected " + std::to_string(n));
  }
  if (!std::isfinite(f_here)) return not_finite(n == 0 ? -1 : 0, "f(x) is " + real_text(f_here) + ", not finite");
  if (const Index i = first_not_finite(grad); i >= 0) {
    return not_finite(i, "the gradient is not finite, or not filled, in coordinate " + std::to_string(i));
  }
  if (n == 0) return nothing_to_compare();

  return compare(f, point, {.f = f_here, .grad = std::move(grad)}, options);
}

GradientCheck check_gradient(Objective& f, const Vector& x, double tolerance) {
  return check_gradient(f, x, GradientCheckOptions{.tolerance = tolerance, .lower = {}, .upper = {}});
}

GradientCheck check_gradient(const Function& f, const Vector& x, double tolerance) {
  FunctionObjective objective(x.size(), f);
  return check_gradient(objective, x, tolerance);
}

GradientCheck check_gradient(const Function& f, const Vector& x, const GradientCheckOptions& options) {
  FunctionObjective objective(x.size(), f);
  return check_gradient(objective, x, options);
}

}  // namespace loa
