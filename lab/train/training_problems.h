// The problems to train on: the quadratics of the paper, and those of the papers of the recurrent algorithms.
#pragma once

#include <string>
#include <vector>

#include "loa/train.h"
#include "train/unroll.h"

namespace loa {

// One quadratic with one of its starts, x_0 one gradient step of 1/(2L) away. `seed` and `start` are those of the
// problem SPEC. REQUIRES: n >= 1.
TrainingProblem training_quadratic(const TrainingOptions& options, std::uint64_t seed, std::int64_t start);

// The training set: functions x starts, and the test set: other functions. Reference gaps are left empty.
enum class ProblemSet { kTraining, kTest };
std::vector<TrainingProblem> problem_set(const TrainingOptions& options, ProblemSet set);

}  // namespace loa
