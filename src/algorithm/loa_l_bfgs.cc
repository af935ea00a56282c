// LOA-L-BFGS: Algorithm 2 (algo::L2OQN) with B_k made of the last m triples. It takes the weights of loa-bfgs.
#include <stdexcept>

#include "algorithm/named.h"
#include "model/pooled_network_weights.h"
#include "oracle/oracles.h"
#include "storage/storages.h"
#include "update/updates.h"

namespace loa {

Algorithm loa_l_bfgs(const HyperParameters& hyper_parameters, const Weights& weights) {
  std::shared_ptr<const Model> network;
  if (const Error error = make_pooled_model(weights, network))
    throw std::invalid_argument("loa-l-bfgs: " + error.message());
  return {.name = "loa-l-bfgs",
          .oracle = quasi_newton_oracle(hyper_parameters),
          .model = network,
          .update = secant_update(),
          .storage = quasi_newton_storage(hyper_parameters, limited_memory(hyper_parameters, PairsKept::kTriple)),
          .line_search = kDefaultLineSearch};
}

}  // namespace loa
