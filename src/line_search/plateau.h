// Steps that end on a plateau.
//
// phi falls by r |phi'(0)| step along a step, and r = 1/2 where the step ends at the minimizer of a parabola. Where r
// is far below that and phi is flat at the end, phi was steep in the first part of the step alone: a parabola with the
// slope phi'(0) would have made the whole decrease, at its minimizer, after the step 2 r step. All that follows is a
// plateau: sums of exponentials, growth curves, peaks and rational functions have plateaus in all directions, lower
// than the start of a fit and far from its solution, and from there valleys lead to infinity.
//
// Everything is free of scale and of the value of f.
#pragma once

#include "loa/line_search.h"

namespace loa {

// Accepts `trial`, a finite trial lower than f0, for a search. Where it is the lowest trial and lies on a plateau,
// another trial is made before it, at 2 r step, and accepted in its place if it meets the weak Wolfe conditions.
// Returns kExhausted when there is no evaluation left for that, so that a resumed run makes it; otherwise kAccepted,
// with the trial in `accepted`.
LineSearchOutcome accept_before_plateau(Ray& ray, const WolfeConstants& constants, const Trial& trial, Trial& accepted);

}  // namespace loa
