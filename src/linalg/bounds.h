// l <= x <= u, coordinate by coordinate, and what the gradient still asks for inside.
//
// A coordinate is held by its bound when it is at the bound and the gradient points outward, g_i >= 0 at l_i and
// g_i <= 0 at u_i. The free gradient is g without the coordinates that are held: it is 0 exactly at the points that
// satisfy the first-order conditions, and it has the units of g, so that verdicts may be made with it. The projected
// gradient x - P(x - g) is 0 at the same points; users know it from other libraries, and gtol is about it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "linalg/kernels.h"
#include "loa/vector.h"

namespace loa {

// Of this slice. Refers to the vectors of the options, either of which may be empty: no bounds on that side.
class Bounds {
 public:
  Bounds(const Vector& lower, const Vector& upper)
      : lower_(lower.size() > 0 ? lower.data() : nullptr), upper_(upper.size() > 0 ? upper.data() : nullptr) {}

  double lower(Index i) const { return lower_ != nullptr ? lower_[i] : -std::numeric_limits<double>::infinity(); }
  double upper(Index i) const { return upper_ != nullptr ? upper_[i] : std::numeric_limits<double>::infinity(); }

  // For kernels: x from coordinate `first` on.
  Boxed at(const Vector& x, Index first) const {
    return {x.data() + first, lower_ != nullptr ? lower_ + first : nullptr,
            upper_ != nullptr ? upper_ + first : nullptr};
  }

  bool is_fixed(Index i) const { return lower(i) == upper(i); }

  double clamp(Index i, double x) const { return std::min(std::max(x, lower(i)), upper(i)); }

  bool holds(Index i, double x, double g) const { return (g >= 0.0 && x <= lower(i)) || (g <= 0.0 && x >= upper(i)); }

 private:
  const double *lower_, *upper_;
};

}  // namespace loa
