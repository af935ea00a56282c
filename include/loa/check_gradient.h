// Compares a gradient with finite differences of the value: the first thing to try when a line search fails.
//
// Layer: core.
#pragma once

#include <string>

#include "loa/export.h"
#include "loa/objective.h"

LOA_EXPORT_BEGIN
namespace loa {

// What check_gradient() found.
struct GradientCheck {
  bool ok = false;          // every coordinate agrees
  double max_error = 0.0;   // largest |g_i - difference_i| over its scale; NaN when something was not finite
  Index worst = -1;         // the coordinate where it happens, -1 when n = 0
  double gradient = 0.0;    // g_worst
  double difference = 0.0;  // what differences say there
  std::string message;      // one sentence
};

// How to compare: the tolerance, relative, and bounds, lower <= x <= upper, each of the length of x or empty.
struct GradientCheckOptions {
  double tolerance = 1e-5;
  Vector lower, upper;
};

// Central differences with a step scaled to each coordinate, refined once by Richardson extrapolation, so that the
// error estimate tells truncation from a wrong gradient. Costs 4 n + 1 evaluations.
GradientCheck check_gradient(Objective& f, const Vector& x, double tolerance = 1e-5);
GradientCheck check_gradient(const Function& f, const Vector& x, double tolerance = 1e-5);

// The same inside bounds: at the point of the bounds that is nearest to x, with differences to one side where a bound
// is nearer than the step. f is never called outside, and variables that the bounds fix are not compared.
GradientCheck check_gradient(Objective& f, const Vector& x, const GradientCheckOptions& options);
GradientCheck check_gradient(const Function& f, const Vector& x, const GradientCheckOptions& options);

}  // namespace loa
LOA_EXPORT_END
