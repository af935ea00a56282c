// Central differences, the yardstick of every pullback.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "loa/vector.h"

namespace loa::test {

// d value/d v, entry by entry. `value` must depend on `v`, which is changed and put back. The step follows the size of
// the entry, or of the whole vector where the entry is small: the cube root of the machine precision balances the
// truncation, of second order, against rounding.
inline Vector central_differences(const std::function<double()>& value, Vector& v, double relative_step = 6e-6) {
  const double typical = v.size() > 0 ? v.lpNorm<1>() / static_cast<double>(v.size()) : 0.0;
  Vector differences(v.size());
  for (Index i = 0; i < v.size(); ++i) {
    const double kept = v(i);
    const double step = relative_step * std::max(std::abs(kept), typical > 0.0 ? typical : 1.0);
    v(i) = kept + step;
    const double up = v(i), f_up = value();
    v(i) = kept - step;
    const double down = v(i), f_down = value();
    v(i) = kept;
    differences(i) = (f_up - f_down) / (up - down);
  }
  return differences;
}

// The largest difference relative to the largest entry of `expected`; 0 when both are empty or zero.
inline double relative_error(const Vector& found, const Vector& expected) {
  if (found.size() != expected.size()) return INFINITY;
  if (expected.size() == 0) return 0.0;
  const double size = expected.lpNorm<Eigen::Infinity>(), error = (found - expected).lpNorm<Eigen::Infinity>();
  return error == 0.0 ? 0.0 : error / size;
}

}  // namespace loa::test
