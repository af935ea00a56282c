// Files are told apart by content. A safetensors file starts with a header length below 2^32 in eight bytes, so some of
// them are zero; no JSON text has a zero byte.
#include "loa/weights.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <mutex>

#include "base/file.h"
#include "base/strict_json.h"
#include "base/text.h"
#include "linalg/tensor_file.h"
#include "loa/version.h"
#include "model/architecture.h"
#include "model/embedded_weights.h"
#include "model/invariant_controller.h"
#include "model/parse_weights.h"
#include "model/pooled_network.h"
#include "model/weights_json.h"

namespace loa {
namespace {

bool looks_like_safetensors(std::string_view bytes) { return bytes.substr(0, 8).find('\0') != bytes.npos; }

bool looks_like_json(std::string_view bytes) {
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  return first != bytes.npos && bytes[first] == '{';
}

std::string shape_text(const std::vector<Index>& shape) {
  std::string text;
  for (const Index extent : shape) text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text.empty() ? "a single number" : text;
}

// What is not recognized is measured against the paper's own model.
const Architecture& architecture_or_default(const Architecture* found) {
  return found == nullptr ? architectures().front() : *found;
}

const Architecture& architecture_of(const Weights& weights) {
  std::vector<std::string> names;
  for (const ParameterBlock& block : weights.blocks) names.push_back(block.name);
  return architecture_or_default(find_architecture(weights.metadata, names));
}

// Puts the tensors of a file one after the other. Returns what is wrong, if anything is.
Error join_tensors(const TensorFile& file, Weights& weights) {
  std::vector<std::string> names;
  for (const auto& [name, unused] : file.tensors) names.push_back(name);
  const Architecture& architecture = architecture_or_default(find_architecture(file.metadata, names));
  weights = make_weights(architecture, Vector::Zero(architecture.num_parameters()));
  for (const auto& [name, unused] : file.tensors) {
    const auto has_name = [&name = name](const ParameterBlock& block) { return block.name == name; };
    if (std::none_of(weights.blocks.begin(), weights.blocks.end(), has_name)) {
      return "unknown tensor " + in_quotes(name) + ", not weights of " + architecture.text;
    }
  }
  for (const ParameterBlock& block : weights.blocks) {
    const auto found = file.tensors.find(block.name);
    if (found == file.tensors.end()) {
      return "tensor " + in_quotes(block.name) + " is missing, not weights of " + architecture.text;
    }
    const Tensor& tensor = found->second;
    const std::vector<Index> expected = {block.rows, block.cols};
    if (tensor.shape != expected) {
      return "tensor " + in_quotes(block.name) + " is " + shape_text(tensor.shape) + ", expected " +
             shape_text(expected);
    }
    std::copy(tensor.values.begin(), tensor.values.end(), weights.theta.data() + block.offset);
  }
  for (const auto& [key, value] : file.metadata) weights.metadata[key] = value;
  return {};
}

// --- built-in weights ------------------------------------------------------------------------------------------------

struct Builtin {
  WeightsInfo info;
  Vector (*theta)(std::uint64_t seed);  // null for weights that are compiled in from a file of the same name
  std::uint64_t seed;
};

const std::vector<Builtin>& builtins() {
  static const std::vector<Builtin> all = {
      {{"loa", "loa", "the default: problems of two origins, loa train --preset loa"}, nullptr, 0},
      {{"loa-zero", "loa", "where training starts: loa is bfgs+d"}, InvariantController::zero_start, 0},
      {{"loa-bfgs", "loa-bfgs", "the default: trained by us, loa train --preset best"}, nullptr, 0},
      {{"loa-bfgs-paper", "loa-bfgs", "the paper's training to the letter, loa train --preset paper"}, nullptr, 0},
      {{"bfgs-like", "loa-bfgs", "where training starts: y = d, which makes LOA-BFGS the same as BFGS"},
       PooledNetwork::bfgs_like_start,
       0},
      {{"random", "loa-bfgs", "untrained, every layer uniform: the start that the paper advises against"},
       PooledNetwork::random_start,
       0},
      {{"l2l-gd", "l2l-gd", "the default: small random quadratics as in its own paper, loa train --preset l2l-gd"},
       nullptr,
       0},
      {{"l2l-gd-quadratics", "l2l-gd", "the paper's quadratics, loa train --preset l2l-gd-quadratics"}, nullptr, 0},
      {{"rnnprop", "rnnprop", "the default: rescaled random quadratics, loa train --preset rnnprop"}, nullptr, 0},
      {{"rnnprop-quadratics", "rnnprop", "the paper's quadratics, loa train --preset rnnprop-quadratics"}, nullptr, 0},
  };
  return all;
}

std::atomic<std::int64_t> num_parsed = 0;

}  // namespace

Error parse_weights(const std::string& bytes, const std::string& name, Weights& weights) {
  ++num_parsed;
  Weights loaded;
  Error mistake;
  if (looks_like_safetensors(bytes)) {
    TensorFile file;
    if (Error unreadable = file.read_bytes(bytes, name)) return unreadable;
    mistake = join_tensors(file, loaded);
  } else if (looks_like_json(bytes)) {
    mistake = parse_weights_json(bytes, loaded);
  } else {
    mistake = "neither a safetensors file nor a JSON object, expected weights";
  }
  if (!mistake) mistake = check_weights(loaded, architecture_of(loaded));
  if (mistake) return name + ": " + mistake.message();
  weights = std::move(loaded);
  return {};
}

std::int64_t num_parsed_weights() { return num_parsed; }

namespace {

// Parsed when they are first asked for, once a process.
Error parse_embedded(const std::string& name, Weights& weights) {
  static std::mutex mutex;
  static std::map<std::string, Weights> parsed;
  const std::lock_guard lock(mutex);
  if (const auto found = parsed.find(name); found != parsed.end()) {
    weights = found->second;
    return {};
  }
  for (const EmbeddedFile& file : embedded_weights()) {
    if (name != file.name) continue;
    const std::string bytes(reinterpret_cast<const char*>(file.data), file.size);
    if (Error error = parse_weights(bytes, name, weights)) return error;
    parsed[name] = weights;
    return {};
  }
  return name + ": expected among the weights that are compiled in, found none";
}

}  // namespace

std::string algorithm_of(const Weights& weights) { return architecture_of(weights).algorithm; }

Error load_weights(const std::string& path, Weights& weights) {
  std::string bytes;
  if (Error mistake = read_file(path, bytes, kWeightsFile)) return printable(mistake.message());
  return parse_weights(bytes, printable(path), weights);
}

Error save_weights(const Weights& weights, const std::string& path) {
  const Architecture& architecture = architecture_of(weights);
  if (Error mistake = check_weights(weights, architecture)) {
    return printable(path) + ": not written: " + mistake.message();
  }
  TensorFile file;
  for (const ParameterBlock& block : weights.blocks) {
    const double* first = weights.theta.data() + block.offset;
    file.tensors[block.name] = {{block.rows, block.cols}, {first, first + block.rows * block.cols}};
  }
  file.metadata = weights.metadata;
  file.metadata["architecture"] = architecture.text;
  file.metadata["column_order"] = architecture.column_order;
  file.metadata["loa_version"] = LOA_VERSION;
  return printable(file.write(path).message());
}

const std::vector<WeightsInfo>& builtin_weights() {
  static const std::vector<WeightsInfo> infos = [] {
    std::vector<WeightsInfo> result;
    for (const Builtin& builtin : builtins()) result.push_back(builtin.info);
    return result;
  }();
  return infos;
}

Error find_weights(const std::string& name_or_path, Weights& weights) {
  std::string names;
  for (const Builtin& builtin : builtins()) {
    if (builtin.info.name == name_or_path) {
      if (builtin.theta == nullptr) return parse_embedded(name_or_path, weights);
      weights = make_weights(architecture_for(builtin.info.algorithm), builtin.theta(builtin.seed));
      weights.metadata["seed"] = std::to_string(builtin.seed);
      weights.metadata["loa_version"] = LOA_VERSION;
      return {};
    }
    names += (names.empty() ? "" : ", ") + builtin.info.name;
  }
  std::error_code error;
  if (std::filesystem::exists(name_or_path, error)) return load_weights(name_or_path, weights);
  return "found weights " + in_quotes(name_or_path) + ", expected a file that exists or one of " + names;
}

}  // namespace loa
