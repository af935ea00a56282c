// The update of Algorithm 2 without a second matrix product.
//
// With z = y/<dg,y> and r = d - B_{k-1} dg, Eq. (6) gives
//
//   B_k g = B_{k-1} g + <z,g> r + (<r,g> - <dg,r> <z,g>) z,
//
// and I_k holds -gamma B_{k-1} g, B_{k-1} dg and d. So U costs O(n), and trying another y costs O(n) again.
#include <cmath>

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

    double sums[6] = {delta_g.dot(y),      y.dot(grad),    d.dot(grad),
                      B_delta_g.dot(grad), delta_g.dot(d), delta_g.dot(B_delta_g)};
    input.reduction->sum(sums);
    const double delta_g_y = sums[0];
    const double z_grad = sums[1] / delta_g_y;
    const double r_grad = sums[2] - sums[3];
    const double delta_g_r = sums[4] - sums[5];
    const double coefficient = (r_grad - delta_g_r * z_grad) / delta_g_y;  // of y
    if (!std::isfinite(z_grad) || !std::isfinite(coefficient)) return false;

    step.direction = minus_gamma_B_grad - (input.gamma * z_grad) * (d - B_delta_g) - (input.gamma * coefficient) * y;
    return true;
  }
};

}  // namespace

std::shared_ptr<const Update> secant_update() { return std::make_shared<SecantUpdate>(); }

}  // namespace loa
