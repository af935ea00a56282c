// The size of the terms of <g,x>: what rounding of x does to f.
#pragma once

#include <array>

#include "linalg/pass.h"
#include "loa/vector.h"

namespace loa {

// sum_i |g_i x_i| over this slice. REQUIRES: x.size() == grad.size().
inline double sum_of_products(const Vector& x, const Vector& grad) {
  return summing_pass<1>(x.size(), [&](const Block& block, std::array<double, 1>& sum) {
    sum[0] += block.of(grad).cwiseProduct(block.of(x)).cwiseAbs().sum();
  })[0];
}

}  // namespace loa
