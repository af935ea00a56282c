// l2l-gd, the learned optimizer of Andrychowicz et al. (2016), called LLGD in the paper: a network with a memory reads
// each coordinate of the gradient and says how far to go,
//
//   (y_k, hidden_{k+1}) = LSTM(g_k, hidden_k),   x_{k+1} = x_k + gamma y_k
#include <stdexcept>

#include "algorithm/named.h"
#include "model/architecture.h"
#include "model/recurrent_network.h"
#include "oracle/oracles.h"
#include "storage/storages.h"
#include "update/updates.h"

namespace loa {

Algorithm l2l_gd(const HyperParameters& hyper_parameters, const Weights& weights) {
  if (const Error error = check_weights(weights, architecture_for("l2l-gd")))
    throw std::invalid_argument("l2l-gd: " + error.message());
  return {.name = "l2l-gd",
          .oracle = l2l_gd_oracle(hyper_parameters),
          .model = std::make_shared<RecurrentNetwork>(RecurrentKind::kL2lGd, weights.theta),
          .update = predicted_step_update(),
          .storage = l2l_gd_storage(),
          .line_search = "fixed"};
}

}  // namespace loa
