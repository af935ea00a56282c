// Sums of squares that lost nothing to overflow or underflow.
#pragma once

namespace loa {

// Between these bounds the squares neither overflow nor lose more than the last bits to underflow. False for NaN.
inline bool is_safe_square(double squares) { return squares > 0x1.0p-900 && squares < 0x1.0p+1000; }

}  // namespace loa
