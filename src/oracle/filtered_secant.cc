#include "oracle/filtered_secant.h"

#include <array>
#include <cmath>

#include "linalg/kernels.h"
#include "linalg/pass.h"

namespace loa {
namespace {

// The least part of its curvature that a pair must keep, as in linalg/conjugated_pairs.h.
constexpr double kThreshold = 0.05;

}  // namespace

double filter_weight(double squared_length, double squared_length_prev, double kappa) {
  const double ratio = squared_length / squared_length_prev;
  if (!(ratio > 0.0 && std::isfinite(ratio))) return 0.0;
  return kappa * ratio / (1.0 + 2.0 * std::sqrt(ratio));
}

bool filter_pair(const KeptPair& before, double weight, const Reduction& reduction, Vector& d, Vector& delta_g) {
  if (!(weight != 0.0)) return false;
  // d and d', each times dg and dg'.
  auto sums = summing_pass<4>(d.size(), [&](const Block& block, std::array<double, 4>& sum) {
    const double *columns[] = {d.data(), before.d.data()}, *v[] = {delta_g.data(), before.delta_g.data()};
    kernels().products(columns, 2, v, 2, block.first, block.last(), sum.data());
  });
  reduction.sum(sums);
  const double left = sums[0] - weight * (sums[1] + sums[2] - weight * sums[3]);
  if (!(sums[0] > 0.0 && left >= kThreshold * sums[0] && std::isfinite(left))) return false;
  pass(d.size(), [&](const Block& block) {
    block.of(d) -= weight * block.of(before.d);
    block.of(delta_g) -= weight * block.of(before.delta_g);
  });
  return true;
}

}  // namespace loa
