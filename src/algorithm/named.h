// The named algorithms: one file each, a choice of the four parts.
#pragma once

#include "loa/algorithm.h"
#include "loa/weights.h"

namespace loa {

// The line search of the algorithms that descend.
inline constexpr const char* kDefaultLineSearch = "more-thuente";

Algorithm gradient_descent(const HyperParameters& hyper_parameters);
Algorithm heavy_ball(const HyperParameters& hyper_parameters);
Algorithm nesterov(const HyperParameters& hyper_parameters);
Algorithm adam(const HyperParameters& hyper_parameters);
Algorithm newton(const HyperParameters& hyper_parameters);
Algorithm conjugate_gradient(const HyperParameters& hyper_parameters);
Algorithm bfgs(const HyperParameters& hyper_parameters);
Algorithm bfgs_plus(const HyperParameters& hyper_parameters);
Algorithm bfgs_plus_d(const HyperParameters& hyper_parameters);
Algorithm sr1(const HyperParameters& hyper_parameters);
Algorithm sr1_plus(const HyperParameters& hyper_parameters);
Algorithm ss_bfgs(const HyperParameters& hyper_parameters);
Algorithm ss_broyden(const HyperParameters& hyper_parameters);
Algorithm l_bfgs(const HyperParameters& hyper_parameters);
Algorithm l_bfgs_plus_d(const HyperParameters& hyper_parameters);
Algorithm l_bfgs_plus(const HyperParameters& hyper_parameters);
Algorithm l_sr1(const HyperParameters& hyper_parameters);
Algorithm l2l_gd(const HyperParameters& hyper_parameters, const Weights& weights);
Algorithm rnnprop(const HyperParameters& hyper_parameters, const Weights& weights);
Algorithm loa_bfgs(const HyperParameters& hyper_parameters, const Weights& weights);
Algorithm loa_controlled(const HyperParameters& hyper_parameters, const Weights& weights);
Algorithm loa_l_bfgs(const HyperParameters& hyper_parameters, const Weights& weights);

}  // namespace loa
