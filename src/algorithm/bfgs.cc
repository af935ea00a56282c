// BFGS: Algorithm 2 with y_k = d_k (Broyden, Fletcher, Goldfarb, Shanno 1970).
#include "algorithm/named.h"
#include "model/classical_models.h"
#include "oracle/oracles.h"
#include "storage/storages.h"
#include "update/updates.h"

namespace loa {

Algorithm bfgs(const HyperParameters& hyper_parameters) {
  return {.name = "bfgs",
          .oracle = quasi_newton_oracle(hyper_parameters),
          .model = std::make_shared<SecantStepModel>(),
          .update = secant_update(),
          .storage = bfgs_storage(hyper_parameters),
          .line_search = make_line_search(kDefaultLineSearch)};
}

}  // namespace loa
