// Nesterov's accelerated gradient (1983), with the gradient taken at the extrapolated point:
//
//   u_{k+1} = x_k - gamma grad f(x_k),   x_{k+1} = u_{k+1} + k/(k+3) (u_{k+1} - u_k).
//
// The iterates of the loop are the extrapolated points x_k, so one evaluation an iteration is enough.
#include "algorithm/named.h"
#include "model/classical_models.h"
#include "oracle/oracles.h"
#include "storage/storages.h"
#include "update/updates.h"

namespace loa {

Algorithm nesterov(const HyperParameters& hyper_parameters) {
  return {.name = "nesterov",
          .oracle = nesterov_oracle(hyper_parameters),
          .model = std::make_shared<NoModel>(),
          .update = nesterov_update(),
          .storage = nesterov_storage(),
          .line_search = make_line_search("fixed")};
}

}  // namespace loa
