// Between Weights, which can be any file, and the learned models, which take so many finite numbers in one order.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "loa/error.h"
#include "loa/weights.h"

namespace loa {

// A start of training, made from a seed.
struct NamedStart {
  std::string name;
  Vector (*theta)(std::uint64_t seed);
};

// A learned model as seen from its weights: for each learned algorithm there is one.
struct Architecture {
  std::string algorithm;
  std::string text;          // metadata "architecture": a file that says something else is refused
  std::string column_order;  // likewise
  std::vector<ParameterBlock> blocks;
  std::vector<NamedStart> starts = {};  // the first is its own one

  Index num_parameters() const { return blocks.back().offset + blocks.back().rows * blocks.back().cols; }
};

const std::vector<Architecture>& architectures();

// REQUIRES: there is one for the algorithm.
const Architecture& architecture_for(const std::string& algorithm);

// theta with its blocks and metadata. REQUIRES: theta has the right length.
Weights make_weights(const Architecture& architecture, Vector theta);

// Returns no error when blocks, length, values and metadata are those of the architecture, or what is wrong.
Error check_weights(const Weights& weights, const Architecture& architecture);

// What the metadata names, or else the one whose blocks have these names; null when that is none.
const Architecture* find_architecture(const std::map<std::string, std::string>& metadata,
                                      const std::vector<std::string>& names);

}  // namespace loa
