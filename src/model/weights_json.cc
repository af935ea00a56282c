// Shapes come from PooledNetwork::layout(), so the two cannot disagree.
#include "model/weights_json.h"

#include "base/strict_json.h"
#include "loa/quasi_newton_input.h"
#include "model/pooled_network_weights.h"

namespace loa {
namespace {

// The file, a block, a matrix, a row.
constexpr int kMaxDepth = 4;
constexpr Index kColumns = kNumQuasiNewtonVectors;

std::string found_instead(const Json& value, const char* of, std::size_t expected) {
  const Json::List* const list = value.list();
  const std::string found = list != nullptr ? std::to_string(list->size()) + " " + of : "no list";
  return ": found " + found + ", expected " + std::to_string(expected) + " " + of;
}

// The list, or null where the value is none of that size.
const Json::List* list_of(const Json& value, std::size_t size) {
  return value.list() != nullptr && value.list()->size() == size ? value.list() : nullptr;
}

// A matrix of the file.
struct Place {
  const Json& matrix;
  const char* name;     // for messages
  bool joined = false;  // takes features and averages: in the file the features come first
};

// Copies the rows into theta.
Error parse_matrix(const Place& place, const ParameterBlock& block, Vector& theta) {
  const std::string where = place.name;
  const Index shift = place.joined ? kColumns : 0;
  const auto rows = static_cast<std::size_t>(block.rows), cols = static_cast<std::size_t>(block.cols);
  const Json::List* const matrix = list_of(place.matrix, rows);
  if (matrix == nullptr) return where + found_instead(place.matrix, "rows", rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::string where_row = where + "[" + std::to_string(row) + "]";
    const Json::List* const numbers = list_of((*matrix)[row], cols);
    if (numbers == nullptr) return where_row + found_instead((*matrix)[row], "numbers", cols);
    for (std::size_t col = 0; col < cols; ++col) {
      const Json::Number* const number = (*numbers)[col].number();
      if (number == nullptr) return where_row + "[" + std::to_string(col) + "] is not a number";
      const Index column = (static_cast<Index>(col) + shift) % block.cols;
      theta[block.offset + static_cast<Index>(row) * block.cols + column] = number->value;
    }
  }
  return {};
}

Error check_keys(const Json& file) {
  for (const auto& [key, unused] : *file.object()) {
    if (key != "note" && key != "average_block" && key != "output_block" && key != "linear") {
      return "unknown key " + in_quotes(key) + ", expected note, average_block, output_block, linear";
    }
  }
  for (const char* key : {"average_block", "output_block", "linear"}) {
    if (file.find(key) == nullptr) return std::string(key) + " is missing";
  }
  if (const Json* note = file.find("note"); note != nullptr && note->text() == nullptr) return "note is not text";
  return {};
}

}  // namespace

Error parse_weights_json(std::string_view text, Weights& weights) {
  Json file;
  if (Error mistake = parse_strict_json(text, kMaxDepth, file)) return mistake;
  if (file.object() == nullptr) return "is not a JSON object";
  if (Error mistake = check_keys(file)) return mistake;

  constexpr std::size_t kAverageLayers = 3, kOutputLayers = 2;
  const Json &averages = *file.find("average_block"), &outputs = *file.find("output_block");
  const Json::List* const average = list_of(averages, kAverageLayers);
  if (average == nullptr) return "average_block" + found_instead(averages, "matrices", kAverageLayers);
  const Json::List* const output = list_of(outputs, kOutputLayers);
  if (output == nullptr) return "output_block" + found_instead(outputs, "matrices", kOutputLayers);

  const Place places[] = {{(*average)[0], "average_block[0]"}, {(*average)[1], "average_block[1]"},
                          {(*average)[2], "average_block[2]"}, {(*output)[0], "output_block[0]", true},
                          {(*output)[1], "output_block[1]"},   {*file.find("linear"), "linear", true}};
  Weights parsed = pooled_network_weights(Vector::Zero(PooledNetwork::kNumParameters));
  for (std::size_t i = 0; i < std::size(places); ++i) {
    if (Error mistake = parse_matrix(places[i], parsed.blocks[i], parsed.theta)) return mistake;
  }
  if (const Json* note = file.find("note")) parsed.metadata["note"] = *note->text();
  weights = std::move(parsed);
  return {};
}

}  // namespace loa
