#include "oracle/function_value_secant.h"

#include <algorithm>
#include <cmath>

namespace loa {

double curvature_ratio(const StepEnds& ends, double largest) {
  const double decrease = ends.f_prev - ends.f, curvature = ends.slope - ends.slope_prev;
  if (!(curvature > 0.0) || !(std::abs(decrease) > ends.round_off * std::abs(ends.f_prev))) return 1.0;
  const double theta = 6.0 * decrease + 3.0 * (ends.slope_prev + ends.slope);
  const double ratio = 1.0 + theta / curvature;
  return std::isfinite(ratio) ? std::clamp(ratio, 1.0 / largest, largest) : 1.0;
}

}  // namespace loa
