// LOA: bfgs+d with a learned controller. The structure is that of algorithm/bfgs_plus.cc; the model chooses y in
// Broyden's family, the initial scale of B and the first trial of the line search from scalars without unit
// (model/invariant_controller.h). theta = 0 is bfgs+d.
#include "algorithm/bfgs_plus.h"
#include "algorithm/named.h"
#include "model/invariant_controller.h"
#include "oracle/oracles.h"

namespace loa {

Algorithm loa_controlled(const HyperParameters& hyper_parameters, const Weights& weights) {
  Algorithm algorithm = bfgs_plus_with("loa", hyper_parameters, InitialMatrix::kDiagonal);
  algorithm.oracle = invariant_oracle(hyper_parameters);
  algorithm.model = std::make_shared<InvariantController>(weights.theta);
  return algorithm;
}

}  // namespace loa
