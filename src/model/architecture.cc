// Every check names the block and the entry: a weights file that does not fit is a puzzle otherwise.
#include "model/architecture.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/strict_json.h"
#include "base/text.h"
#include "core/invariant_features.h"
#include "model/invariant_controller.h"
#include "model/pooled_network_weights.h"
#include "model/recurrent_network.h"

namespace loa {
namespace {

std::string controller_order() {
  return join(std::vector<std::string>(kInvariantFeatureNames.begin(), kInvariantFeatureNames.end()));
}

std::string controller_text() {
  return "linear " + std::to_string(kNumInvariantFeatures) + "-" + std::to_string(InvariantController::kNumOutputs) +
         " with zones";
}

std::string shape_text(const ParameterBlock& block) {
  return std::to_string(block.rows) + " x " + std::to_string(block.cols);
}

Error check_metadata(const Weights& weights, const std::string& key, const std::string& expected) {
  const auto found = weights.metadata.find(key);
  if (found == weights.metadata.end() || found->second == expected) return {};
  return key + " is " + in_quotes(found->second) + ", expected " + in_quotes(expected);
}

Error check_values(const Weights& weights, const ParameterBlock& block) {
  for (Index i = 0; i < block.rows * block.cols; ++i) {
    if (!std::isfinite(weights.theta[block.offset + i])) {
      return block.name + "[" + std::to_string(i / block.cols) + "][" + std::to_string(i % block.cols) +
             "] is not finite";
    }
  }
  return {};
}

// Weights of another algorithm differ in everything: say so at once.
Error check_algorithm(const Weights& weights, const Architecture& architecture) {
  const auto found = weights.metadata.find("architecture");
  if (found == weights.metadata.end()) return {};
  for (const Architecture& other : architectures())
    if (other.text == found->second && other.algorithm != architecture.algorithm)
      return "found weights of " + other.algorithm + ", expected weights of " + architecture.algorithm;
  return {};
}

template <RecurrentKind kind>
Vector random_recurrent_start(std::uint64_t seed) {
  return RecurrentNetwork::random_start(kind, seed);
}

}  // namespace

const std::vector<Architecture>& architectures() {
  static const std::vector<Architecture> all = {
      {"loa-bfgs",
       kPooledNetworkArchitecture,
       kPooledNetworkColumnOrder,
       PooledNetwork::layout(),
       {{"bfgs-like", PooledNetwork::bfgs_like_start},
        {"sr1-like", PooledNetwork::sr1_like_start},
        {"random", PooledNetwork::random_start}}},
      {"loa",
       controller_text(),
       controller_order(),
       InvariantController::layout(),
       {{"zero", InvariantController::zero_start}}},
      {"l2l-gd",
       "lstm 2-20-20-1",
       "log|g|/10, sign g",
       RecurrentNetwork::layout(RecurrentKind::kL2lGd),
       {{"random", random_recurrent_start<RecurrentKind::kL2lGd>}}},
      {"rnnprop",
       "elu 2-20, lstm 20-20-20-1, tanh",
       "m/sqrt(v), g/sqrt(v)",
       RecurrentNetwork::layout(RecurrentKind::kRnnprop),
       {{"random", random_recurrent_start<RecurrentKind::kRnnprop>}}},
  };
  return all;
}

const Architecture& architecture_for(const std::string& algorithm) {
  for (const Architecture& architecture : architectures())
    if (architecture.algorithm == algorithm) return architecture;
  throw std::invalid_argument("expected a learned algorithm, found " + in_quotes(algorithm));
}

Weights make_weights(const Architecture& architecture, Vector theta) {
  return {.theta = std::move(theta),
          .blocks = architecture.blocks,
          .metadata = {{"architecture", architecture.text}, {"column_order", architecture.column_order}}};
}

Error check_weights(const Weights& weights, const Architecture& architecture) {
  const std::vector<ParameterBlock>& expected = architecture.blocks;
  if (Error mistake = check_algorithm(weights, architecture)) return mistake;
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
  if (weights.theta.size() != architecture.num_parameters()) {
    return "found " + std::to_string(weights.theta.size()) + " weights, expected " +
           std::to_string(architecture.num_parameters());
  }
  for (const ParameterBlock& block : expected) {
    if (Error mistake = check_values(weights, block)) return mistake;
  }
  if (Error mistake = check_metadata(weights, "architecture", architecture.text)) return mistake;
  return check_metadata(weights, "column_order", architecture.column_order);
}

const Architecture* find_architecture(const std::map<std::string, std::string>& metadata,
                                      const std::vector<std::string>& names) {
  const auto text = metadata.find("architecture");
  for (const Architecture& architecture : architectures())
    if (text != metadata.end() && text->second == architecture.text) return &architecture;
  for (const Architecture& architecture : architectures()) {
    const auto has_block = [&architecture](const std::string& name) {
      return std::any_of(architecture.blocks.begin(), architecture.blocks.end(),
                         [&name](const ParameterBlock& block) { return block.name == name; });
    };
    if (names.size() == architecture.blocks.size() && std::all_of(names.begin(), names.end(), has_block))
      return &architecture;
  }
  return nullptr;
}

}  // namespace loa
