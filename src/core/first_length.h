// A length for a step about which nothing is known yet. With bounds all lengths here are of the free coordinates alone:
// a variable that is held counts as one that is not there.
#pragma once

#include "loa/state.h"

namespace loa {

// The length must scale like x under x -> lambda x and not change under f -> lambda f: the norm of x_k does; at the
// origin, the length at which f would drop to 0 if it were linear; if f = 0 as well nothing has a scale, so 1.
double first_length(const State& state);

// Of the first trial, along which f falls by `slope`, ||g|| along -g. ||x|| is how far a start may be from a minimizer,
// but where f is steep that is far too long. An f that falls to 0 as the p-th power of the distance is 0 at the
// distance p |f|/slope; p is 2 for sums of squares and 4 for their squares. So 3 |f|/slope where that is clearly less
// than
// ||x||, 0.6 times it, and not less than ||x||/100, as |f| says nothing where f changes its sign. Evaluations of bfgs+d
// against ||x|| on the sets expressions, middle, named, origin-middle, origin-small and synthetic: 0.973, 0.983, 0.983,
// 0.985, 0.944 and 0.990; p = 1, 2, 4 and 6 differ by at most 0.03.
double first_trial_length(const State& state, double slope);

// True when x_k - x_{k-1} is below the round-off of x_k: such a pair says nothing about curvature.
bool step_vanished(const State& state);

// The scale at which -scale g_k is as long as the last step, or, when that one was lost in round-off, as a first step.
double same_length_scale(const State& state);

}  // namespace loa
