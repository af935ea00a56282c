// theta on disk: a safetensors file with named tensors and metadata.
//
// Layer: model.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "loa/error.h"
#include "loa/export.h"
#include "loa/model.h"

LOA_EXPORT_BEGIN
namespace loa {

// theta, and where it comes from.
struct Weights {
  Vector theta;                                 // all blocks one after the other
  std::vector<ParameterBlock> blocks;           // which part of theta is what
  std::map<std::string, std::string> metadata;  // architecture, column order, training recipe, seed, version
};

// Both return no error on success and one line saying what is wrong otherwise. Reading understands safetensors
// (float64 or float32) and the JSON layout in which the paper's authors' weights are exchanged; it executes nothing.
Error load_weights(const std::string& path, Weights& weights);
Error save_weights(const Weights& weights, const std::string& path);

// The learned algorithm that the weights are for. REQUIRES: they were loaded, or made for one.
std::string algorithm_of(const Weights& weights);

// A row of builtin_weights().
struct WeightsInfo {
  std::string name;
  std::string algorithm;  // the algorithm they are for
  std::string description;
};

// The weights that are compiled in.
const std::vector<WeightsInfo>& builtin_weights();

// Built-in weights by name, or else a file. Returns what is wrong, if anything is.
Error find_weights(const std::string& name_or_path, Weights& weights);

}  // namespace loa
LOA_EXPORT_END
