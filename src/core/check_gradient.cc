// A gradient against central differences of the value, one coordinate at a time.
//
// With D(h) = (f(x + h e_i) - f(x - h e_i)) / 2h, Richardson's D = D(h/2) + (D(h/2) - D(h)) / 3 has an error of order
// h^4 (Press et al., Numerical Recipes, section 5.7). Coordinate i agrees when
//
//   |g_i - D| <= tolerance max(|g_i|, |D|) + slack_i,
//
// where slack_i estimates what is wrong with D itself: the Richardson correction, the round-off of f over h, and the
// fourth difference of the five values over h, which sees noise in f that comes from cancellation inside f. max_error
// is the largest |g_i - D| / (max(|g_i|, |D|) + slack_i / tolerance), so the check is the same as max_error <=
// tolerance. Nothing in here has a unit: scaling f or x by a power of two changes no verdict, except that a coordinate
// at exactly 0 takes its length from the others.
#include "loa/check_gradient.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "base/text.h"

namespace loa {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
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
Difference difference(Objective& f, Vector& x, Index i, double step, double f_here) {
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

std::string verdict(const GradientCheck& check, Index n, Index hidden, double tolerance) {
  if (!check.ok) {
    return "the gradient is wrong: coordinate " + std::to_string(check.worst) + " is " + real_text(check.gradient, 9) +
           ", finite differences say " + real_text(check.difference, 9);
  }
  const std::string in_noise =
      hidden == 0 ? "" : "; " + std::to_string(hidden) + " of them could not be told from the noise of f";
  return "the gradient agrees with finite differences to " + real_text(tolerance, 6) + " in all " + std::to_string(n) +
         " coordinates" + in_noise;
}

struct Evaluated {
  double f;
  Vector grad;
};

// The check proper. REQUIRES: n > 0 and everything is finite. x is changed while f is called and restored.
GradientCheck compare(Objective& f, Vector& x, const Evaluated& here, double tolerance) {
  Lengths lengths{.f = std::abs(here.f), .max_x = x.cwiseAbs().maxCoeff(), .max_grad = here.grad.cwiseAbs().maxCoeff()};
  if (lengths.max_x == 0.0) lengths.max_x = 1.0;
  GradientCheck check;
  check.max_error = -1.0;  // below any error, so that `worst` is a coordinate even when all errors are 0
  Index hidden = 0;
  for (Index i = 0; i < x.size(); ++i) {
    const double g = here.grad[i];
    const Difference d = difference(f, x, i, step_for(x[i], g, lengths, tolerance), here.f);
    if (!(std::isfinite(d.value) && std::isfinite(d.slack))) {
      return not_finite(i, "f is not finite near x in coordinate " + std::to_string(i) + ": a border of its domain?");
    }
    const double distance = std::abs(g - d.value);
    const double size = std::max(std::abs(g), std::abs(d.value));
    const double error = relative_error(distance, size, d.slack / tolerance);
    if (distance > tolerance * size && error <= tolerance) ++hidden;
    if (error > check.max_error) {
      check.max_error = error;
      check.worst = i;
      check.gradient = g;
      check.difference = d.value;
    }
  }
  check.ok = check.max_error <= tolerance;
  check.message = verdict(check, x.size(), hidden, tolerance);
  return check;
}

}  // namespace

GradientCheck check_gradient(Objective& f, const Vector& x, double tolerance) {
  const Index n = f.dimension();
  if (x.size() != n) {
    throw std::invalid_argument("check_gradient: x has length " + std::to_string(x.size()) +
                                ", expected the dimension " + std::to_string(n) + " of the objective");
  }
  if (!(tolerance > 0.0 && std::isfinite(tolerance))) {
    throw std::invalid_argument("check_gradient: tolerance is " + real_text(tolerance) +
                                ", expected a positive number");
  }
  if (const Index i = first_not_finite(x); i >= 0)
    return not_finite(i, "x is not finite in coordinate " + std::to_string(i));

  Vector grad = Vector::Constant(n, kNan), point = x;  // a coordinate that f forgets to fill stays NaN
  const double f_here = f.value_and_gradient(point, grad);
  if (grad.size() != n) {
    throw std::invalid_argument("check_gradient: the objective returned a gradient of length " +
                                std::to_string(grad.size()) + ", expected " + std::to_string(n));
  }
  if (!std::isfinite(f_here)) return not_finite(n == 0 ? -1 : 0, "f(x) is " + real_text(f_here) + ", not finite");
  if (const Index i = first_not_finite(grad); i >= 0) {
    return not_finite(i, "the gradient is not finite, or not filled, in coordinate " + std::to_string(i));
  }
  if (n == 0) return {.ok = true, .message = "there are no coordinates to check"};

  return compare(f, point, {.f = f_here, .grad = std::move(grad)}, tolerance);
}

GradientCheck check_gradient(const Function& f, const Vector& x, double tolerance) {
  FunctionObjective objective(x.size(), f);
  return check_gradient(objective, x, tolerance);
}

}  // namespace loa
