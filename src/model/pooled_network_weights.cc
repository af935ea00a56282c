#include "model/pooled_network_weights.h"

#include "base/strict_json.h"
#include "base/text.h"
#include "model/architecture.h"
#include "model/pole_guard.h"

namespace loa {

Weights pooled_network_weights(Vector theta) { return make_weights(architecture_for("loa-bfgs"), std::move(theta)); }

Error check_pooled_network(const Weights& weights) { return check_weights(weights, architecture_for("loa-bfgs")); }

Error make_pooled_network(const Weights& weights, std::shared_ptr<const PooledNetwork>& network) {
  if (Error mistake = check_pooled_network(weights)) return mistake;
  network = std::make_shared<const PooledNetwork>(weights.theta);
  return {};
}

Error make_pooled_model(const Weights& weights, std::shared_ptr<const Model>& model) {
  std::shared_ptr<const PooledNetwork> network;
  if (Error mistake = make_pooled_network(weights, network)) return mistake;
  model = network;
  const auto found = weights.metadata.find(kPoleGuard);
  if (found == weights.metadata.end()) return {};
  double pole_guard = 0.0;
  if (parse_real(found->second, pole_guard) != ParsedReal::kOk || !(pole_guard >= 0.0 && pole_guard < 1.0))
    return std::string(kPoleGuard) + " is " + in_quotes(found->second) + ", expected a number in [0, 1)";
  if (pole_guard > 0.0) model = std::make_shared<const PoleGuard>(network, pole_guard);
  return {};
}

}  // namespace loa
