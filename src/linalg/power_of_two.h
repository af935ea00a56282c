// Units that cost no bits.
#pragma once

#include <cmath>

namespace loa {

// The power of two that is in the order of `value`; 1 where that has none.
inline double power_of_two(double value) {
  return value > 0.0 && std::isfinite(value) ? std::scalbn(1.0, std::ilogb(value)) : 1.0;
}

}  // namespace loa
