// Numbers that have names. For .cc files.
#pragma once

#include <limits>

namespace loa {

inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();  // 2^-52
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace loa
