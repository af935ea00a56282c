// The sets left-out-0 to left-out-4: what each training has not seen; and what `large`, `middle` and `origin-` promise.
//
// Would catch: a family that is in two folds or in none, a fold that training of that seed does see, a SPEC that cannot
// be made; in `large` a problem that training may draw, a frame that is not what the seed was chosen for; in `origin-`
// a problem of the generator, or a size that the description of the set does not have.
#include "experiment/problem_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "loa/problem.h"
#include "problem/synthetic.h"
#include "support/run_program.h"
#include "train/evolution_problems.h"

namespace loa {
namespace {

constexpr int kNumFolds = 5;

std::string name_of_fold(int fold) { return "left-out-" + std::to_string(fold); }

std::vector<std::string> left_out(int fold) {
  std::vector<std::string> list;
  EXPECT_EQ(add_problem_set(name_of_fold(fold), list).message(), "");
  return list;
}

std::string family_of(const std::string& spec) { return spec.substr(0, spec.find(",seed=")); }

bool is_expression(const std::string& family) { return family.starts_with("synthetic:expression-"); }

TEST(LeftOut, FoldsAreDisjointAndCoverAllFamiliesAndTemplates) {
  std::set<std::string> expected;
  for (const std::string& family : synthetic_families()) expected.insert("synthetic:" + family);
  for (Index i = 0; i < kNumExpressionTemplates; ++i) expected.insert("synthetic:expression-" + std::to_string(i));
  std::map<std::string, int> fold_of;
  for (int fold = 0; fold < kNumFolds; ++fold)
    for (const std::string& spec : left_out(fold)) {
      const auto [found, is_new] = fold_of.emplace(family_of(spec), fold);
      EXPECT_TRUE(is_new || found->second == fold) << spec << " is in the folds " << found->second << " and " << fold;
    }
  std::set<std::string> covered;
  for (const auto& [family, fold] : fold_of) covered.insert(family);
  EXPECT_EQ(covered, expected);
}

TEST(LeftOut, FamiliesComeWithTwoSeedsAndTemplatesWithOne) {
  for (int fold = 0; fold < kNumFolds; ++fold) {
    const std::vector<std::string> list = left_out(fold);
    EXPECT_EQ(std::set<std::string>(list.begin(), list.end()).size(), list.size()) << fold;
    std::map<std::string, std::set<std::string>> seeds;
    for (const std::string& spec : list) seeds[family_of(spec)].insert(spec.substr(spec.find(",seed=") + 1));
    int num_families = 0, num_templates = 0;
    for (const auto& [family, of_family] : seeds) {
      const std::set<std::string> expected =
          is_expression(family) ? std::set<std::string>{"seed=1"} : std::set<std::string>{"seed=1", "seed=2"};
      EXPECT_EQ(of_family, expected) << family;
      ++(is_expression(family) ? num_templates : num_families);
    }
    // A fifth of each kind.
    EXPECT_NEAR(num_families, static_cast<double>(synthetic_families().size()) / kNumFolds, 1.0) << fold;
    EXPECT_NEAR(num_templates, static_cast<double>(kNumExpressionTemplates) / kNumFolds, 1.0) << fold;
  }
}

TEST(LeftOut, TrainingWithThatSeedDoesNotSeeThem) {
  TrainingOptions o = training_preset("evolution");
  o.functions = 2 * (kNumExpressionTemplates + static_cast<Index>(synthetic_families().size()));  // goes round all
  o.test_functions = o.functions;
  for (std::uint64_t seed = 0; seed < 2 * kNumFolds; ++seed) {
    std::set<std::string> families, specs;
    for (const std::string& spec : left_out(static_cast<int>(seed % kNumFolds))) {
      families.insert(family_of(spec));
      specs.insert(spec);
    }
    o.seed = seed;
    for (const std::string& spec : training_specs(o, ProblemSet::kTraining))
      EXPECT_FALSE(families.contains(family_of(spec))) << spec << ", seed " << seed;
    // Validation is on these families, but on no problem of the comparison.
    for (const std::string& spec : training_specs(o, ProblemSet::kTest)) {
      EXPECT_TRUE(families.contains(family_of(spec))) << spec << ", seed " << seed;
      EXPECT_FALSE(specs.contains(spec)) << spec << ", seed " << seed;
    }
  }
}

// ProblemSets.AreMadeOfProblemsWithoutRepetition makes them all; here the start is looked at.
TEST(LeftOut, ProblemsHaveAFiniteStart) {
  for (int fold = 0; fold < kNumFolds; ++fold) {
    const std::vector<std::string> list = left_out(fold);
    for (std::size_t i = static_cast<std::size_t>(fold); i < list.size(); i += 17) {
      Problem problem;
      ASSERT_EQ(make_problem(list[i], problem).message(), "");
      Vector grad(problem.start.size());
      EXPECT_TRUE(std::isfinite(problem.objective->value_and_gradient(problem.start, grad))) << list[i];
      EXPECT_TRUE(grad.allFinite()) << list[i];
      EXPECT_GT(grad.norm(), 0.0) << list[i];
    }
  }
}

std::vector<std::string> large() {
  std::vector<std::string> list;
  EXPECT_EQ(add_problem_set("large", list).message(), "");
  return list;
}

// The named ones are of no family of training, and the others have more variables than training draws.
TEST(Large, IsNotTrainedOn) {
  int num_synthetic = 0;
  for (const std::string& spec : large()) {
    if (!spec.starts_with("synthetic:")) continue;
    ++num_synthetic;
    const std::size_t at = spec.find(",n=");
    ASSERT_NE(at, std::string::npos) << spec;
    EXPECT_GE(std::stoi(spec.substr(at + 3)), 500) << spec;
  }
  EXPECT_EQ(num_synthetic, 11);
  EXPECT_EQ(large().size(), 36u);
  TrainingOptions o = training_preset("evolution");
  for (const ProblemSet set : {ProblemSet::kTraining, ProblemSet::kTest})
    for (const std::string& spec : training_specs(o, set)) {
      EXPECT_TRUE(spec.starts_with("synthetic:")) << spec;
      EXPECT_EQ(spec.find(",n="), std::string::npos) << spec << ": n is drawn, 200 at most";
    }
}

// Training draws n of 200 at most (see above), and `auto` is dense up to 500.
TEST(Middle, IsBetweenTrainingAndLimitedMemory) {
  std::vector<std::string> list;
  ASSERT_EQ(add_problem_set("middle", list).message(), "");
  EXPECT_GE(list.size(), 80u);
  Index least = 1000, most = 0;
  for (const std::string& spec : list) {
    Problem problem;
    ASSERT_EQ(make_problem(spec, problem).message(), "");
    const Index n = problem.objective->dimension();
    EXPECT_NE(spec.find(",n=" + std::to_string(n)), std::string::npos) << spec;
    least = std::min(least, n);
    most = std::max(most, n);
  }
  EXPECT_GT(least, 200);
  EXPECT_LT(least, 230);
  EXPECT_GT(most, 480);
  EXPECT_LE(most, 500);
}

// How many entries of the gradient the first variable moves.
Index num_moved(const std::string& spec) {
  Problem problem;
  EXPECT_EQ(make_problem(spec, problem).message(), "");
  Vector grad(problem.start.size()), moved = grad, x = problem.start;
  problem.objective->value_and_gradient(x, grad);
  x(0) += 0.01 * (1.0 + std::abs(x(0)));
  problem.objective->value_and_gradient(x, moved);
  return (moved.array() != grad.array()).count();
}

// The seeds of the synthetic ones were chosen for what their frame is.
TEST(Large, HasTurnedAndBandedProblems) {
  for (const char* spec : {"rosenbrock:n=1000,seed=4,rotation=1", "chained-rosenbrock:n=500,seed=2,rotation=3",
                           "synthetic:logistic-loss,seed=6,n=1000", "synthetic:least-squares,seed=3,n=1000",
                           "synthetic:arctan-fit,seed=4,n=1000"}) {
    EXPECT_THAT(large(), testing::Contains(spec));
    EXPECT_GT(num_moved(spec), 400) << spec;
  }
  for (const char* spec : {"synthetic:least-squares,seed=2,n=500", "synthetic:tanh-fit,seed=2,n=1000",
                           "synthetic:softplus-fit,seed=2,n=2000", "synthetic:arctan-fit,seed=5,n=500",
                           "synthetic:tanh-fit,seed=1,n=500", "synthetic:least-squares,seed=8,n=2000"}) {
    EXPECT_THAT(large(), testing::Contains(spec));
    EXPECT_LT(num_moved(spec), 60) << spec;
  }
}

struct Promise {
  const char* name;
  std::size_t count;
  Index least, most;
};

TEST(OriginSets, HaveTheirSizesAndAnotherOriginThanTraining) {
  for (const Promise& promise : {Promise{"origin-small", 111, 2, 60}, Promise{"origin-middle", 67, 49, 530},
                                 Promise{"origin-large", 32, 500, 5000}}) {
    std::vector<std::string> list;
    ASSERT_EQ(add_problem_set(promise.name, list).message(), "");
    EXPECT_EQ(list.size(), promise.count) << promise.name;
    int num_beyond_36 = 0;
    std::set<std::string> kinds;
    for (const std::string& spec : list) {
      Problem problem;
      ASSERT_EQ(make_problem(spec, problem).message(), "");
      const Index n = problem.objective->dimension();
      EXPECT_TRUE(promise.least <= n && n <= promise.most) << spec << " " << n;
      num_beyond_36 += n > 36;
      kinds.insert(spec.substr(0, spec.find(':')));
      Vector grad(n);
      EXPECT_TRUE(std::isfinite(problem.objective->value_and_gradient(problem.start, grad))) << spec;
      EXPECT_TRUE(grad.lpNorm<Eigen::Infinity>() > 1e-4) << spec;
    }
    for (const std::string& kind : kinds) {
      EXPECT_THAT((std::set<std::string>{"grid", "chain", "likelihood", "regression", "geometry"}),
                  testing::Contains(kind));
    }
    EXPECT_GE(kinds.size(), 4u) << promise.name;
    if (promise.least == 2) {
      EXPECT_EQ(num_beyond_36, 1);
    }
  }
}

TEST(LeftOut, TheProgramListsThem) {
  const ProgramResult text = run_program("list sets");
  EXPECT_EQ(text.status, 0);
  const ProgramResult result = run_program("list sets --json");
  ASSERT_EQ(result.status, 0);
  const nlohmann::json parsed = nlohmann::json::parse(result.out);
  std::map<std::string, std::vector<std::string>> found;
  for (const nlohmann::json& set : parsed["sets"]) found[set["name"]] = set["problems"];
  for (int fold = 0; fold < kNumFolds; ++fold) {
    EXPECT_THAT(text.out, testing::HasSubstr("  " + name_of_fold(fold)));
    EXPECT_EQ(found[name_of_fold(fold)], left_out(fold));
  }
  EXPECT_EQ(found.size(), problem_sets().size());
}

}  // namespace
}  // namespace loa
