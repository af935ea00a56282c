#include "model/pole_guard.h"

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "loa/quasi_newton_input.h"

namespace loa {
namespace {

// False when y is not finite or zero.
bool is_far_from_pole(const Input& input, const Vector& y, double width) {
  const Vector& d = input.vectors[kD];
  const Vector& delta_g = input.covectors[kDeltaG];
  const Reduction& reduction = *input.reduction;
  return std::abs(cosine(delta_g, y, reduction)) > width * cosine(delta_g, d, reduction);
}

}  // namespace

PoleGuard::PoleGuard(std::shared_ptr<const Model> model, double width) : model_(std::move(model)), width_(width) {
  if (!(width >= 0.0 && width < 1.0))
    throw std::invalid_argument("PoleGuard: expected a width in [0, 1), got " + std::to_string(width));
}

void PoleGuard::predict(const Input& input, Prediction& prediction) const {
  model_->predict(input, prediction);
  prediction.replaced = !is_far_from_pole(input, prediction.y, width_);
  if (prediction.replaced) prediction.y = input.vectors[kD];
}

void PoleGuard::pullback(const Input& input, const Vector& d_y, std::vector<Vector>& d_vectors, Vector& d_theta) const {
  Prediction prediction;
  model_->predict(input, prediction);
  if (is_far_from_pole(input, prediction.y, width_))
    model_->pullback(input, d_y, d_vectors, d_theta);
  else
    d_vectors[kD] += d_y;
}

}  // namespace loa
