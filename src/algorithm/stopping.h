// When a run ends: the tests of convergence and the limits, and the book-keeping they need.
#pragma once

#include "loa/options.h"
#include "loa/status.h"

namespace loa {

// Called at each x_k before the iteration. Returns kRunning to go on.
Status test_convergence(const State& state, double grad_inf_norm, const Options& options);
// Only for searches that test for a decrease: a method with fixed steps may creep along below the resolution of f.
bool is_idle(const State& state);
// What idleness means. Round-off, unless steps cannot be made of the gradient: |x|/|g|, the size of a step-size or an
// inverse Hessian, underflows. Then B has lost the directions that would still descend.
Status idle_status(const State& state);
Status test_limits(const State& state, double seconds, const Options& options);

// Called after x has moved: keeps the lowest point, the smallest gradient and the count of idle iterations up to date.
// REQUIRES: x_prev, f_prev and grad_prev are those of the point just left.
void note_progress(State& state, double grad_inf_norm);

// Called when no search finds a lower point: is that what round-off explains? It is when the direction (before any
// restart) promised a decrease below the resolution of f, or was a step below the resolution of x; or when the slopes
// place the minimizer within that resolution.
bool at_working_precision(const State& state, const Step& step, double distance_to_minimizer);

}  // namespace loa
