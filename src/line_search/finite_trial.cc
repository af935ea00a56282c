#include "line_search/finite_trial.h"

namespace loa {

Trial finite_trial(Ray& ray, double step) {
  constexpr int kMaxReductions = 60;
  constexpr double kReduction = 0.1;
  Trial trial{.step = step};
  for (int i = 0; i <= kMaxReductions && !ray.exhausted(); ++i) {
    trial = ray.evaluate(step);
    if (trial.finite || ray.met_minus_infinity()) return trial;
    step *= kReduction;
  }
  return trial;
}

LineSearchOutcome unsuccessful(const Ray& ray) {
  if (ray.met_minus_infinity()) return LineSearchOutcome::kUnbounded;
  if (ray.exhausted()) return LineSearchOutcome::kExhausted;
  return LineSearchOutcome::kFailed;
}

}  // namespace loa
