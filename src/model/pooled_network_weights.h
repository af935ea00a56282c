// Between Weights, which can be any file, and PooledNetwork, which takes 216 finite numbers in one order.
#pragma once

#include <memory>
#include <string>

#include "loa/error.h"
#include "loa/weights.h"
#include "model/pooled_network.h"

namespace loa {

// Metadata of every file of this model; a file that says something else is refused.
inline constexpr char kPooledNetworkArchitecture[] = "pooled-network 3-6-12-3 | 6-12-1 + 6-1";
inline constexpr char kPooledNetworkColumnOrder[] = "avg0, avg1, avg2, B dg, d, -gamma B g";

// theta with its blocks, architecture and column order. REQUIRES: theta has PooledNetwork::kNumParameters values.
Weights pooled_network_weights(Vector theta);

// Returns no error when blocks, length, values and metadata are those of a PooledNetwork, or what is wrong.
Error check_pooled_network(const Weights& weights);

// The network with these weights. Returns what is wrong, if anything is.
Error make_pooled_network(const Weights& weights, std::shared_ptr<const PooledNetwork>& network);

// Metadata of weights that were trained behind a PoleGuard: its width.
inline constexpr char kPoleGuard[] = "pole_guard";

// The whole model: the network, behind a PoleGuard if the metadata say so.
Error make_pooled_model(const Weights& weights, std::shared_ptr<const Model>& model);

}  // namespace loa
