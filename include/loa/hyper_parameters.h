// Gamma, the few scalars that a user may tune (Section 3.1). All have defaults.
//
// Layer: core.
#pragma once

#include <cstdint>
#include <limits>

namespace loa {

// Gamma. Given when an algorithm is made; each algorithm reads those that it has.
struct HyperParameters {
  // gamma, the step-size. NaN means the algorithm's own: 1 for quasi-Newton and Newton, 1/L with L estimated from the
  // pairs so far for gradient descent, heavy-ball and Nesterov, 1e-3 for Adam. For the first-order methods it has
  // units.
  double step_size = std::numeric_limits<double>::quiet_NaN();
  double step_size_or(double own) const { return step_size == step_size ? step_size : own; }  // `own` instead of NaN

  double momentum = 0.9;  // alpha of heavy-ball, Eq. (2)
  double beta1 = 0.9;     // Adam
  double beta2 = 0.999;   // Adam

  std::int64_t memory = 10;  // m of the limited-memory algorithms: pairs in B_k, 1 to 1000

  // [c, C] of Safeguard::kSpectrum: the eigenvalues that B may have, in the unit of B (1/L). NaN: 10^6 below and above
  // the first scale of B; with the line search `fixed` and a known L, C is 1/(gamma L).
  double smallest_eigenvalue = std::numeric_limits<double>::quiet_NaN();
  double largest_eigenvalue = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace loa
