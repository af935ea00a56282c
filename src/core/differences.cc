#include "loa/differences.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/numbers.h"

namespace loa {

Differences::Differences(DifferenceOptions options)
    : options_(std::move(options)), is_central_(options_.rule == DifferenceRule::kCentral) {}

std::int64_t Differences::num_values(Index n, bool is_central) const {
  Index num_free = n;
  if (options_.lower.size() == n && options_.upper.size() == n)
    num_free -= (options_.lower.array() == options_.upper.array()).count();
  return is_central ? 2 * num_free + 1 : num_free + 1;
}

double Differences::value_and_gradient(const ValueFunction& f, const Vector& x, Vector& grad) {
  const double f_x = f(x);
  moved_ = x;
  for (Index i = 0; i < x.size(); ++i) {
    grad[i] = partial_derivative(f, x, i, f_x);
    moved_[i] = x[i];
  }
  return f_x;
}

// Away from 0, as SciPy does.
double Differences::step(double coordinate) const {
  const double relative = is_central_ ? std::cbrt(options_.precision) : std::sqrt(options_.precision);
  return options_.step > 0.0 ? options_.step : relative * std::max(1.0, std::abs(coordinate));
}

double Differences::partial_derivative(const ValueFunction& f, const Vector& x, Index i, double f_x) {
  const double lower = options_.lower.size() == x.size() ? options_.lower[i] : -kInfinity;
  const double upper = options_.upper.size() == x.size() ? options_.upper[i] : kInfinity;
  const auto at = [&](double coordinate) {
    moved_[i] = coordinate;
    return f(moved_);
  };
  const double size = step(x[i]);
  double step = x[i] < 0.0 ? -size : size;
  const auto is_inside = [&](double coordinate) { return coordinate >= lower && coordinate <= upper; };
  // Divided by the distance that the rounded points really have.
  if (is_central_ && is_inside(x[i] + step) && is_inside(x[i] - step)) {
    const double right = x[i] + step, left = x[i] - step;
    const double f_right = at(right), f_left = at(left);
    // A run that has come here by forward differences goes on at the edge of the domain of f.
    if (options_.rule == DifferenceRule::kForwardThenCentral && std::isfinite(f_right) && !std::isfinite(f_left))
      return (f_right - f_x) / (right - x[i]);
    return (f_right - f_left) / (right - left);
  }
  const double reach = is_central_ ? 2.0 : 1.0;
  if (!is_inside(x[i] + reach * step)) step = -step;
  double far = x[i] + reach * step;
  if (!is_inside(far)) far = upper - x[i] >= x[i] - lower ? upper : lower;
  if (far == x[i]) return 0.0;
  if (!is_central_) return (at(far) - f_x) / (far - x[i]);
  const double near = std::clamp(x[i] + 0.5 * (far - x[i]), lower, upper), h = near - x[i], whole = far - x[i];
  const double f_near = at(near), f_far = at(far);
  if (h == 0.0 || near == far) return (f_far - f_x) / whole;
  // The derivative at x of the parabola through the three points.
  return ((f_near - f_x) / h * whole - (f_far - f_x) / whole * h) / (whole - h);
}

double Differences::bound(const Vector& x, double f, double curvature) const {
  double largest = 0.0;
  for (Index i = 0; i < x.size(); ++i) {
    const double size = std::max(1.0, std::abs(x[i])), h = step(x[i]), rounding = options_.precision * std::abs(f) / h;
    largest = std::max(
        largest, is_central_ ? h * h * curvature / (6.0 * size) + rounding : 0.5 * h * curvature + 2.0 * rounding);
  }
  return largest;
}

bool Differences::refine() {
  if (is_central_ || options_.rule != DifferenceRule::kForwardThenCentral) return false;
  is_central_ = true;
  return true;
}

}  // namespace loa
