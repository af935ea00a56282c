// LOA and L-LOA: bfgs+ and l-bfgs+ with a learned controller. The structure is that of algorithm/bfgs_plus.cc and
// l_bfgs_plus.cc; the model chooses y in Broyden's family, the initial scale of B and the first trial of the line
// search from scalars without unit (model/invariant_controller.h). theta = 0 is that method.
#include <utility>

#include "algorithm/named.h"
#include "model/invariant_controller.h"
#include "oracle/oracles.h"
#include "storage/storages.h"
#include "update/updates.h"

namespace loa {

namespace {

Algorithm controlled(const char* name, const HyperParameters& hyper_parameters, const Weights& weights,
                     MakeInverseHessian make_B) {
  return {.name = name,
          .oracle = invariant_oracle(hyper_parameters),
          .model = std::make_shared<InvariantController>(weights.theta),
          .update = secant_update(),
          .storage = quasi_newton_storage(hyper_parameters, std::move(make_B)),
          .line_search = make_line_search("weak-wolfe", {.c2 = 0.97})};
}

}  // namespace

Algorithm loa_controlled(const HyperParameters& hyper_parameters, const Weights& weights) {
  return controlled("loa", hyper_parameters, weights, refreshed());
}

Algorithm l_loa(const HyperParameters& hyper_parameters, const Weights& weights) {
  return controlled("l-loa", hyper_parameters, weights, conjugated(hyper_parameters, InitialMatrix::kScale));
}

}  // namespace loa
