#include "line_search/plateau.h"

namespace loa {
namespace {

// A search with a smaller c2 is after the minimizer along the line, wherever that is.
constexpr double kSmallestC2 = 0.5;

}  // namespace

LineSearchOutcome accept_before_plateau(Ray& ray, const PlateauTest& test, const Trial& trial, Trial& accepted) {
  const auto& [constants, options] = test;
  const double decrease = trial.phi / (trial.step * ray.slope0());
  accepted = trial;
  // Accepting the lowest trial costs no evaluation, whatever is tried after it.
  const bool may_go_back = constants.c2 >= kSmallestC2 && ray.best().step == trial.step;
  if (may_go_back && decrease < options.smallest_decrease && trial.slope < -options.largest_slope * ray.slope0()) {
    if (ray.exhausted()) return LineSearchOutcome::kExhausted;
    const Trial before = ray.evaluate(2.0 * decrease * trial.step);
    const bool decreased = before.finite && before.phi <= constants.c1 * before.step * ray.slope0();
    if (decreased && before.slope >= constants.c2 * ray.slope0()) accepted = before;
  }
  ray.accept(accepted);
  return LineSearchOutcome::kAccepted;
}

}  // namespace loa
