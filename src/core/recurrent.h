// What the parts of the recurrent algorithms, l2l-gd and rnnprop, must agree on.
#pragma once

#include "loa/vector.h"

namespace loa {

// beta1 = beta2 of rnnprop (Lv, Jiang and Li 2017). The weights are trained with it, so it is no hyper-parameter.
inline constexpr double kRnnpropBeta = 0.95;

// Hidden units of both networks: h and c of two layers of 20.
inline constexpr Index kNumRecurrentHidden = 80;

}  // namespace loa
