#include "loa/status.h"

namespace loa {

bool is_success(Status status) {
  switch (status) {
    case Status::kGradientIsSmall:
    case Status::kRelativeGradientIsSmall:
    case Status::kObjectiveIsFlat:
    case Status::kConvergedToWorkingPrecision:
      return true;
    default:
      return false;
  }
}

std::string_view name(Status status) {
  switch (status) {
    case Status::kRunning:
      return "running";
    case Status::kGradientIsSmall:
      return "gradient_is_small";
    case Status::kRelativeGradientIsSmall:
      return "relative_gradient_is_small";
    case Status::kObjectiveIsFlat:
      return "objective_is_flat";
    case Status::kConvergedToWorkingPrecision:
      return "converged_to_working_precision";
    case Status::kIterationLimitReached:
      return "iteration_limit_reached";
    case Status::kEvaluationLimitReached:
      return "evaluation_limit_reached";
    case Status::kTimeLimitReached:
      return "time_limit_reached";
    case Status::kStoppedByObserver:
      return "stopped_by_observer";
    case Status::kLineSearchFailed:
      return "line_search_failed";
    case Status::kStartIsNotFinite:
      return "start_is_not_finite";
    case Status::kObjectiveIsUnbounded:
      return "objective_is_unbounded";
    case Status::kObjectiveBecameNotFinite:
      return "objective_became_not_finite";
    case Status::kStalled:
      return "stalled";
  }
  return "unknown";
}

std::string_view message(Status status) {
  switch (status) {
    case Status::kRunning:
      return "The run has not ended.";
    case Status::kGradientIsSmall:
      return "Converged: the gradient is within its tolerance.";
    case Status::kRelativeGradientIsSmall:
      return "Converged: the gradient is within its tolerance relative to the start.";
    case Status::kObjectiveIsFlat:
      return "Converged: the objective changes by less than its tolerance.";
    case Status::kConvergedToWorkingPrecision:
      return "Converged to working precision: round-off hides any further decrease.";
    case Status::kIterationLimitReached:
      return "Stopped: the limit on iterations was reached.";
    case Status::kEvaluationLimitReached:
      return "Stopped: the limit on evaluations was reached.";
    case Status::kTimeLimitReached:
      return "Stopped: the limit on seconds was reached.";
    case Status::kStoppedByObserver:
      return "Stopped by the observer.";
    case Status::kLineSearchFailed:
      return "Failed: no lower point was found along the search direction, nor along the negative gradient where the "
             "safeguard tried that. Is the gradient right? check_gradient compares it with differences.";
    case Status::kStartIsNotFinite:
      return "Failed: the objective or its gradient is not finite at the start.";
    case Status::kObjectiveIsUnbounded:
      return "Failed: the objective falls without end, to minus infinity or to where x leaves the range of numbers.";
    case Status::kObjectiveBecameNotFinite:
      return "Failed: a step without a decrease test led to a point where the objective is not finite.";
    case Status::kStalled:
      return "Failed: the iterations no longer lower the objective, though nothing shows that this is a minimizer. Is "
             "the objective smooth, and its gradient right? check_gradient compares it with differences.";
  }
  return "";
}

}  // namespace loa
