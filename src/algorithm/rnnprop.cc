// rnnprop, the learned optimizer of Lv, Jiang and Li (2017): Adam's moments go through a network with a memory,
//
//   (y_k, hidden_{k+1}) = LSTM(mhat_k/sqrt(vhat_k), g_k/sqrt(vhat_k), hidden_k),   x_{k+1} = x_k + gamma y_k,   |y| < 1
#include <stdexcept>

#include "algorithm/named.h"
#include "model/architecture.h"
#include "model/recurrent_network.h"
#include "oracle/oracles.h"
#include "storage/storages.h"
#include "update/updates.h"

namespace loa {

Algorithm rnnprop(const HyperParameters& hyper_parameters, const Weights& weights) {
  if (const Error error = check_weights(weights, architecture_for("rnnprop")))
    throw std::invalid_argument("rnnprop: " + error.message());
  return {.name = "rnnprop",
          .oracle = rnnprop_oracle(hyper_parameters),
          .model = std::make_shared<RecurrentNetwork>(RecurrentKind::kRnnprop, weights.theta),
          .update = predicted_step_update(),
          .storage = rnnprop_storage(),
          .line_search = "fixed"};
}

}  // namespace loa
