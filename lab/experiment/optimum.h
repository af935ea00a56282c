// f*, what gaps are measured from, found independently of the algorithms that are compared.
#pragma once

#include <string>

#include "loa/problem.h"

namespace loa {

struct Optimum {
  double f = 0.0;
  double grad_inf_norm = 0.0;  // where f was found; 0 for a known minimum
  std::string source;          // "known", "newton", or "lowest": the lowest f that any run reached
};

// The known minimum; or, for a strongly convex problem with a Hessian and at most 600 variables, a damped Newton solve
// until the gradient is down to round-off. Returns false when there is neither.
bool find_optimum(Problem& problem, Optimum& optimum);

// How far a run may lie below f* before that is an error: the round-off of f, and for known minima the digits to which
// they were published.
double tolerance_below(const Optimum& optimum, double f_start);

}  // namespace loa
