// The slope and length of a direction, found in the pass that makes it.
//
// Layer: core.
#pragma once

#include <array>
#include <cmath>

#include "linalg/kernels.h"
#include "linalg/large_vector.h"
#include "linalg/pass.h"
#include "linalg/safe_square.h"
#include "loa/input.h"

namespace loa {

// Calls make(block) for each block of coordinates, which sets step.direction there, and sets step.slope, step.length
// and step.grad_norm. One pass and one reduction, but where squares overflow or underflow.
template <typename Make>
void measured_pass(const Vector& grad, const Reduction& reduction, const Make& make, Step& step) {
  resize_large(step.direction, grad.size());
  auto sums = summing_pass<4>(grad.size(), [&](const Block& block, std::array<double, 4>& sum) {
    make(block);
    const double* columns[] = {step.direction.data(), grad.data()};
    const double* v[] = {grad.data(), step.direction.data()};
    kernels().products(columns, 2, v, 2, block.first, block.last(), sum.data());
  });
  reduction.sum(sums);
  step.slope = sums[0];
  step.length = is_safe_square(sums[1]) ? std::sqrt(sums[1]) : norm(step.direction, reduction);
  step.grad_norm = is_safe_square(sums[2]) ? std::sqrt(sums[2]) : norm(grad, reduction);
}

}  // namespace loa
