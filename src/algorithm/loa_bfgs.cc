// LOA-BFGS: Algorithm 2 (algo::L2OQN) of the paper, y_k predicted by the pooled network of Fig. 2.
#include <stdexcept>

#include "algorithm/named.h"
#include "model/pooled_network_weights.h"
#include "oracle/oracles.h"
#include "storage/storages.h"
#include "update/updates.h"

namespace loa {

Algorithm loa_bfgs(const HyperParameters& hyper_parameters, const Weights& weights) {
  std::shared_ptr<const Model> network;
  if (const Error error = make_pooled_model(weights, network))
    throw std::invalid_argument("loa-bfgs: " + error.message());
  return {.name = "loa-bfgs",
          .oracle = quasi_newton_oracle(hyper_parameters),    // I_k = (B dg, d, -gamma B g)
          .model = network,                                   // y_k = M_theta(I_k)
          .update = secant_update(),                          // U = -gamma B_k g_k, B_k by Eq. (6)
          .storage = quasi_newton_storage(hyper_parameters),  // S_{k+1} = {x_k, g_k, B_k}
          .line_search = kDefaultLineSearch};
}

}  // namespace loa
