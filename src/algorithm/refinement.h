// Gradients that are not exact, such as differences: where their error begins to matter the run goes on with better
// ones, from the same point with the same B. This happens once a run.
//
// The error e is GradientError::bound() with the largest curvature that the run has met. It matters
//
//   for a claim   |g|_inf <= tolerance, where |g|_inf + e > tolerance: the gradient may be as large as that. Of a
//                 refined gradient e <= tolerance is asked, and otherwise the run goes on to working precision;
//   for a step    that promises less than e alone would, e^2/(2 kappa) with the smallest curvature kappa that the run
//                 has met: such a step follows the error;
//
// and in any case where a search has failed, where no direction descends, and where iterations idle.
#pragma once

#include "loa/objective.h"
#include "loa/options.h"
#include "loa/state.h"

namespace loa {

// Whether the gradients of the run may still be refined.
bool is_refinable(CountedObjective& f, const Options& options, const State& state);

// The two cases above.
bool error_hides_tolerance(CountedObjective& f, Status status, const Options& options, const State& state);
bool error_hides_promise(CountedObjective& f, double promise, const State& state);

// Makes gradients more accurate, and those in the state again: at x_k, at x_{k-1} where there is one, at the lowest
// point behind. The count of idle iterations and what was promised begin anew. Returns false where nothing can be
// refined or the limit on evaluations leaves no room.
bool refine(CountedObjective& f, const Options& options, State& state);

// Of a state that was made with refined gradients. REQUIRES: the objective is one that can refine them.
void refine_as_before(CountedObjective& f, const State& state);

}  // namespace loa
