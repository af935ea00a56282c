// The update of Algorithm 2 without a second matrix product.
//
// With z = y/<dg,y> and r = d - B_{k-1} dg, Eq. (6) gives
//
//   B_k g = B_{k-1} g + <z,g> r + (<r,g> - <dg,r> <z,g>) z,
//
// and I_k holds -gamma B_{k-1} g, B_{k-1} dg and d with their products. So U costs O(n): one pass for the direction
// with its slope and length, and one for the products of y where y is not d.
#include <cmath>

#include "core/measured_step.h"
#include "linalg/combine.h"
#include "loa/quasi_newton_input.h"
#include "update/updates.h"

namespace loa {
namespace {

// <y,g>, <y,dg>, <y,y>.
struct ProductsOfY {
  double g, dg, y;
};

ProductsOfY products_of(const Vector& y, const Input& input) {
  if (&y == &input.vectors[kD]) return {input.products.g_d, input.products.dg_d, input.products.d_d};
  auto sums = summing_pass<3>(y.size(), [&](const Block& block, std::array<double, 3>& sum) {
    const double *column = y.data(), *v[] = {input.covectors[kGrad].data(), input.covectors[kDeltaG].data()};
    kernels().products(&column, 1, v, 2, block.first, block.last(), sum.data());
    kernels().products(&column, 1, &column, 1, block.first, block.last(), &sum[2]);
  });
  input.reduction->sum(sums);
  return {sums[0], sums[1], sums[2]};
}

// Whether -g^T B_k g is negative by the products alone, beyond their rounding. For y = d and <d,dg> > 0,
//
//   g^T B_k g = g^T B g - 2 z <g,B dg> + z^2 <dg,B dg> + z^2 <dg,d>,   z = <g,d>/<dg,d>,
//
// of which the first three are the square of a norm: the sum is positive unless it cancels to less than this part of
// its terms, half of their digits.
bool surely_descends(const SecantProducts& p, double gamma) {
  constexpr double kSmallestPart = 1e-8;
  const double z = p.g_d / p.dg_d;
  const double terms[] = {-p.g_p / gamma, -2.0 * z * p.g_Bdg, z * z * p.dg_Bdg, z * z * p.dg_d};
  double sum = 0.0, size = 0.0;
  for (const double term : terms) {
    sum += term;
    size += std::abs(term);
  }
  return p.dg_d > 0.0 && sum > kSmallestPart * size && std::isfinite(size);
}

class SecantUpdate final : public Update {
 public:
  bool direction(const Input& input, const Vector& y, Step& step) const override {
    const Vector& B_delta_g = input.vectors[kBDeltaG];
    const Vector& d = input.vectors[kD];
    const Vector& minus_gamma_B_grad = input.vectors[kMinusGammaBGrad];
    const SecantProducts& p = input.products;
    const ProductsOfY of_y = products_of(y, input);
    const double z_grad = of_y.g / of_y.dg;
    const double r_grad = p.g_d - p.g_Bdg;
    const double delta_g_r = p.dg_d - p.dg_Bdg;
    const double coefficient = (r_grad - delta_g_r * z_grad) / of_y.dg;  // of y
    step.cosine = is_safe_square(p.dg_dg) && is_safe_square(of_y.y)
                      ? of_y.dg / std::sqrt(p.dg_dg) / std::sqrt(of_y.y)
                      : cosine(input.covectors[kDeltaG], y, *input.reduction);
    if (!std::isfinite(z_grad) || !std::isfinite(coefficient)) return false;

    const auto make = [&](const Block& block) {
      std::array<double, kBlockSize> r;
      combine(block.size, {{1.0, block.at(d)}, {-1.0, block.at(B_delta_g)}}, r.data());
      combine(block.size,
              {{1.0, block.at(minus_gamma_B_grad)},
               {-input.gamma * z_grad, r.data()},
               {-input.gamma * coefficient, block.at(y)}},
              block.at(step.direction));
    };
    const bool may_wait = &y == &d && surely_descends(p, input.gamma);
    measured_pass(input.covectors[kGrad], *input.reduction, make, step, may_wait ? Measure::kLater : Measure::kNow);
    return true;
  }
};

}  // namespace

std::shared_ptr<const Update> secant_update() { return std::make_shared<SecantUpdate>(); }

}  // namespace loa
