#include "model/invariant_controller.h"

#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "linalg/kernels.h"
#include "linalg/pass.h"
#include "loa/quasi_newton_input.h"

namespace loa {
namespace {

constexpr double kZone = 0.1;
// <dg,y> below this part of <dg,d> is too close to the pole of Eq. (6).
constexpr double kSmallestPart = 0.1;

double zone(double t) { return t > kZone ? t - kZone : t < -kZone ? t + kZone : 0.0; }

}  // namespace

InvariantController::InvariantController(Vector theta) : theta_(std::move(theta)) {
  if (theta_.size() != kNumParameters || !theta_.allFinite())
    throw std::invalid_argument("InvariantController: expected " + std::to_string(kNumParameters) +
                                " finite weights, found " + std::to_string(theta_.size()) + " or some not finite");
}

std::vector<ParameterBlock> InvariantController::layout() {
  return {{.name = "weights", .rows = kNumOutputs, .cols = kNumInvariantFeatures, .offset = 0},
          {.name = "bias", .rows = kNumOutputs, .cols = 1, .offset = kNumOutputs * kNumInvariantFeatures}};
}

double InvariantController::output(const Input& input, Index i) const {
  return theta_.segment(i * kNumInvariantFeatures, kNumInvariantFeatures).dot(input.scalars) +
         theta_(kNumOutputs * kNumInvariantFeatures + i);
}

double InvariantController::weight(const Input& input) const {
  const double w = std::tanh(zone(output(input, 0)));
  if (w == 0.0) return w;
  const double* columns[] = {input.vectors[kD].data(), input.vectors[kBDeltaG].data()};
  const double* delta_g = input.covectors[kDeltaG].data();
  auto sums = summing_pass<2>(input.dimension(), [&](const Block& block, std::array<double, 2>& sum) {
    kernels().products(columns, 2, &delta_g, 1, block.first, block.last(), sum.data());
  });
  input.reduction->sum(sums);
  // On the side of DFP, w < 0, there is no pole, but a pair without curvature is not for B there either.
  return sums[0] > 0.0 && sums[0] - w * sums[1] > kSmallestPart * sums[0] ? w : 0.0;
}

void InvariantController::predict(const Input& input, Prediction& prediction) const {
  const Vector &d = input.vectors[kD], &B_delta_g = input.vectors[kBDeltaG];
  const double w = weight(input);
  prediction.y.resize(d.size());
  pass(d.size(), [&](const Block& block) {
    if (w == 0.0) {
      block.of(prediction.y) = block.of(d);
    } else {
      block.of(prediction.y) = block.of(d) - w * block.of(B_delta_g);
    }
  });
  prediction.trial_step = std::exp(std::tanh(zone(output(input, 1))));
  prediction.next_scale = std::exp(2.0 * std::tanh(zone(output(input, 2))));
}

void InvariantController::pullback(const Input& input, const Vector& d_y, std::vector<Vector>& d_vectors,
                                   Vector& d_theta) const {
  const double w = weight(input);
  d_vectors[kD] += d_y;
  d_vectors[kBDeltaG] -= w * d_y;
  if (w == 0.0) return;  // in the zone, or near the pole
  const double d_w = -input.vectors[kBDeltaG].dot(d_y), d_output = d_w * (1.0 - w * w);
  d_theta.head(kNumInvariantFeatures) += d_output * input.scalars;
  d_theta(kNumOutputs * kNumInvariantFeatures) += d_output;
}

}  // namespace loa
