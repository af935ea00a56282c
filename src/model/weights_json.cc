// Shapes come from PooledNetwork::layout(), so the two cannot disagree.
#include "model/weights_json.h"

#include <nlohmann/json.hpp>

#include "base/strict_json.h"
#include "loa/quasi_newton_input.h"
#include "model/pooled_network_weights.h"

namespace loa {
namespace {

using nlohmann::json;

// The file, a block, a matrix, a row.
constexpr int kMaxDepth = 4;
constexpr Index kFeatures = kNumQuasiNewtonVectors;

std::string found_instead(const json& list, const char* of, std::size_t expected) {
  const std::string found = list.is_array() ? std::to_string(list.size()) + " " + of : "no list";
  return ": found " + found + ", expected " + std::to_string(expected) + " " + of;
}

bool is_list_of(const json& value, std::size_t size) { return value.is_array() && value.size() == size; }

// A matrix of the file.
struct Place {
  const json& matrix;
  const char* name;     // for messages
  bool joined = false;  // takes features and averages: in the file the features come first
};

// Copies the rows into theta.
Error parse_matrix(const Place& place, const ParameterBlock& block, Vector& theta) {
  const json& matrix = place.matrix;
  const std::string where = place.name;
  const Index shift = place.joined ? kFeatures : 0;
  const auto rows = static_cast<std::size_t>(block.rows), cols = static_cast<std::size_t>(block.cols);
  if (!is_list_of(matrix, rows)) return where + found_instead(matrix, "rows", rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::string where_row = where + "[" + std::to_string(row) + "]";
    if (!is_list_of(matrix[row], cols)) return where_row + found_instead(matrix[row], "numbers", cols);
    for (std::size_t col = 0; col < cols; ++col) {
      const json& value = matrix[row][col];
      if (!value.is_number()) return where_row + "[" + std::to_string(col) + "] is not a number";
      const Index column = (static_cast<Index>(col) + shift) % block.cols;
      theta[block.offset + static_cast<Index>(row) * block.cols + column] = value.get<double>();
    }
  }
  return {};
}

Error check_keys(const json& file) {
  for (const auto& [key, unused] : file.items()) {
    if (key != "note" && key != "average_block" && key != "output_block" && key != "linear") {
      return "unknown key " + in_quotes(key) + ", expected note, average_block, output_block, linear";
    }
  }
  for (const char* key : {"average_block", "output_block", "linear"}) {
    if (!file.contains(key)) return std::string(key) + " is missing";
  }
  if (file.contains("note") && !file["note"].is_string()) return "note is not text";
  return {};
}

}  // namespace

Error parse_weights_json(std::string_view text, Weights& weights) {
  json file;
  if (Error mistake = parse_strict_json(text, kMaxDepth, file)) return mistake;
  if (!file.is_object()) return "is not a JSON object";
  if (Error mistake = check_keys(file)) return mistake;

  constexpr std::size_t kAverageLayers = 3, kOutputLayers = 2;
  const json &average = file["average_block"], &output = file["output_block"];
  if (!is_list_of(average, kAverageLayers)) return "average_block" + found_instead(average, "matrices", kAverageLayers);
  if (!is_list_of(output, kOutputLayers)) return "output_block" + found_instead(output, "matrices", kOutputLayers);

  const Place places[] = {{average[0], "average_block[0]"}, {average[1], "average_block[1]"},
                          {average[2], "average_block[2]"}, {output[0], "output_block[0]", true},
                          {output[1], "output_block[1]"},   {file["linear"], "linear", true}};
  Weights parsed = pooled_network_weights(Vector::Zero(PooledNetwork::kNumParameters));
  for (std::size_t i = 0; i < std::size(places); ++i) {
    if (Error mistake = parse_matrix(places[i], parsed.blocks[i], parsed.theta)) return mistake;
  }
  if (file.contains("note")) parsed.metadata["note"] = file["note"].get<std::string>();
  weights = std::move(parsed);
  return {};
}

}  // namespace loa
