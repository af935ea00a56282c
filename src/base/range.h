// The intervals that numbers of users must be in, and the words for them.
#pragma once

#include <cmath>

namespace loa {

enum class Range { kNonNegative, kPositive, kBelowOne };  // [0, inf), (0, inf), [0, 1)

inline bool contains(Range range, double value) {
  const bool at_least_low = range == Range::kPositive ? value > 0.0 : value >= 0.0;
  return std::isfinite(value) && at_least_low && (range != Range::kBelowOne || value < 1.0);
}

// To follow "expected ".
inline const char* range_words(Range range) {
  switch (range) {
    case Range::kNonNegative:
      return "a finite number of at least 0";
    case Range::kPositive:
      return "a finite number above 0";
    case Range::kBelowOne:
      return "a finite number of at least 0 and below 1";
  }
  return "";
}

}  // namespace loa
