// x_{k+1} = x_k + alpha d_k - gamma g_k (Polyak 1964; Eq. (2), eq::HB), the running example of Section 3.1.
#include "algorithm/named.h"
#include "model/classical_models.h"
#include "oracle/oracles.h"
#include "storage/storages.h"
#include "update/updates.h"

namespace loa {

Algorithm heavy_ball(const HyperParameters& hyper_parameters) {
  return {.name = "heavy-ball",
          .oracle = first_order_oracle(hyper_parameters),
          .model = std::make_shared<NoModel>(),
          .update = heavy_ball_update(hyper_parameters.momentum),
          .storage = first_order_storage(),
          .line_search = make_line_search("fixed")};
}

}  // namespace loa
