// Theorem 2 (thm::conv) watched along a run.
#pragma once

#include "loa/line_search.h"
#include "loa/state.h"

namespace loa {

// Adds the accepted step to state.guarantee, with the safeguard `spectrum`. Call before x moves to `x`, where f is
// trial.f. REQUIRES: step.direction is -gamma B_k g_k, and the accepted step is trial.step times that direction.
void record_descent(const Input& input, const Step& step, const Trial& trial, const Vector& x, State& state);

}  // namespace loa
