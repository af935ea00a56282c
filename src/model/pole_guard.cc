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
  // <y,dg>, <d,dg>, <y,y>, <d,d>.
  auto sums = summing_pass<4>(d.size(), [&](const Block& block, std::array<double, 4>& sum) {
    const double *columns[] = {y.data(), d.data()}, *v = delta_g.data();
    kernels().products(columns, 2, &v, 1, block.first, block.last(), sum.data());
    for (std::size_t i = 0; i < 2; ++i)
      kernels().products(&columns[i], 1, &columns[i], 1, block.first, block.last(), &sum[2 + i]);
  });
  input.reduction->sum(sums);
  if (is_safe_square(sums[2]) && is_safe_square(sums[3]))
    return std::abs(sums[0]) / std::sqrt(sums[2]) > width * sums[1] / std::sqrt(sums[3]);
  return std::abs(cosine(delta_g, y, *input.reduction)) > width * cosine(delta_g, d, *input.reduction);
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
