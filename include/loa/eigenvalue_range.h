// An interval that holds the eigenvalues of B.
//
// Layer: linalg.
#pragma once

#include <limits>

namespace loa {

// [smallest, largest] in the unit of B. NaN stands for an end that is open.
struct EigenvalueRange {
  double smallest = std::numeric_limits<double>::quiet_NaN();
  double largest = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace loa
