// Problems and algorithms of one's own in a comparison. Would catch: one that is looked up by name, a run with one that
// comes out of the cache, a problem that two threads share.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <memory>

#include "experiment/comparison.h"
#include "loa/problem.h"
#include "support/objectives.h"
#include "support/run_program.h"

namespace loa {
namespace {

// The problem and the algorithm under names of their own, beside the same two by their usual names.
ComparisonPlan plan_with_own_parts(std::atomic<int>& made) {
  ComparisonPlan plan;
  plan.problems = {"rosenbrock:n=4", "mine"};
  plan.algorithms = {"bfgs", "my-bfgs"};
  plan.jobs = 2;
  plan.own_problems["mine"] = [&made] {
    ++made;
    auto problem = std::make_unique<Problem>();
    EXPECT_EQ(make_problem("rosenbrock:n=4", *problem).message(), "");
    problem->name = "mine";
    return problem;
  };
  plan.own_algorithms["my-bfgs"] = [](const HyperParameters& gamma) { return make_algorithm("bfgs", gamma); };
  return plan;
}

TEST(OwnParts, RunLikeTheNamedOnes) {
  std::atomic<int> made = 0;
  Comparison comparison;
  ASSERT_EQ(run_comparison(plan_with_own_parts(made), {}, comparison).message(), "");
  ASSERT_EQ(comparison.runs.size(), 4u);
  EXPECT_EQ(comparison.labels, (std::vector<std::string>{"bfgs", "my-bfgs"}));
  EXPECT_EQ(comparison.problems[1].name, "mine");
  for (const ComparedRun& run : comparison.runs) {
    EXPECT_TRUE(run.solved);
    EXPECT_EQ(run.f, comparison.runs.front().f);
    EXPECT_EQ(run.evaluations, comparison.runs.front().evaluations);
  }
  EXPECT_GE(made, 1);
}

TEST(OwnParts, AreNotKept) {
  std::atomic<int> made = 0;
  ComparisonPlan plan = plan_with_own_parts(made);
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / test::test_name("loa_own_parts_cache");
  std::filesystem::remove_all(folder);
  plan.cache = folder.string();
  Comparison comparison;
  ASSERT_EQ(run_comparison(plan, {}, comparison).message(), "");
  // Now the names stand for something else: what is kept under them would be wrong.
  plan.own_algorithms["my-bfgs"] = [](const HyperParameters& gamma) { return make_algorithm("sr1", gamma); };
  plan.own_problems["mine"] = [] {
    auto problem = std::make_unique<Problem>();
    EXPECT_EQ(make_problem("mgh:wood", *problem).message(), "");
    return problem;
  };
  Comparison changed;
  ASSERT_EQ(run_comparison(plan, {}, changed).message(), "");
  std::filesystem::remove_all(folder);
  EXPECT_EQ(changed.runs[0].evaluations, comparison.runs[0].evaluations);
  EXPECT_NE(changed.runs[1].evaluations, comparison.runs[1].evaluations);
  EXPECT_NE(changed.runs[2].f_start, comparison.runs[2].f_start);
}

}  // namespace
}  // namespace loa
