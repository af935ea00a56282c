// SR1+: SR1 with an initial scale that is refreshed over the first pairs (linalg/refreshed_inverse_hessian.h).
#include "algorithm/named.h"
#include "model/classical_models.h"
#include "oracle/oracles.h"
#include "storage/storages.h"
#include "update/updates.h"

namespace loa {

Algorithm sr1_plus(const HyperParameters& hyper_parameters) {
  return {.name = "sr1+",
          .oracle = quasi_newton_oracle(hyper_parameters),
          .model = std::make_shared<ResidualModel>(),
          .update = secant_update(),
          .storage = quasi_newton_storage(hyper_parameters, refreshed(PairsKept::kTriple)),
          .line_search = kDefaultLineSearch};
}

}  // namespace loa
