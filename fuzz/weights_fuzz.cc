#include <stdexcept>

#include "fuzz/target.h"
#include "loa/algorithm.h"
#include "loa/weights.h"
#include "model/parse_weights.h"

// Reads weights, as safetensors or JSON, and makes the algorithm that they are for.
LOA_FUZZ_TARGET(weights) {
  // The layout of the paper's authors is JSON too, and has this key.
  const bool is_json = bytes.find("average_block") != bytes.npos;
  loa::Weights weights;
  const std::string text = is_json ? std::string(bytes) : loa::fuzz::tensor_bytes(bytes);
  const std::string error = loa::parse_weights(text, "file", weights).message();
  loa::fuzz::require_error_line(error, "file: ");
  if (!error.empty()) return false;
  loa::fuzz::require(weights.theta.allFinite(), "finite weights", "others");
  try {
    loa::make_algorithm(loa::algorithm_of(weights), {}, weights);
  } catch (const std::invalid_argument&) {  // metadata that say something else
  }
  return true;
}
