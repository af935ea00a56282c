// The quadratics of the paper as problems to train on, and the starts of theta.
#pragma once

#include <string>
#include <vector>

#include "loa/train.h"
#include "train/unroll.h"

namespace loa {

// One quadratic with one of its starts, x_0 one gradient step of 1/(2L) away. `seed` and `start` are those of the
// problem SPEC. REQUIRES: n >= 1.
TrainingProblem training_quadratic(const TrainingOptions& options, std::uint64_t seed, std::int64_t start);

// The training set: functions x starts, and the test set: other functions. Reference gaps are filled in.
std::vector<TrainingProblem> training_set(const TrainingOptions& options, const UnrollOptions& unroll);
std::vector<TrainingProblem> test_set(const TrainingOptions& options, const UnrollOptions& unroll);

}  // namespace loa
