// When a run ends: the tests of convergence and the limits, and the book-keeping they need.
#pragma once

#include "loa/line_search.h"
#include "loa/options.h"
#include "loa/status.h"
#include "loa/summary.h"

namespace loa {

// Called at each x_k before the iteration. Returns kRunning to go on.
Status test_convergence(const State& state, double grad_inf_norm, const Options& options);
// Called when the direction is known, for searches that test for a decrease: a method with fixed steps may creep along
// below the resolution of f. Returns kRunning while there is progress, or hope: after max_idle_iterations(n) iterations
// without progress the verdict of working_precision.h may be that x_k is a minimizer; after five times as many the run
// has stalled.
Status test_progress(const State& state);
// The moments at which test_progress() looks at the evidence for the first and for the last time.
bool begins_to_idle(const State& state);
Status test_limits(const State& state, double seconds, const Options& options);

// Called after x has moved: keeps the lowest point, the smallest gradient and the count of idle iterations up to date.
// REQUIRES: x_prev, f_prev and grad_prev are those of the point just left. `promise` is what the model behind the
// direction promised, -<g,p>/2, and 0 where the length of a direction means nothing: less than sqrt(eps) of it for each
// iteration is no decrease, and neither is less than sqrt(eps) of itself for a gradient. With a wrong gradient f can
// fall by accident for as long as one waits: on Rosenbrock's function with three variables and forward differences by
// 6e-11 of the promise in each of 1e5 iterations, and the gradient by 6e-10.
void note_progress(State& state, double grad_inf_norm, double promise = 0.0);

// Called when a search ends, before x moves: keeps the lowest trial if no iterate and no earlier trial was as low.
// REQUIRES: the ray is the one that was searched.
void note_best_trial(const Ray& ray, State& state);

// Iterations without a visibly lower f or a smaller gradient after which round-off is all that moves x. Near round-off
// f and the gradient fluctuate with no memory, so a new record after k idle iterations has probability about 1/k;
// twenty leave few. A quasi-Newton matrix may need n iterations to learn a new valley.
std::int64_t max_idle_iterations(Index n);

// x, f and the gradient of a summary, and all that the state knows: the last iterate of a run that succeeded, the
// lowest finite point of one that did not. Moves the state into the summary.
Summary summarize(Status status, State state);

}  // namespace loa
