#include "train/own_members.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "loa/random.h"
#include "train/recipe.h"

namespace loa {

std::vector<std::uint64_t> own_members(const OwnProblems& problems, std::int64_t count, std::uint64_t seed,
                                       OwnUse use) {
  Random random(seed);
  std::vector<std::uint64_t> numbers;
  if (problems.count > 0) {
    for (std::int64_t i = 0; i < problems.count; ++i) numbers.push_back(static_cast<std::uint64_t>(i));
    for (std::size_t i = 0; i + 1 < numbers.size(); ++i)
      std::swap(numbers[i], numbers[i + random.below(numbers.size() - i)]);
    numbers.resize(static_cast<std::size_t>(count));
    return numbers;
  }
  // Seeds of problems are positive integers of 63 bits: 2^40 places, and the two uses in different halves.
  const std::uint64_t first = (random.bits() >> 24) + (use == OwnUse::kCertificate ? std::uint64_t{1} << 41 : 0);
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(first + static_cast<std::uint64_t>(i));
  return numbers;
}

OwnSplit split_members(const TrainingOptions& options) {
  const std::int64_t count = options.problems.count;
  const auto require = require_for_training;
  require(count == 0 || count >= kFewestOwnMembers,
          "at least " + std::to_string(kFewestOwnMembers) + " problems, found " + std::to_string(count) +
              ": some must be held out to tell what was learned from what was memorized");
  const auto share = [count](double part) { return std::llround(part * static_cast<double>(count)); };
  const auto chosen = [count](std::int64_t given, std::int64_t of_list, std::int64_t otherwise) {
    return given > 0 ? given : count > 0 ? of_list : otherwise;
  };
  const std::int64_t training = chosen(options.functions, share(0.4), kOwnTrainingMembers);
  const std::int64_t validation = chosen(options.test_functions, share(0.2), kOwnValidationMembers);
  const std::int64_t test = chosen(options.own.held_out, count - training - validation, kOwnTestMembers);
  require(training >= 2 && validation >= 2 && test >= 2,
          "at least 2 members for each of training, validation and test, found " + std::to_string(training) + ", " +
              std::to_string(validation) + " and " + std::to_string(test));
  require(count == 0 || training + validation + test <= count,
          "no more members than the " + std::to_string(count) + " that there are, found " + std::to_string(training) +
              " + " + std::to_string(validation) + " + " + std::to_string(test));

  const std::vector<std::uint64_t> all =
      own_members(options.problems, training + validation + test, options.seed, OwnUse::kTraining);
  const auto at = [&all](std::int64_t place) { return all.begin() + place; };
  return {{at(0), at(training)}, {at(training), at(training + validation)}, {at(training + validation), all.end()}};
}

}  // namespace loa
