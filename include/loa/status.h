// How a run ended. A numerical outcome is one of these, never an exception.
//
// Layer: core.
#pragma once

#include <string_view>

#include "loa/export.h"

LOA_EXPORT_BEGIN
namespace loa {

// The order of the members is part of the interface: C and Python see their numbers.
enum class Status {
  kRunning,                      // not ended yet
  kGradientIsSmall,              // ||g||_inf <= gtol, or g = 0
  kRelativeGradientIsSmall,      // ||g||_inf <= gtol_relative ||g(start)||_inf
  kObjectiveIsFlat,              // f changed by less than ftol |f| in an iteration
  kConvergedToWorkingPrecision,  // f and the gradient cannot be improved in floating point
  kIterationLimitReached,
  kEvaluationLimitReached,
  kTimeLimitReached,
  kStoppedByObserver,
  kLineSearchFailed,
  kStartIsNotFinite,
  kObjectiveIsUnbounded,      // f = -infinity was met, or f still falls where x leaves the range of numbers
  kObjectiveBecameNotFinite,  // a step without a test led out of the domain
  kStalled,                   // iterations no longer lower f, and nothing shows that x is a minimizer
};

// True for the four statuses that mean a minimizer (or a stationary point) was found.
bool is_success(Status status);

// "gradient_is_small": the name in JSON and in Python.
std::string_view name(Status status);

// One sentence for a person.
std::string_view message(Status status);

}  // namespace loa
LOA_EXPORT_END
