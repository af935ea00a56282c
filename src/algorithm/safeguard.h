// U with a safety net.
//
//   off  the direction from y_k as it is (Alg. 2 to the letter)
//   on   the first of these whose direction descends, each replacement counted:
//          y_k as predicted             refused when not finite or |<dg,y>| <= 1e-8 ||dg|| ||y||
//          y = d, the BFGS update       refused when <d,dg> is not positive beyond round-off
//          B_k = B_{k-1}, no update     refused when the last step was lost in round-off or stretched 1e10 times
//          B_k = scale I, a restart along -g
//   spectrum  on, and the eigenvalues of B_k must stay in [c, C] (spectrum_guard.h): the BFGS update is damped before
//        it is given up
//
// Every test is a ratio of quantities of the same kind, so the net is as equivariant as the algorithm it guards.
#pragma once

#include "algorithm/spectrum_guard.h"
#include "loa/algorithm.h"

namespace loa {

// Nothing is stored: what a step changes, B and the counters included, is stored when x moves, so that a search that is
// interrupted leaves the state as it was.
struct Guard {
  Safeguard safeguard = Safeguard::kOn;
  SpectrumGuard* spectrum = nullptr;  // with Safeguard::kSpectrum
  bool needs_descent = true;  // the line search cannot work uphill; quasi-Newton directions are tested in any case
};

// Fills step from y_k (prediction). Swaps the buffers of step.y and prediction.y.
void choose_direction(const Algorithm& algorithm, const Input& input, const Guard& guard, const State& state,
                      Prediction& prediction, Step& step);

// Makes step a multiple of -g_k and counts the event.
void restart(const Algorithm& algorithm, const Input& input, const State& state, Step& step);

}  // namespace loa
