// When a bracket of steps is used up.
#pragma once

namespace loa {

// Whether [low, high] has shrunk to neighbouring doubles, so that no better step exists. NaN is a yes.
inline bool is_exhausted(double low, double high) {
  constexpr double kSmallestWidth = 1e-15;  // relative; some four neighbours
  return !(high - low > kSmallestWidth * high);
}

}  // namespace loa
