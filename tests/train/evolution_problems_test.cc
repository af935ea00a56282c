// What evolution trains on, and that it is validated on other families.
#include "train/evolution_problems.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "loa/problem.h"

namespace loa {
namespace {

using testing::HasSubstr;

std::vector<std::string> numbered(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back("family-" + std::to_string(i));
  return names;
}

std::string family_of(const std::string& spec) { return spec.substr(0, spec.find("seed=") - 1); }

TEST(EvolutionProblems, FiveSeedsLeaveOutEachFamilyOnce) {
  for (const int count : {2, 3, 5, 7, 40}) {
    const std::vector<std::string> families = numbered(count);
    const auto folds = static_cast<std::uint64_t>(std::min(count, 5));
    std::multiset<std::string> left_out;
    for (std::uint64_t seed = 10; seed < 10 + folds; ++seed) {
      const FamilySplit split = split_families(families, seed);
      EXPECT_FALSE(split.training.empty());
      EXPECT_FALSE(split.validation.empty());
      EXPECT_EQ(split.training.size() + split.validation.size(), families.size());
      for (const std::string& family : split.validation) {
        left_out.insert(family);
        EXPECT_EQ(std::count(split.training.begin(), split.training.end(), family), 0);
      }
    }
    EXPECT_EQ(left_out, std::multiset<std::string>(families.begin(), families.end())) << count;
  }
}

TEST(EvolutionProblems, TheSplitDoesNotDependOnTheOrderOfTheNames) {
  std::vector<std::string> families = numbered(12);
  std::vector<std::string> expected = split_families(families, 3).validation;
  std::reverse(families.begin(), families.end());
  std::vector<std::string> found = split_families(families, 3).validation;
  std::reverse(found.begin(), found.end());
  EXPECT_EQ(found, expected);
  // Neighbours in the list are not left out together by rule: the folds are not every fifth name.
  std::set<std::size_t> gaps;
  const std::vector<std::string> many = numbered(40), out = split_families(many, 0).validation;
  for (std::size_t i = 1; i < out.size(); ++i)
    gaps.insert(static_cast<std::size_t>(std::find(many.begin(), many.end(), out[i]) -
                                         std::find(many.begin(), many.end(), out[i - 1])));
  EXPECT_GT(gaps.size(), 1u);
}

TEST(EvolutionProblems, HalfAreExpressionsAndAllCanBeMade) {
  TrainingOptions o = training_preset("evolution");
  o.functions = 120;
  o.test_functions = 40;
  std::set<std::string> training, seeds;
  int num_expressions = 0;
  for (const std::string& spec : training_specs(o, ProblemSet::kTraining)) {
    training.insert(family_of(spec));
    seeds.insert(spec.substr(spec.find("seed=")));
    num_expressions += spec.starts_with("synthetic:expression-");
    Problem problem;
    EXPECT_EQ(make_problem(spec, problem).message(), "");
  }
  EXPECT_EQ(seeds.size(), 120u);
  EXPECT_EQ(num_expressions, 60);
  const std::vector<std::string> validation = training_specs(o, ProblemSet::kTest);
  EXPECT_EQ(validation.size(), 40u);
  for (const std::string& spec : validation) {
    EXPECT_FALSE(training.contains(family_of(spec))) << spec;
    seeds.insert(spec.substr(spec.find("seed=")));
    Problem problem;
    EXPECT_EQ(make_problem(spec, problem).message(), "");
  }
  EXPECT_EQ(seeds.size(), 160u);
  o.seed = 1;
  for (const std::string& spec : training_specs(o, ProblemSet::kTest))
    EXPECT_TRUE(std::find(validation.begin(), validation.end(), spec) == validation.end());
}

TEST(EvolutionProblems, TheDimensionsAreThoseAskedFor) {
  TrainingOptions o = training_preset("evolution");
  o.functions = o.test_functions = 200;
  o.smallest_n = 30;
  o.largest_n = 60;
  std::set<Index> found;
  std::set<std::string> families;
  for (const ProblemSet set : {ProblemSet::kTraining, ProblemSet::kTest})
    for (const std::string& spec : training_specs(o, set)) {
      Problem problem;
      ASSERT_EQ(make_problem(spec, problem).message(), "") << spec;
      EXPECT_GE(problem.start.size(), 30) << spec;
      EXPECT_LE(problem.start.size(), 60) << spec;
      found.insert(problem.start.size());
      families.insert(family_of(spec));
    }
  EXPECT_TRUE(found.contains(30) && found.contains(60));
  EXPECT_GT(found.size(), 25u) << "all between occur";
  EXPECT_EQ(families.count("synthetic:decays"), 0u) << "which has 12 variables at most";
  EXPECT_GT(families.size(), 100u);
}

TEST(EvolutionProblems, FamiliesOfOnesOwn) {
  TrainingOptions o;
  o.families = {"quadratic:n=5", "quadratic"};
  o.functions = o.test_functions = 2;
  for (const ProblemSet set : {ProblemSet::kTraining, ProblemSet::kTest})
    for (const std::string& spec : training_specs(o, set)) {
      Problem problem;
      EXPECT_EQ(make_problem(spec, problem).message(), "") << spec;
    }
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"quadratic"}, {"quadratic", "quadratic"}}) {
    o.families = wrong;
    EXPECT_THROW(training_specs(o, ProblemSet::kTraining), std::invalid_argument);
  }
}

}  // namespace
}  // namespace loa
