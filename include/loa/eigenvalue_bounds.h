// An interval that holds the eigenvalues of B.
//
// Layer: linalg.
#pragma once

#include <limits>

namespace loa {

// [lower, upper]; NaN where an end is open. It has the unit of B.
struct EigenvalueBounds {
  double lower = std::numeric_limits<double>::quiet_NaN();
  double upper = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace loa
