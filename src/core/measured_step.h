// The slope and length of a direction, found in the pass that makes it.
#pragma once

#include <array>
#include <cmath>
#include <limits>

#include "linalg/kernels.h"
#include "linalg/large_vector.h"
#include "linalg/pass.h"
#include "linalg/safe_square.h"
#include "loa/input.h"

namespace loa {

// Sets step.slope, step.length and step.grad_norm from <g,p>, <p,p> and <g,g> over all slices.
inline void set_measures(const std::array<double, 3>& sums, const Vector& grad, const Reduction& reduction,
                         Step& step) {
  step.is_local = false;
  step.slope = sums[0];
  step.length = is_safe_square(sums[1]) ? std::sqrt(sums[1]) : norm(step.direction, reduction);
  step.grad_norm = is_safe_square(sums[2]) ? std::sqrt(sums[2]) : norm(grad, reduction);
}

// The same, by an all-reduce, for a step whose sums are still those of this slice; other steps stay as they are.
inline void settle(const Vector& grad, const Reduction& reduction, Step& step) {
  if (!step.is_local) return;
  std::array<double, 3> sums = step.local_sums;
  reduction.sum(sums);
  set_measures(sums, grad, reduction, step);
}

enum class Measure {
  kNow,
  kLater,  // in a distributed run the sums stay local, for the first trial to take along
};

// Calls make(block) for each block of coordinates, which sets step.direction there, and measures the direction. One
// pass and one reduction, but where squares overflow or underflow.
template <typename Make>
void measured_pass(const Vector& grad, const Reduction& reduction, const Make& make, Step& step,
                   Measure measure = Measure::kNow) {
  resize_large(step.direction, grad.size());
  const auto sums = summing_pass<4>(grad.size(), [&](const Block& block, std::array<double, 4>& sum) {
    make(block);
    const double* columns[] = {step.direction.data(), grad.data()};
    const double* v[] = {grad.data(), step.direction.data()};
    kernels().products(columns, 2, v, 2, block.first, block.last(), sum.data());
  });
  step.is_local = true;
  step.local_sums = {sums[0], sums[1], sums[2]};
  step.slope = step.length = step.grad_norm = std::numeric_limits<double>::quiet_NaN();
  if (measure == Measure::kNow || !reduction.is_distributed()) settle(grad, reduction, step);
}

}  // namespace loa
