// x_{k+1} = x_k - gamma g_k: heavy-ball without momentum.
#include "algorithm/named.h"
#include "model/classical_models.h"
#include "oracle/oracles.h"
#include "storage/storages.h"
#include "update/updates.h"

namespace loa {

Algorithm gradient_descent(const HyperParameters& hyper_parameters) {
  return {.name = "gradient-descent",
          .oracle = first_order_oracle(hyper_parameters),
          .model = std::make_shared<NoModel>(),
          .update = heavy_ball_update(0.0),
          .storage = first_order_storage(),
          .line_search = make_line_search(kDefaultLineSearch),
          .unit_step_is_natural = false};
}

}  // namespace loa
