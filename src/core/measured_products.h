// The inner products of I_k of a quasi-Newton method, measured in one pass over its vectors.
#pragma once

#include <array>

#include "linalg/kernels.h"
#include "linalg/pass.h"
#include "loa/input.h"
#include "loa/quasi_newton_input.h"

namespace loa {

// Fills input.products; those for features alone where g_{k-1} is given. One pass and one reduction.
inline void measure_products(const Vector* grad_prev, Input& input) {
  const double *g = input.covectors[kGrad].data(), *dg = input.covectors[kDeltaG].data();
  const double *d = input.vectors[kD].data(), *Bdg = input.vectors[kBDeltaG].data();
  const double *p = input.vectors[kMinusGammaBGrad].data(),
               *g_prev = grad_prev != nullptr ? grad_prev->data() : nullptr;
  auto sums = summing_pass<12>(input.dimension(), [&](const Block& block, std::array<double, 12>& sum) {
    const auto add = [&](const double* a, const double* b, std::size_t i) {
      kernels().products(&a, 1, &b, 1, block.first, block.last(), &sum[i]);
    };
    const double *columns[] = {d, Bdg, p}, *v[] = {g, dg};
    kernels().products(columns, 3, v, 2, block.first, block.last(), sum.data());
    add(g, g, 6);
    add(dg, dg, 7);
    add(d, d, 8);
    if (g_prev == nullptr) return;
    add(d, p, 9);
    add(p, p, 10);
    add(g_prev, g_prev, 11);
  });
  input.reduction->sum(sums);
  input.products = {.g_g = sums[6],
                    .dg_dg = sums[7],
                    .d_d = sums[8],
                    .g_d = sums[0],
                    .dg_d = sums[1],
                    .g_Bdg = sums[2],
                    .dg_Bdg = sums[3],
                    .g_p = sums[4]};
  if (g_prev == nullptr) return;
  input.products.d_p = sums[9];
  input.products.p_p = sums[10];
  input.products.g_prev_g_prev = sums[11];
}

}  // namespace loa
