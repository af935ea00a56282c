// BFGS+: BFGS with an initial scale that is refreshed over the first pairs (linalg/refreshed_inverse_hessian.h).
#include "algorithm/named.h"
#include "model/classical_models.h"
#include "oracle/oracles.h"
#include "storage/storages.h"
#include "update/updates.h"

namespace loa {

Algorithm bfgs_plus(const HyperParameters& hyper_parameters) {
  return {.name = "bfgs+",
          .oracle = quasi_newton_oracle(hyper_parameters),
          .model = std::make_shared<SecantStepModel>(),
          .update = secant_update(),
          .storage = quasi_newton_storage(hyper_parameters, refreshed(PairsKept::kSecant)),
          .line_search = kDefaultLineSearch};
}

}  // namespace loa
