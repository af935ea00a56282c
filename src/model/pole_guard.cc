#include "model/pole_guard.h"

#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "linalg/kernels.h"
#include "linalg/pass.h"
#include "linalg/safe_square.h"
#include "loa/quasi_newton_input.h"

namespace loa {
namespace {

// False when y is not finite or zero.
bool is_far_from_pole(const Input& input, const Vector& y, double width) {
  const Vector& d = input.vectors[kD];
  const Vector& delta_g = input.covectors[kDeltaG];
  auto sums = summing_pass<2>(d.size(), [&](const Block& block, std::array<double, 2>& sum) {
    const double *column = y.data(), *v[] = {delta_g.data(), y.data()};
    kernels().products(&column, 1, v, 2, block.first, block.last(), sum.data());
  });
  input.reduction->sum(sums);
  const auto [y_dg, y_y] = sums;
  const double d_d = input.products.d_d, dg_d = input.products.dg_d;
  if (is_safe_square(y_y) && is_safe_square(d_d))
    return std::abs(y_dg) / std::sqrt(y_y) > width * dg_d / std::sqrt(d_d);
  return std::abs(cosine(delta_g, y, *input.reduction)) > width * cosine(delta_g, d, *input.reduction);
}

}  // namespace

PoleGuard::PoleGuard(std::shared_ptr<const Model> model, double width) : model_(std::move(model)), width_(width) {
  if (!(width >= 0.0 && width < 1.0))
    throw std::invalid_argument("PoleGuard: expected a width in [0, 1), got " + std::to_string(width));
}

void PoleGuard::predict(const Input& input, Prediction& prediction) const {
  model_->predict(input, prediction);
  prediction.replaced = prediction.y_is_d = !is_far_from_pole(input, prediction.y, width_);
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
