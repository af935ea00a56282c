// The oracles of the named algorithms. Each says what I_k holds.
#pragma once

#include <memory>

#include "loa/hyper_parameters.h"
#include "loa/oracle.h"
#include "oracle/function_value_secant.h"

namespace loa {

enum class SecantEquation {
  kGradients,  // B dg = d
  kValuesToo,  // B dg = d/tau, see oracle/function_value_secant.h; scalars (tau)
};

// Alg. 2: vectors (B_{k-1} dg, d, -gamma B_{k-1} g), covectors (g, dg). See loa/quasi_newton_input.h.
std::shared_ptr<const Oracle> quasi_newton_oracle(const HyperParameters& hyper_parameters,
                                                  SecantEquation equation = SecantEquation::kGradients);

struct SecantOptions {
  SecantEquation equation = SecantEquation::kGradients;
  double largest_ratio = kLargestCurvatureRatio;  // tau within [1/this, this]
  // kappa of oracle/filtered_secant.h; 0: pairs as they are. Else scalars (tau), and filtered_storage() is needed.
  double filter = 0.0;
  // Scalars (tau, c/s): c = <d, B^{-1} d> with the B that made the step, s = <d,dg>. For linalg/broyden.h.
  bool measures_step = false;
};

// The same with all choices.
std::shared_ptr<const Oracle> quasi_newton_oracle(const HyperParameters& hyper_parameters,
                                                  const SecantOptions& options);

// The same with values of f, and with the scalars of core/invariant_features.h.
std::shared_ptr<const Oracle> invariant_oracle(const HyperParameters& hyper_parameters);

// Heavy-ball and gradient descent, Section 3.1: vectors (d), covectors (g).
std::shared_ptr<const Oracle> first_order_oracle(const HyperParameters& hyper_parameters);

// Nesterov: vectors (x_k - u_k), u_k the sequence of gradient steps; covectors (g); scalars (beta_k).
std::shared_ptr<const Oracle> nesterov_oracle(const HyperParameters& hyper_parameters);

// Adam: covectors (g, m_k, v_k), the moments brought up to date with g_k.
std::shared_ptr<const Oracle> adam_oracle(const HyperParameters& hyper_parameters);

// l2l-gd: covectors (g), and the hidden state of the network. gamma is 0.1 when left open.
std::shared_ptr<const Oracle> l2l_gd_oracle(const HyperParameters& hyper_parameters);

// rnnprop: covectors (g, m_k, v_k), the moments brought up to date with g_k; scalars (1 - beta^t), which corrects the
// bias of t gradients; the hidden state. gamma is 0.1 when left open.
std::shared_ptr<const Oracle> rnnprop_oracle(const HyperParameters& hyper_parameters);

// Conjugate gradients: vectors (p_{k-1}), the last search direction; covectors (g); scalars (beta of Polak-Ribiere+).
std::shared_ptr<const Oracle> conjugate_gradient_oracle();

// Newton: covectors (g) and the Hessian.
std::shared_ptr<const Oracle> newton_oracle(const HyperParameters& hyper_parameters);

}  // namespace loa
