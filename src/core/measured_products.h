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
  // d, B dg, p, g and dg, each times g and times dg; <d,d>; for features d and p, each times p, and <g_prev,g_prev>.
  auto sums = summing_pass<14>(input.dimension(), [&](const Block& block, std::array<double, 14>& sum) {
    const double *columns[] = {d, Bdg, p, g, dg}, *v[] = {g, dg}, *with_p[] = {d, p};
    kernels().products(columns, 5, v, 2, block.first, block.last(), sum.data());
    kernels().products(&d, 1, &d, 1, block.first, block.last(), &sum[10]);
    if (g_prev == nullptr) return;
    kernels().products(with_p, 2, &p, 1, block.first, block.last(), &sum[11]);
    kernels().products(&g_prev, 1, &g_prev, 1, block.first, block.last(), &sum[13]);
  });
  input.reduction->sum(sums);
  input.products = {.g_g = sums[6],
                    .dg_dg = sums[9],
                    .d_d = sums[10],
                    .g_d = sums[0],
                    .dg_d = sums[1],
                    .g_Bdg = sums[2],
                    .dg_Bdg = sums[3],
                    .g_p = sums[4]};
  if (g_prev == nullptr) return;
  input.products.d_p = sums[11];
  input.products.p_p = sums[12];
  input.products.g_prev_g_prev = sums[13];
}

}  // namespace loa
