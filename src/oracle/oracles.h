// The oracles of the named algorithms. Each says what I_k holds.
#pragma once

#include <memory>

#include "loa/hyper_parameters.h"
#include "loa/oracle.h"

namespace loa {

// Alg. 2: vectors (B_{k-1} dg, d, -gamma B_{k-1} g), covectors (g, dg). See loa/quasi_newton_input.h.
std::shared_ptr<const Oracle> quasi_newton_oracle(const HyperParameters& hyper_parameters);

// Heavy-ball and gradient descent, Section 3.1: vectors (d), covectors (g).
std::shared_ptr<const Oracle> first_order_oracle(const HyperParameters& hyper_parameters);

// Nesterov: vectors (x_k - u_k), u_k the sequence of gradient steps; covectors (g); scalars (beta_k).
std::shared_ptr<const Oracle> nesterov_oracle(const HyperParameters& hyper_parameters);

// Adam: covectors (g, m_k, v_k), the moments brought up to date with g_k.
std::shared_ptr<const Oracle> adam_oracle(const HyperParameters& hyper_parameters);

// Conjugate gradients: vectors (p_{k-1}), the last search direction; covectors (g); scalars (beta of Polak-Ribiere+).
std::shared_ptr<const Oracle> conjugate_gradient_oracle();

// Newton: covectors (g) and the Hessian.
std::shared_ptr<const Oracle> newton_oracle(const HyperParameters& hyper_parameters);

}  // namespace loa
