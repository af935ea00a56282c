// Safeguard::kSpectrum: c I <= B_k <= C I in every iteration, whatever the model predicts (Theorem 2, thm::conv).
//
// An update is used as it is when the eigenvalues of B_k are certain to be inside (linalg/spectrum.h). Otherwise the
// chain of safeguard.h goes on: y = d takes the place of y_k, and where BFGS itself would lead out of [c, C] its term
// is damped. No update and a restart are inside by construction.
//
// The direction is computed from I_k by a formula and not from B_k, so the direction is tested as well: p = -gamma B_k
// g_k with c I <= B_k <= C I implies
//
//   -<g,p> >= gamma c ||g||^2,    ||p||^2 <= -gamma C <g,p>,
//
// and these two are all that the proof of the theorem uses (docs/guarantees.md).
#pragma once

#include "linalg/spectrum.h"
#include "loa/state.h"

namespace loa {

class SpectrumGuard {
 public:
  // Called with step.y and its direction. Whether B_k stays inside and the direction is one of such a matrix; a refusal
  // is counted once an iteration.
  bool admits(const Input& input, const State& state, Step& step);

  // Called after admits() has refused: uses so much of the same update that B_k stays inside. False when it cannot.
  // REQUIRES: step.direction is that of the whole update.
  bool damp(const Input& input, const State& state, Step& step);

  // Whether the two inequalities above hold for step.direction. REQUIRES: step.slope is set.
  static bool admits_direction(const Input& input, const State& state, const Step& step);

 private:
  SpectrumTest test_;
  SecantTerm term_;
};

}  // namespace loa
