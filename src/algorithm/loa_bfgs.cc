// LOA-BFGS: Algorithm 2 (algo::L2OQN) of the paper, y_k predicted by the pooled network of Fig. 2.
#include "algorithm/named.h"
#include "model/pooled_network.h"
#include "oracle/oracles.h"
#include "storage/storages.h"
#include "update/updates.h"

namespace loa {

Algorithm loa_bfgs(const HyperParameters& hyper_parameters, const Weights& weights) {
  return {.name = "loa-bfgs",
          .oracle = quasi_newton_oracle(hyper_parameters),          // I_k = (B dg, d, -gamma B g)
          .model = std::make_shared<PooledNetwork>(weights.theta),  // y_k = M_theta(I_k)
          .update = secant_update(),                                // U = -gamma B_k g_k, B_k by Eq. (6)
          .storage = quasi_newton_storage(hyper_parameters),        // S_{k+1} = {x_k, g_k, B_k}
          .line_search = kDefaultLineSearch};
}

}  // namespace loa
