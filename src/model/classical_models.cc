// None of these allocates when prediction.y has its length already.
#include "model/classical_models.h"

#include <limits>

#include "linalg/broyden.h"
#include "linalg/combine.h"
#include "linalg/pass.h"
#include "loa/quasi_newton_input.h"

namespace loa {

void SecantStepModel::predict(const Input& input, Prediction& prediction) const {
  const Vector& d = input.vectors[kD];
  prediction.y_is_d = true;
  prediction.y.resize(d.size());
  if (input.is_pair_alone) return;
  pass(d.size(), [&](const Block& block) { combine(block.size, {{1.0, block.at(d)}}, block.at(prediction.y)); });
}

void SecantStepModel::pullback(const Input&, const Vector& d_y, std::vector<Vector>& d_vectors, Vector&) const {
  d_vectors[kD] += d_y;
}

void ResidualModel::predict(const Input& input, Prediction& prediction) const {
  const Vector &d = input.vectors[kD], &B_delta_g = input.vectors[kBDeltaG];
  prediction.y.resize(d.size());
  pass(d.size(), [&](const Block& block) {
    combine(block.size, {{1.0, block.at(d)}, {-1.0, block.at(B_delta_g)}}, block.at(prediction.y));
  });
}

void ResidualModel::pullback(const Input&, const Vector& d_y, std::vector<Vector>& d_vectors, Vector&) const {
  d_vectors[kD] += d_y;
  d_vectors[kBDeltaG] -= d_y;
}

bool SafeResidualModel::is_safe(const Input& input) {
  const double s = input.products.dg_d, b = input.products.dg_Bdg;
  return s > 0.0 && b > 0.0 && is_positive_definite(phi_of_weight(1.0, s, b), std::numeric_limits<double>::infinity());
}

void SafeResidualModel::predict(const Input& input, Prediction& prediction) const {
  prediction.replaced = prediction.y_is_d = !is_safe(input);
  const Vector &d = input.vectors[kD], &B_delta_g = input.vectors[kBDeltaG];
  prediction.y.resize(d.size());
  pass(d.size(), [&](const Block& block) {
    if (prediction.replaced)
      combine(block.size, {{1.0, block.at(d)}}, block.at(prediction.y));
    else
      combine(block.size, {{1.0, block.at(d)}, {-1.0, block.at(B_delta_g)}}, block.at(prediction.y));
  });
}

void SafeResidualModel::pullback(const Input& input, const Vector& d_y, std::vector<Vector>& d_vectors, Vector&) const {
  d_vectors[kD] += d_y;
  if (is_safe(input)) d_vectors[kBDeltaG] -= d_y;
}

void NoModel::predict(const Input&, Prediction& prediction) const { prediction.y.resize(0); }

}  // namespace loa
