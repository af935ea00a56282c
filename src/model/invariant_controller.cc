#include "model/invariant_controller.h"

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "linalg/combine.h"
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
  return theta_.segment(i * kNumInvariantFeatures, kNumInvariantFeatures).dot(input.features) +
         theta_(kNumOutputs * kNumInvariantFeatures + i);
}

double InvariantController::weight(const Input& input) const {
  const double w = std::tanh(zone(output(input, 0)));
  // <dg,y>/<dg,d> = 1 - w b/s. On the side of DFP, w < 0, there is no pole, but a pair without curvature is not for B
  // there either.
  const double b_over_s = input.products.dg_Bdg / input.products.dg_d;
  return b_over_s > 0.0 && std::isfinite(b_over_s) && 1.0 - w * b_over_s > kSmallestPart ? w : 0.0;
}

void InvariantController::predict(const Input& input, Prediction& prediction) const {
  const Vector &d = input.vectors[kD], &B_delta_g = input.vectors[kBDeltaG];
  const double w = weight(input);
  prediction.y_is_d = w == 0.0;
  prediction.y.resize(d.size());
  pass(d.size(), [&](const Block& block) {
    if (w == 0.0)
      combine(block.size, {{1.0, block.at(d)}}, block.at(prediction.y));
    else
      combine(block.size, {{1.0, block.at(d)}, {-w, block.at(B_delta_g)}}, block.at(prediction.y));
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
  d_theta.head(kNumInvariantFeatures) += d_output * input.features;
  d_theta(kNumOutputs * kNumInvariantFeatures) += d_output;
}

}  // namespace loa
