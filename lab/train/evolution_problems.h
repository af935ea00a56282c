// The problems that evolution trains on and those that it is validated on, as SPECs.
//
// Validation is on families that are left out of training, not on other instances of the same ones: what is gained on
// one's own families need not hold elsewhere. The families are dealt into five folds, in an order that depends on their
// names alone, and the seed chooses the fold that is left out: of five seeds in a row each leaves out another fifth.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "loa/train.h"
#include "train/training_problems.h"

namespace loa {

struct FamilySplit {
  std::vector<std::string> training, validation;
};

// REQUIRES: at least two families. Both parts keep their order.
FamilySplit split_families(const std::vector<std::string>& families, std::uint64_t seed);

// The SPECs of options.functions problems to train on, or of options.test_functions to validate on. They go round the
// families of options.families, or else round the synthetic ones, half of the problems being random expressions. With
// options.evolution.origins every second one to train on is of another origin (problem/origin.h), and all to validate
// on are of the one kind of five that the seed leaves out. All seeds differ. Throws std::invalid_argument on fewer than
// two families.
std::vector<std::string> training_specs(const TrainingOptions& options, ProblemSet set);

// What the families are, in words: part of the recipe.
std::string families_text(const TrainingOptions& options);

}  // namespace loa
