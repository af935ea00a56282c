#include "train/training_problems.h"

#include <stdexcept>

#include "base/text.h"
#include "loa/problem.h"
#include "loa/random.h"

namespace loa {
namespace {

// Seeds of one training run: far apart for training, test and for different runs.
std::uint64_t problem_seed(std::uint64_t seed, std::uint64_t set, std::uint64_t index) {
  Random random(seed);
  return (random.bits() >> 24) + 0x1000000 * set + index;
}

std::vector<TrainingProblem> make_set(const TrainingOptions& options, const UnrollOptions& unroll, std::uint64_t set,
                                      std::int64_t functions, std::int64_t starts) {
  std::vector<TrainingProblem> problems;
  Unroller unroller;
  for (std::int64_t i = 0; i < functions; ++i) {
    const std::uint64_t seed = problem_seed(options.seed, set, static_cast<std::uint64_t>(i));
    for (std::int64_t j = 0; j < starts; ++j) {
      problems.push_back(training_quadratic(options, seed, j));
      problems.back().reference_gaps = unroller.reference_gaps(problems.back(), unroll);
    }
  }
  return problems;
}

}  // namespace

TrainingProblem training_quadratic(const TrainingOptions& options, std::uint64_t seed, std::int64_t start) {
  std::string spec = "quadratic:n=" + std::to_string(options.dimension) + ",seed=" + std::to_string(seed) +
                     ",start=" + std::to_string(start);
  const TrainingOptions paper;
  if (options.low_min != paper.low_min || options.low_max != paper.low_max || options.high_min != paper.high_min ||
      options.high_max != paper.high_max) {
    Random random(seed);
    spec += ",low=" + real_text(random.uniform(options.low_min, options.low_max));
    spec += ",high=" + real_text(random.uniform(options.high_min, options.high_max));
  }
  Problem problem;
  if (const std::string error = make_problem(spec, problem); !error.empty()) throw std::invalid_argument(error);
  return {.objective = std::move(problem.objective),
          .start = std::move(problem.start),
          .first_step = 0.5 / *problem.lipschitz,
          .minimum = *problem.minimum,
          .reference_gaps = {}};
}

std::vector<TrainingProblem> training_set(const TrainingOptions& options, const UnrollOptions& unroll) {
  return make_set(options, unroll, 0, options.functions, options.starts);
}

std::vector<TrainingProblem> test_set(const TrainingOptions& options, const UnrollOptions& unroll) {
  return make_set(options, unroll, 1, options.test_functions, 1);
}

}  // namespace loa
