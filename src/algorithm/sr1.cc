// SR1, the symmetric rank-one method: Algorithm 2 with y_k = r_k = d_k - B_{k-1} dg_k.
#include "algorithm/named.h"
#include "model/classical_models.h"
#include "oracle/oracles.h"
#include "storage/storages.h"
#include "update/updates.h"

namespace loa {

Algorithm sr1(const HyperParameters& hyper_parameters) {
  return {.name = "sr1",
          .oracle = quasi_newton_oracle(hyper_parameters),
          .model = std::make_shared<ResidualModel>(),
          .update = secant_update(),
          .storage = quasi_newton_storage(hyper_parameters),
          .line_search = make_line_search(kDefaultLineSearch)};
}

}  // namespace loa
