// None of these allocates when prediction.y has its length already.
#include "model/classical_models.h"

#include "loa/quasi_newton_input.h"

namespace loa {

void SecantStepModel::predict(const Input& input, Prediction& prediction) const { prediction.y = input.vectors[kD]; }

void ResidualModel::predict(const Input& input, Prediction& prediction) const {
  prediction.y = input.vectors[kD] - input.vectors[kBDeltaG];
}

void NoModel::predict(const Input&, Prediction& prediction) const { prediction.y.resize(0); }

}  // namespace loa
