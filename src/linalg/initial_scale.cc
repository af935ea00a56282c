#include "linalg/initial_scale.h"

namespace loa {
namespace {

// "we take B_{-1} = 0.8 gamma_BB I" (Section 5.2).
constexpr double kFactor = 0.8;

}  // namespace

double initial_scale(const Vector& d, const Vector& delta_g, const Reduction& reduction) {
  return initial_scale(dot(delta_g, d, reduction), norm(delta_g, reduction));
}

double initial_scale(double delta_g_d, double delta_g_norm) {
  return kFactor * delta_g_d / delta_g_norm / delta_g_norm;
}

}  // namespace loa
