// LOA: bfgs+ with a learned controller. The structure is that of algorithm/bfgs_plus.cc; the model chooses y in
// Broyden's family, the initial scale of B and the first trial of the line search from scalars without unit
// (model/invariant_controller.h). theta = 0 is bfgs+.
#include "algorithm/named.h"
#include "model/invariant_controller.h"
#include "oracle/oracles.h"
#include "storage/storages.h"
#include "update/updates.h"

namespace loa {

Algorithm loa_controlled(const HyperParameters& hyper_parameters, const Weights& weights) {
  return {.name = "loa",
          .oracle = invariant_oracle(hyper_parameters),
          .model = std::make_shared<InvariantController>(weights.theta),
          .update = secant_update(),
          .storage = quasi_newton_storage(hyper_parameters, refreshed()),
          .line_search = make_line_search("weak-wolfe", {.c2 = 0.97})};
}

}  // namespace loa
