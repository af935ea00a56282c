// The update of Algorithm 2 without a second matrix product.
//
// With z = y/<dg,y> and r = d - B_{k-1} dg, Eq. (6) gives
//
//   B_k g = B_{k-1} g + <z,g> r + (<r,g> - <dg,r> <z,g>) z,
//
// and I_k holds -gamma B_{k-1} g, B_{k-1} dg and d. So U costs O(n), and trying another y costs O(n) again: one pass
// for the inner products, one for the direction with its slope and length.
#include <cmath>

#include "core/measured_step.h"
#include "loa/quasi_newton_input.h"
#include "update/updates.h"

namespace loa {
namespace {

class SecantUpdate final : public Update {
 public:
  bool direction(const Input& input, const Vector& y, Step& step) const override {
    const Vector& B_delta_g = input.vectors[kBDeltaG];
    const Vector& d = input.vectors[kD];
    const Vector& minus_gamma_B_grad = input.vectors[kMinusGammaBGrad];
    const Vector& grad = input.covectors[kGrad];
    const Vector& delta_g = input.covectors[kDeltaG];

    // y, d, B dg and dg, each times g and times dg; then <y,y>.
    auto sums = summing_pass<9>(grad.size(), [&](const Block& block, std::array<double, 9>& sum) {
      const double* columns[] = {y.data(), d.data(), B_delta_g.data(), delta_g.data()};
      const double* v[] = {grad.data(), delta_g.data()};
      kernels().products(columns, 4, v, 2, block.first, block.last(), sum.data());
      kernels().products(columns, 1, columns, 1, block.first, block.last(), &sum[8]);
    });
    input.reduction->sum(sums);
    const double delta_g_y = sums[1], delta_g_squares = sums[7], y_squares = sums[8];
    const double z_grad = sums[0] / delta_g_y;
    const double r_grad = sums[2] - sums[4];
    const double delta_g_r = sums[3] - sums[5];
    const double coefficient = (r_grad - delta_g_r * z_grad) / delta_g_y;  // of y
    step.cosine = is_safe_square(delta_g_squares) && is_safe_square(y_squares)
                      ? delta_g_y / std::sqrt(delta_g_squares) / std::sqrt(y_squares)
                      : cosine(delta_g, y, *input.reduction);
    if (!std::isfinite(z_grad) || !std::isfinite(coefficient)) return false;

    const auto make = [&](const Block& block) {
      block.of(step.direction) = block.of(minus_gamma_B_grad) -
                                 (input.gamma * z_grad) * (block.of(d) - block.of(B_delta_g)) -
                                 (input.gamma * coefficient) * block.of(y);
    };
    measured_pass(grad, *input.reduction, make, step);
    return true;
  }
};

}  // namespace

std::shared_ptr<const Update> secant_update() { return std::make_shared<SecantUpdate>(); }

}  // namespace loa
