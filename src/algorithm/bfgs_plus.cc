// BFGS+: BFGS with all that is known to save evaluations and needs no learning. Each part works alone:
//
//   oracle       values of f in the secant equation             oracle/function_value_secant.h
//   storage      refreshed initial scale, conjugated pairs      linalg/refreshed_inverse_hessian.h
//   line search  weak Wolfe conditions, few trials              line_search/weak_wolfe.h
#include "algorithm/named.h"
#include "model/classical_models.h"
#include "oracle/oracles.h"
#include "storage/storages.h"
#include "update/updates.h"

namespace loa {

Algorithm bfgs_plus(const HyperParameters& hyper_parameters) {
  return {.name = "bfgs+",
          .oracle = quasi_newton_oracle(hyper_parameters, SecantEquation::kFunctionValues),
          .model = std::make_shared<SecantStepModel>(),
          .update = secant_update(),
          .storage = quasi_newton_storage(hyper_parameters, refreshed()),
          .line_search = make_line_search("weak-wolfe", {.c2 = 0.97})};
}

}  // namespace loa
