// What Safeguard::kSpectrum promises, and what was seen of it along a run.
//
// Layer: core. Theorem 2 of the paper (thm::conv); docs/guarantees.md has the derivation.
#pragma once

#include <cstdint>
#include <limits>

#include "loa/eigenvalue_range.h"
#include "loa/export.h"

LOA_EXPORT_BEGIN
namespace loa {

// Part of the state and of the summary of a run with Safeguard::kSpectrum.
struct Guarantee {
  bool applies = false;                                         // without it the members below mean nothing
  EigenvalueRange eigenvalues;                                  // [c, C], which holds the eigenvalues of every B_k
  double gamma = 1.0;                                           // the step-size of Gamma
  double lipschitz = std::numeric_limits<double>::quiet_NaN();  // L, when the user knows it

  // The smallest cosine of the angle between a step and -g_k. Infinity before the first step.
  double smallest_cosine = std::numeric_limits<double>::infinity();

  // The descent inequalities of the proof, with the step that was accepted; only when L is known.
  //
  //   f(x_{k+1}) - f(x_k) <= -gamma <g_k, B_k g_k> + L/2 ||gamma B_k g_k||^2       (eq::QNdescentlemma)
  //                       <= -gamma (1 - L gamma C/2) <g_k, B_k g_k>               (eq::finaldescent)
  std::int64_t evaluated = 0;      // at how many iterations
  std::int64_t violations = 0;     // how often one failed beyond round-off: L is too small, or the gradient is wrong
  double promised_decrease = 0.0;  // minus the sum of the first right-hand sides: f has fallen by this or more
  // The smallest (decrease - promised)/promised where the promise is above round-off. Infinity when it never was.
  double smallest_slack = std::numeric_limits<double>::infinity();

  // cos >= 2 sqrt(c C)/(c + C) for every step (Kantorovich's inequality).
  double promised_cosine() const;
  // gamma <= 2/(C L): with the line search `fixed`, f never increases. False when L is not known.
  bool step_size_is_small_enough() const;
};

}  // namespace loa
LOA_EXPORT_END
