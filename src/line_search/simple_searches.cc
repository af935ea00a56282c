// The searches that need no bracket: fixed, paper, exact.
#include "line_search/simple_searches.h"

#include <cmath>
#include <stdexcept>

#include "line_search/finite_trial.h"

namespace loa {

LineSearchOutcome FixedStep::search(Ray& ray, double first_trial, Trial& accepted) const {
  accepted = finite_trial(ray, first_trial);
  if (!accepted.finite) return unsuccessful(ray);
  ray.accept(accepted);
  return LineSearchOutcome::kAccepted;
}

LineSearchOutcome PaperSearch::search(Ray& ray, double first_trial, Trial& accepted) const {
  // Armijo with c1 = 1e-2 from 1 by factors of 0.1, at most 5 trials; then the step 1e-5 is taken untested.
  constexpr double kArmijo = 1e-2, kShrink = 0.1;
  constexpr int kMaxTrials = 5;
  double step = first_trial;
  for (int i = 0; i <= kMaxTrials; ++i, step *= kShrink) {
    if (ray.exhausted()) return LineSearchOutcome::kExhausted;
    accepted = ray.evaluate(step);
    if (ray.met_minus_infinity()) return LineSearchOutcome::kUnbounded;
    const bool tested = accepted.finite && accepted.f - ray.f0() <= kArmijo * step * ray.slope0();
    if (!tested && !(i == kMaxTrials && accepted.finite)) continue;
    ray.accept(accepted);
    return LineSearchOutcome::kAccepted;
  }
  return unsuccessful(ray);
}

LineSearchOutcome ExactSearch::search(Ray& ray, double first_trial, Trial& accepted) const {
  // The minimizer of the quadratic with this slope and curvature. Without positive curvature there is none.
  double curvature = 0.0;
  if (!ray.curvature(curvature))
    throw std::invalid_argument("exact: expected an objective with a Hessian-vector product, found one without");
  const double step = -ray.slope0() / curvature;
  accepted = finite_trial(ray, step > 0.0 && std::isfinite(step) ? step : first_trial);
  if (!accepted.finite) return unsuccessful(ray);
  // Away from quadratics the minimizer of the model may be higher than x_k.
  if (!(accepted.phi <= 0.0)) return LineSearchOutcome::kFailed;
  ray.accept(accepted);
  return LineSearchOutcome::kAccepted;
}

}  // namespace loa
