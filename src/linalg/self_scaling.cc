#include "linalg/self_scaling.h"

#include <algorithm>
#include <cmath>

namespace loa {
namespace {

// sqrt(a/(1 + a)) is close to 1 where a is large: h (1 - q) = (h/mu)/(1 + q) = 1/(b_k (1 + q)) has all its digits, and
// so does sigma >= rho-. Where a = 0, d and B dg are parallel, v = 0, all members are the same and theta is free.
// `exponent` is -1/(n - 1), or 0 for its limit.
SelfScaling broyden(double b_k, double h_k, double exponent) {
  const double mu = b_k * h_k, a = mu - 1.0, of_bfgs = std::min(1.0, 1.0 / b_k);
  if (!(a > 0.0) || std::isinf(exponent)) return {.tau = of_bfgs};
  const double rho = std::min(1.0, 1.0 / (b_k * (1.0 + std::sqrt(a / mu))));
  const double theta = std::max((rho - 1.0) / a, std::min(1.0 / rho, (1.0 - b_k) / b_k));
  const double sigma = std::max(rho, 1.0 + a * theta);
  const double root = std::pow(sigma, exponent);
  const double tau = theta > 0.0 ? of_bfgs * std::min(root, 1.0 / theta) : std::min(of_bfgs * root, sigma);
  return {.tau = tau, .phi = (1.0 - theta) / sigma};
}

}  // namespace

SelfScaling self_scaling(SelfScalingRule rule, const Curvatures& curvatures, Index n) {
  const double b_k = curvatures.c / curvatures.s, h_k = curvatures.b / curvatures.s;
  if (!(curvatures.s > 0.0 && curvatures.b > 0.0 && curvatures.c > 0.0)) return {};
  SelfScaling scaling{.tau = std::min(1.0, 1.0 / b_k)};
  if (rule == SelfScalingRule::kBroyden) scaling = broyden(b_k, h_k, -1.0 / static_cast<double>(n - 1));
  if (rule == SelfScalingRule::kBroydenLimit) scaling = broyden(b_k, h_k, 0.0);
  const bool is_usable = scaling.tau > 0.0 && std::isfinite(1.0 / scaling.tau) && std::isfinite(scaling.phi);
  return is_usable ? scaling : SelfScaling{};
}

}  // namespace loa
