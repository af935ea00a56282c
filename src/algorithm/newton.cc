// x_{k+1} = x_k - gamma (H_k + tau I)^{-1} g_k, tau > 0 only where the Hessian is not positive definite.
#include "algorithm/named.h"
#include "model/classical_models.h"
#include "oracle/oracles.h"
#include "storage/storages.h"
#include "update/updates.h"

namespace loa {

Algorithm newton(const HyperParameters& hyper_parameters) {
  return {.name = "newton",
          .oracle = newton_oracle(hyper_parameters),
          .model = std::make_shared<NoModel>(),
          .update = newton_update(),
          .storage = newton_storage(),
          .line_search = make_line_search(kDefaultLineSearch)};
}

}  // namespace loa
