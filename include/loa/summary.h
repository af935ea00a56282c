// What a run returns.
//
// Layer: core.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loa/export.h"
#include "loa/state.h"
#include "loa/status.h"

LOA_EXPORT_BEGIN
namespace loa {

// One row of a trace: the iterate x_k and what it took to get there. Row 0 is x_0.
struct TraceRow {
  std::int64_t iteration = 0;
  double f = 0.0;
  double grad_inf_norm = 0.0;
  double step_size = 0.0;
  std::int64_t evaluations = 0;  // values asked for so far
  double seconds = 0.0;
};

// A point with f and the gradient there.
struct EvaluatedPoint {
  Vector x;
  double f = std::numeric_limits<double>::quiet_NaN();
  Vector grad;
};

// What the bounds of a run had to do with its result.
struct ActiveBounds {
  std::vector<signed char> active;  // for each variable: -1 held by its lower bound, 1 by its upper one, 0 free
  // Of the bounds: the gradient at variables that are held, otherwise 0. At a minimizer f changes by this much for a
  // bound that is moved by 1.
  Vector multipliers;
  std::int64_t num_active = 0;     // of this slice, as all numbers here
  std::int64_t num_projected = 0;  // variables of the start that were outside
};

// The best point, how the run ended, and what it took.
struct Summary {
  Vector x;  // the lowest finite point that any trial has seen; after a success the last iterate
  double f = std::numeric_limits<double>::quiet_NaN();
  Vector grad;
  double grad_inf_norm = std::numeric_limits<double>::quiet_NaN();  // with bounds that of the projected gradient

  Status status = Status::kRunning;
  std::string message;
  bool success() const { return is_success(status); }
  // A visibly lower point than x that was seen on the way. Only where a method that does not test for a decrease (the
  // line searches fixed and paper, the safeguard off) ended with a success.
  std::optional<EvaluatedPoint> lower;

  std::int64_t iterations = 0;
  Evaluations evaluations;
  Fallbacks fallbacks;
  std::optional<ActiveBounds> bounds;  // of a run with bounds
  std::optional<Guarantee> guarantee;  // with Safeguard::kSpectrum, once x_0 is reached
  double seconds = 0.0;

  State state;                  // to resume from, or to look at B
  std::vector<TraceRow> trace;  // when Options::keep_trace
};

}  // namespace loa
LOA_EXPORT_END
