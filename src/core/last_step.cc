#include "core/last_step.h"

#include <array>

#include "linalg/kernels.h"
#include "linalg/pass.h"

namespace loa {

LastStep measure_last_step(const State& state, const Vector& d, double gamma) {
  // d and p, each times g_{k-1} and g_k.
  auto slopes = summing_pass<4>(d.size(), [&](const Block& block, std::array<double, 4>& sum) {
    const double* columns[] = {d.data(), state.direction_prev.data()};
    const double* v[] = {state.grad_prev.data(), state.grad.data()};
    kernels().products(columns, 2, v, 2, block.first, block.last(), sum.data());
  });
  state.reduction->sum(slopes);
  return {-gamma * slopes[0] * (slopes[0] / slopes[2]), slopes[1] - slopes[0]};
}

}  // namespace loa
