// The updates of the named algorithms.
#pragma once

#include <memory>

#include "loa/hyper_parameters.h"
#include "loa/update.h"

namespace loa {

// Alg. 2: U = -gamma B_k g_k, with B_k the general secant update of B_{k-1} with y_k.
std::shared_ptr<const Update> secant_update();

// Eq. (2): U = alpha d_k - gamma g_k. Gradient descent is alpha = 0.
std::shared_ptr<const Update> heavy_ball_update(double momentum);

// U = -gamma g + beta (x_k - u_k - gamma g), which takes x_k to the next extrapolated point.
std::shared_ptr<const Update> nesterov_update();

// U = -gamma m_k / sqrt(v_k), as in the paper's appendix: no epsilon, no bias correction.
std::shared_ptr<const Update> adam_update();

// U = gamma y_k: the model predicts the step itself.
std::shared_ptr<const Update> predicted_step_update();

// U = p_k = -gamma g_k + beta p_{k-1}; gamma is constant between restarts and only sets the unit of p.
std::shared_ptr<const Update> conjugate_gradient_update();

// U = -gamma (H + tau I)^{-1} g_k, tau = 0 when H is positive definite.
std::shared_ptr<const Update> newton_update();

}  // namespace loa
