// Linear maps of vectors, for operators in other coordinates.
#pragma once

#include <cmath>
#include <functional>

#include "loa/vector.h"

namespace loa {

using LinearMap = std::function<Vector(const Vector&)>;

// How far squared lengths may be from equal for a map that counts as orthogonal. Transform::orthogonal() accepts a
// matrix P with ||P^T P - I|| <= 1e-10, which changes a squared length by this much; rounding is n eps or so, 2e-13 for
// n = 1000 and thus far below. A stretch of one coordinate by 1e-8 or more is noticed in any vector that is not nearly
// zero there.
inline constexpr double kLengthTolerance = 1e-10;

// c, where J is c times an orthogonal map; one vector tells.
inline double length_factor(const LinearMap& J, Index n) {
  const Vector ones = Vector::Ones(n);
  return J(ones).norm() / ones.norm();
}

// Whether `turned` is as long as v.
inline bool has_length_of(const Vector& turned, const Vector& v) {
  return std::abs(turned.squaredNorm() / v.squaredNorm() - 1.0) <= kLengthTolerance;
}

}  // namespace loa
