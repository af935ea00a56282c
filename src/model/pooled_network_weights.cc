#include "model/pooled_network_weights.h"

#include "model/architecture.h"

namespace loa {

Weights pooled_network_weights(Vector theta) { return make_weights(architecture_for("loa-bfgs"), std::move(theta)); }

std::string check_pooled_network(const Weights& weights) {
  return check_weights(weights, architecture_for("loa-bfgs"));
}

std::string make_pooled_network(const Weights& weights, std::shared_ptr<const PooledNetwork>& network) {
  if (std::string mistake = check_pooled_network(weights); !mistake.empty()) return mistake;
  network = std::make_shared<const PooledNetwork>(weights.theta);
  return "";
}

}  // namespace loa
