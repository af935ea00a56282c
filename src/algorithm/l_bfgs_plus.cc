// L-BFGS with conjugated pairs (linalg/conjugated_pairs.h), on a diagonal that has to prove itself
// (linalg/earned_diagonal.h) or on a scale.
#include "algorithm/named.h"
#include "model/classical_models.h"
#include "oracle/oracles.h"
#include "storage/storages.h"
#include "update/updates.h"

namespace loa {
namespace {

Algorithm make(const char* name, const HyperParameters& hyper_parameters, InitialMatrix initial) {
  return {.name = name,
          .oracle = quasi_newton_oracle(hyper_parameters),
          .model = std::make_shared<SecantStepModel>(),
          .update = secant_update(),
          .storage = quasi_newton_storage(hyper_parameters, conjugated(hyper_parameters, initial)),
          .line_search = kDefaultLineSearch};
}

}  // namespace

Algorithm l_bfgs_plus(const HyperParameters& hyper_parameters) {
  return make("l-bfgs+", hyper_parameters, InitialMatrix::kDiagonal);
}

Algorithm l_bfgs_plus_r(const HyperParameters& hyper_parameters) {
  return make("l-bfgs+r", hyper_parameters, InitialMatrix::kScale);
}

}  // namespace loa
