// A length for a step about which nothing is known yet.
#pragma once

#include "loa/state.h"

namespace loa {

// The length must scale like x under x -> lambda x and not change under f -> lambda f: the norm of x_k does; at the
// origin, the length at which f would drop to 0 if it were linear; if f = 0 as well nothing has a scale, so 1.
double first_length(const State& state);

// True when x_k - x_{k-1} is below the round-off of x_k: such a pair says nothing about curvature.
bool step_vanished(const State& state);

// The scale at which -scale g_k is as long as the last step, or, when that one was lost in round-off, as a first step.
double same_length_scale(const State& state);

}  // namespace loa
