// A limit of no iterations means in SciPy that x0 comes back after one evaluation. In the core the step from the start
// to x_0 is none of the iterations, so a run with this limit would return x_0.
#pragma once

#include <limits>

#include "loa/options.h"
#include "loa/state.h"
#include "loa/status.h"
#include "loa/summary.h"

namespace loa::python {

class NoIterations {
 public:
  // With the limit 0 the run ends at its start, because any gradient is small enough there. `state`: that from which it
  // is resumed, or null.
  NoIterations(const State* state, Options& options)
      : is_asked_(options.max_iterations == 0 && (state == nullptr || state->iteration == 0)), gtol_(options.gtol) {
    if (is_asked_) options.gtol = std::numeric_limits<double>::infinity();
  }

  // Says in the summary what has ended the run, unless the gradient is as small as was asked for.
  void conclude(Summary& summary) const {
    if (!is_asked_ || summary.status != Status::kGradientIsSmall || summary.grad_inf_norm <= gtol_) return;
    summary.status = Status::kIterationLimitReached;
    summary.message = message(summary.status);
  }

 private:
  bool is_asked_;
  double gtol_;
};

}  // namespace loa::python
