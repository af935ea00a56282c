// The oracles of the named algorithms. Each says what I_k holds.
#pragma once

#include <memory>

#include "loa/hyper_parameters.h"
#include "loa/oracle.h"
#include "oracle/function_value_secant.h"

namespace loa {

enum class SecantEquation {
  kGradients,       // B dg = d
  kFunctionValues,  // B dg = d/tau, see oracle/function_value_secant.h; Input::curvature_ratio is tau
};

// Alg. 2: vectors (B_{k-1} dg, d, -gamma B_{k-1} g), covectors (g, dg). See loa/quasi_newton_input.h.
std::shared_ptr<const Oracle> quasi_newton_oracle(const HyperParameters& hyper_parameters,
                                                  SecantEquation equation = SecantEquation::kGradients);

struct SecantOptions {
  SecantEquation equation = SecantEquation::kGradients;
  double largest_ratio = kLargestCurvatureRatio;  // tau within [1/this, this]
  bool for_features = false;                      // all of Input::products
  // GradientChange::last_curvature, at the cost of one more pass over three vectors. Costs nothing, and is there
  // without asking, where values of f are used and in distributed runs.
  bool last_curvature = false;
};

// The same with all choices.
std::shared_ptr<const Oracle> quasi_newton_oracle(const HyperParameters& hyper_parameters,
                                                  const SecantOptions& options);

// The same with values of f, and with the features of core/invariant_features.h.
std::shared_ptr<const Oracle> invariant_oracle(const HyperParameters& hyper_parameters);

// Heavy-ball and gradient descent, Section 3.1: vectors (d), covectors (g).
std::shared_ptr<const Oracle> first_order_oracle(const HyperParameters& hyper_parameters);

// Nesterov: vectors (x_k - u_k), u_k the sequence of gradient steps; covectors (g); momentum beta_k.
std::shared_ptr<const Oracle> nesterov_oracle(const HyperParameters& hyper_parameters);

// Adam: covectors (g, m_k, v_k), the moments brought up to date with g_k.
std::shared_ptr<const Oracle> adam_oracle(const HyperParameters& hyper_parameters);

// l2l-gd: covectors (g), and the hidden state of the network. gamma is 0.1 when left open.
std::shared_ptr<const Oracle> l2l_gd_oracle(const HyperParameters& hyper_parameters);

// rnnprop: covectors (g, m_k, v_k), the moments brought up to date with g_k; bias_correction 1 - beta^t for t
// gradients; the hidden state. gamma is 0.1 when left open.
std::shared_ptr<const Oracle> rnnprop_oracle(const HyperParameters& hyper_parameters);

// Conjugate gradients: vectors (p_{k-1}), the last search direction; covectors (g); momentum beta of Polak and
// Ribiere.
std::shared_ptr<const Oracle> conjugate_gradient_oracle();

// Newton: covectors (g) and the Hessian.
std::shared_ptr<const Oracle> newton_oracle(const HyperParameters& hyper_parameters);

}  // namespace loa
