// lambda^p, exact where lambda is a power of four and p a multiple of 1/2: std::pow need not be.
#pragma once

#include <cmath>

namespace loa {

// REQUIRES: lambda > 0, |p| small.
inline double scale_power(double lambda, double p) {
  const double size = std::abs(p), whole = std::trunc(size), rest = size - whole;
  double result = rest == 0.0 ? 1.0 : rest == 0.5 ? std::sqrt(lambda) : std::pow(lambda, rest);
  for (int i = 0; i < static_cast<int>(whole); ++i) result *= lambda;
  return p < 0.0 ? 1.0 / result : result;
}

}  // namespace loa
