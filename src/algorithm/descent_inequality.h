// Theorem 2 (thm::conv) watched along a run.
#pragma once

#include "loa/line_search.h"
#include "loa/state.h"

namespace loa {

// Called in bounded mode when a step is accepted and before x moves to `x`, where f is trial.f: brings state.guarantee
// up to date. REQUIRES: step.direction is -gamma B_k g_k and trial.step what was taken of it.
void note_descent(const Input& input, const Step& step, const Trial& trial, const Vector& x, State& state);

}  // namespace loa
