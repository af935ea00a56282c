// What decides the result of a training, as text: part of the metadata of its weights, and what a checkpoint is checked
// against.
#pragma once

#include <map>
#include <string>

#include "linalg/tensor_file.h"
#include "loa/error.h"
#include "loa/train.h"
#include "loa/weights.h"

namespace loa {

using Recipe = std::map<std::string, std::string>;

// Throws std::invalid_argument, which says what training expects.
void require_for_training(bool condition, const std::string& what);
// What all trainers expect of the model: its guard, and a model of one's own.
void check_model(const TrainingOptions& options);

// The recipe, the best epoch and its loss, and the version, as metadata of the weights.
void put_recipe(const Recipe& recipe, const EpochReport& report, Weights& weights);

// The format and the recipe, as metadata of a checkpoint.
void put_recipe(const Recipe& recipe, const std::string& format, TensorFile& checkpoint);
// "", or what was expected: a checkpoint of that `format`, which is that of `what`, made with that recipe.
Error check_recipe(const Recipe& recipe, const std::string& format, const std::string& what,
                   const TensorFile& checkpoint);

// The losses of a report and its best epoch, in a checkpoint.
void put_losses(const EpochReport& report, TensorFile& checkpoint);
bool get_losses(const TensorFile& checkpoint, EpochReport& report);

}  // namespace loa
