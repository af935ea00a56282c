// How the searches without a bracket treat trials where f is not finite; those with one pull the bracket in.
#pragma once

#include "loa/line_search.h"

namespace loa {

// Evaluates at `step`, and at ever shorter steps while f is not finite there. The result is not finite when the
// evaluation limit was reached, f = -infinity was met, or 60 reductions (by 0.1 down to 1e-60) did not help.
Trial finite_trial(Ray& ray, double step);

// Why a search ended without a point: the outcome to return.
LineSearchOutcome unsuccessful(const Ray& ray);

}  // namespace loa
