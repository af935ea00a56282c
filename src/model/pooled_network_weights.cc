// Every check names the block and the entry: a weights file that does not fit is a puzzle otherwise.
#include "model/pooled_network_weights.h"

#include <cmath>

#include "base/strict_json.h"
#include "base/text.h"
#include "model/pole_guard.h"

namespace loa {
namespace {

std::string shape_text(const ParameterBlock& block) {
  return std::to_string(block.rows) + " x " + std::to_string(block.cols);
}

std::string check_metadata(const Weights& weights, const std::string& key, const std::string& expected) {
  const auto found = weights.metadata.find(key);
  if (found == weights.metadata.end() || found->second == expected) return "";
  return key + " is " + in_quotes(found->second) + ", expected " + in_quotes(expected);
}

std::string check_values(const Weights& weights, const ParameterBlock& block) {
  for (Index i = 0; i < block.rows * block.cols; ++i) {
    if (!std::isfinite(weights.theta[block.offset + i])) {
      return block.name + "[" + std::to_string(i / block.cols) + "][" + std::to_string(i % block.cols) +
             "] is not finite";
    }
  }
  return "";
}

}  // namespace

Weights pooled_network_weights(Vector theta) {
  return {.theta = std::move(theta),
          .blocks = PooledNetwork::layout(),
          .metadata = {{"architecture", kPooledNetworkArchitecture}, {"column_order", kPooledNetworkColumnOrder}}};
}

std::string check_pooled_network(const Weights& weights) {
  const std::vector<ParameterBlock> expected = PooledNetwork::layout();
  if (weights.blocks.size() != expected.size()) {
    return "found " + std::to_string(weights.blocks.size()) + " blocks, expected " + std::to_string(expected.size());
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const ParameterBlock& block = weights.blocks[i];
    if (block.name != expected[i].name) {
      return "block " + std::to_string(i) + " is " + in_quotes(block.name) + ", expected " +
             in_quotes(expected[i].name);
    }
    if (block.rows != expected[i].rows || block.cols != expected[i].cols) {
      return block.name + " is " + shape_text(block) + ", expected " + shape_text(expected[i]);
    }
    if (block.offset != expected[i].offset) {
      return block.name + " starts at " + std::to_string(block.offset) + ", expected " +
             std::to_string(expected[i].offset);
    }
  }
  if (weights.theta.size() != PooledNetwork::kNumParameters) {
    return "found " + std::to_string(weights.theta.size()) + " weights, expected " +
           std::to_string(PooledNetwork::kNumParameters);
  }
  for (const ParameterBlock& block : expected) {
    if (std::string mistake = check_values(weights, block); !mistake.empty()) return mistake;
  }
  std::string mistake = check_metadata(weights, "architecture", kPooledNetworkArchitecture);
  return mistake.empty() ? check_metadata(weights, "column_order", kPooledNetworkColumnOrder) : mistake;
}

std::string make_pooled_network(const Weights& weights, std::shared_ptr<const PooledNetwork>& network) {
  if (std::string mistake = check_pooled_network(weights); !mistake.empty()) return mistake;
  network = std::make_shared<const PooledNetwork>(weights.theta);
  return "";
}

std::string make_pooled_model(const Weights& weights, std::shared_ptr<const Model>& model) {
  std::shared_ptr<const PooledNetwork> network;
  if (std::string mistake = make_pooled_network(weights, network); !mistake.empty()) return mistake;
  model = network;
  const auto found = weights.metadata.find(kPoleGuard);
  if (found == weights.metadata.end()) return "";
  double pole_guard = 0.0;
  if (parse_real(found->second, pole_guard) != ParsedReal::kOk || !(pole_guard >= 0.0 && pole_guard < 1.0))
    return std::string(kPoleGuard) + " is " + in_quotes(found->second) + ", expected a number in [0, 1)";
  if (pole_guard > 0.0) model = std::make_shared<const PoleGuard>(network, pole_guard);
  return "";
}

}  // namespace loa
