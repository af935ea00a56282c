// Cases small enough to be computed by hand.
#include "experiment/relative_evaluations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "experiment/comparison_summary.h"
#include "experiment/problem_sets.h"
#include "loa/problem.h"
#include "loa/random.h"

namespace loa {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t kFailed = -1;

// Runs from f = 1 to f = 0. evaluations[p][a][s]; kFailed: it ended at the limit of 1000, at f = 0.5.
Comparison make(const std::vector<std::string>& labels,
                const std::vector<std::vector<std::vector<std::int64_t>>>& evaluations) {
  Comparison c;
  c.labels = c.plan.algorithms = labels;
  c.plan.max_evaluations = 1000;
  c.plan.starts = static_cast<std::int64_t>(evaluations[0][0].size());
  for (std::size_t p = 0; p < evaluations.size(); ++p) {
    c.problems.emplace_back().name = std::string(1, static_cast<char>('a' + p));
    for (std::size_t a = 0; a < labels.size(); ++a)
      for (std::size_t s = 0; s < evaluations[p][a].size(); ++s) {
        ComparedRun& run = c.runs.emplace_back();
        run.problem = p;
        run.algorithm = a;
        run.start = static_cast<std::int64_t>(s);
        run.solved = evaluations[p][a][s] != kFailed;
        run.status = run.solved ? Status::kGradientIsSmall : Status::kEvaluationLimitReached;
        run.evaluations.value = run.solved ? evaluations[p][a][s] : 1000;
        run.f_start = 1.0;
        run.f = run.solved ? 0.0 : 0.5;
      }
  }
  return c;
}

ComparedRun& run_at(Comparison& c, std::size_t p, std::size_t a, std::int64_t s) {
  for (ComparedRun& run : c.runs)
    if (run.problem == p && run.algorithm == a && run.start == s) return run;
  throw std::out_of_range("no such run");
}

TEST(GeometricMean, IsThatOfTheRatios) {
  const Ratio ratio = geometric_mean({std::log(0.5), std::log(0.125)}, 0);
  EXPECT_NEAR(ratio.value, 0.25, 1e-15);
  EXPECT_NEAR(ratio.low, 0.125, 1e-15) << "one resample in four is the smaller one twice";
  EXPECT_NEAR(ratio.high, 0.5, 1e-15);
}

TEST(GeometricMean, NeedsAProblemAndForTheIntervalTwo) {
  EXPECT_TRUE(std::isnan(geometric_mean({}, 0).value));
  const Ratio one = geometric_mean({std::log(3.0)}, 0);
  EXPECT_NEAR(one.value, 3.0, 1e-15);
  EXPECT_TRUE(std::isnan(one.low) && std::isnan(one.high));
}

TEST(GeometricMean, IntervalsContainTheTruthAsOftenAsTheySay) {
  constexpr int kTrials = 200, kProblems = 40;
  const double truth = 0.8;
  Random random(7);
  int inside = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> logs;
    for (int i = 0; i < kProblems; ++i) logs.push_back(std::log(truth) + 0.3 * random.normal());
    const Ratio ratio = geometric_mean(logs, 1);
    EXPECT_LT(ratio.low, ratio.value);
    EXPECT_GT(ratio.high, ratio.value);
    inside += ratio.low <= truth && truth <= ratio.high;
  }
  EXPECT_GE(inside, 0.88 * kTrials);  // 95 % less the known optimism of percentiles, and three standard deviations
  EXPECT_LE(inside, 0.99 * kTrials);
}

TEST(GeometricMean, RepeatsForASeed) {
  std::vector<double> logs;
  for (int i = 0; i < 9; ++i) logs.push_back(0.37 * i * i - 5.0);
  EXPECT_EQ(geometric_mean(logs, 5).low, geometric_mean(logs, 5).low);
  EXPECT_NE(geometric_mean(logs, 5).low, geometric_mean(logs, 6).low);
}

TEST(RelativeEvaluations, AveragesStartsThenProblems) {
  // Problem a: twice as many, then as many. Problem b: a quarter from one start, the other start fails.
  const Comparison c = make({"bfgs", "other"}, {{{10, 20}, {20, 20}}, {{40, 30}, {10, kFailed}}});
  const auto rows = relative_evaluations(c, "bfgs");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].ratio.value, 1.0);
  EXPECT_EQ(rows[0].ties, 2);
  const RelativeEvaluations& row = rows[1];
  EXPECT_EQ(row.algorithm, "other");
  EXPECT_EQ(row.against, "bfgs");
  EXPECT_NEAR(row.ratio.value, std::pow(2.0, (0.5 - 2.0) / 2), 1e-14);
  EXPECT_NEAR(row.ratio.low, 0.25, 1e-14) << "problem b twice";
  EXPECT_NEAR(row.ratio.high, std::sqrt(2.0), 1e-14);
  EXPECT_EQ(row.count, 3);
  EXPECT_EQ(row.problems, 2);
  EXPECT_EQ(row.only_this, 0);
  EXPECT_EQ(row.only_other, 1);
  EXPECT_EQ(row.wins, 1);
  EXPECT_EQ(row.ties, 0);
  EXPECT_EQ(row.losses, 1);
  EXPECT_EQ(row.solved, 3);
  EXPECT_EQ(row.runs, 4);
  const RelativeEvaluations back = relative_evaluations(c, "other")[0];
  EXPECT_NEAR(back.ratio.value * row.ratio.value, 1.0, 1e-14);
  EXPECT_EQ(back.only_this, 1);
}

TEST(RelativeEvaluations, EqualProductsTie) {
  const Comparison c = make({"bfgs", "other"}, {{{3, 5, 2}, {2, 3, 5}}});
  EXPECT_EQ(relative_evaluations(c, "bfgs")[1].ties, 1);
}

TEST(RelativeEvaluations, ComparesNothingWithoutACommonSuccess) {
  const Comparison c = make({"bfgs", "other"}, {{{10}, {kFailed}}, {{kFailed}, {10}}});
  const RelativeEvaluations row = relative_evaluations(c, "bfgs")[1];
  EXPECT_TRUE(std::isnan(row.ratio.value));
  EXPECT_EQ(row.count, 0);
  EXPECT_EQ(row.only_this, 1);
  EXPECT_EQ(row.only_other, 1);
  EXPECT_THAT(comparison_summary(c), testing::ContainsRegex("other +1 of 2 +- +- +0/0/0"));
}

TEST(RelativeEvaluations, CountsOnlyTheSameMinimum) {
  Comparison c = make({"bfgs", "other"}, {{{10, 10}, {5, 5}}});
  run_at(c, 0, 1, 0).f = 0.9e-4;  // of a decrease of 1
  run_at(c, 0, 1, 1).f = 1.1e-4;
  const RelativeEvaluations row = relative_evaluations(c, "bfgs")[1];
  EXPECT_EQ(row.count, 1);
  EXPECT_EQ(row.only_other, 1);
  run_at(c, 0, 1, 1).f = std::nan("");
  EXPECT_EQ(relative_evaluations(c, "bfgs")[1].only_other, 1);
}

TEST(RelativeEvaluations, AThirdAlgorithmChangesNothing) {
  Comparison c = make({"bfgs", "other", "lucky"}, {{{10}, {5}, {7}}});
  run_at(c, 0, 2, 0).f = -1.0;  // a lower minimum: by the others' own standard they still agree
  run_at(c, 0, 0, 0).solved = run_at(c, 0, 1, 0).solved = false;
  const auto rows = relative_evaluations(c, "bfgs");
  EXPECT_NEAR(rows[1].ratio.value, 0.5, 1e-15);
  EXPECT_EQ(rows[2].count, 0);
  EXPECT_EQ(rows[2].only_this, 1);
}

TEST(RelativeEvaluations, SkipsRunsThatWereNotMade) {
  Comparison c = make({"bfgs", "other"}, {{{10, 10}, {20, 30}}});
  c.runs.pop_back();
  EXPECT_NEAR(relative_evaluations(c, "bfgs")[1].ratio.value, 2.0, 1e-14);
}

TEST(VirtualBest, TakesTheFewestOfEachRun) {
  // Ratios of the best: problem a: 1/2 and 1; problem b: 1/4, and a start that bfgs does not solve.
  const Comparison c =
      make({"bfgs", "x", "y"}, {{{10, 10}, {5, 10}, {20, kFailed}}, {{40, kFailed}, {10, 7}, {10, 7}}});
  const VirtualBest best = virtual_best(c);
  EXPECT_NEAR(best.ratio.value, std::pow(2.0, (-0.5 - 2.0) / 2), 1e-14);
  EXPECT_EQ(best.count, 3);
  EXPECT_EQ(best.solved, 4);
  EXPECT_THAT(best.best, ElementsAre(1, 4, 2));
  EXPECT_THAT(best.alone, ElementsAre(0, 1, 0));
}

TEST(HindsightOracle, ChoosesForEachProblem) {
  const Comparison c = make({"bfgs", "x"}, {{{10, 10}, {20, 20}}, {{40, 40}, {10, 10}}});
  const HindsightOracle result = hindsight_oracle(c);
  EXPECT_EQ(result.problems, 2);
  EXPECT_EQ(result.best_single, "x") << "log 20 + log 10 against log 10 + log 40";
  EXPECT_NEAR(result.to_best_single.value, std::sqrt(0.5), 1e-14);
  EXPECT_NEAR(result.to_baseline.value, 0.5, 1e-14);
  EXPECT_THAT(result.chosen, ElementsAre(2, 2));
  EXPECT_THAT(comparison_summary(c), HasSubstr("oracle: 0.707 [0.500, 1.000] of x"));
}

TEST(HindsightOracle, IsNotScoredWhereItWasChosen) {
  // Each is ten times better from one of two starts, by luck: the other start always tells the wrong one.
  const Comparison c = make({"bfgs", "x"}, {{{10, 100}, {100, 10}}});
  EXPECT_NEAR(hindsight_oracle(c).to_best_single.value, 100.0 / std::sqrt(1000.0), 1e-13);
}

TEST(HindsightOracle, CountsFailuresAtTheLimitAndPrefersTheBestSingleOne) {
  const Comparison c = make({"bfgs", "x"}, {{{kFailed, 10}, {10, 10}}, {{20, 20}, {20, 20}}});
  const HindsightOracle result = hindsight_oracle(c);
  EXPECT_EQ(result.best_single, "x");
  EXPECT_EQ(result.to_best_single.value, 1.0);
  // Problem a: 10, 10 instead of 1000, 10.
  EXPECT_NEAR(result.to_baseline.value, std::pow(0.01, 0.25), 1e-14);
  EXPECT_THAT(result.chosen, ElementsAre(0, 4));
}

TEST(HindsightOracle, NeedsTwoStarts) {
  const Comparison c = make({"bfgs", "x"}, {{{10}, {20}}, {{40}, {10}}});
  EXPECT_EQ(hindsight_oracle(c).problems, 0);
  EXPECT_THAT(comparison_summary(c), HasSubstr("oracle: none; it needs two or more starts"));
  EXPECT_THAT(comparison_summary(c), Not(HasSubstr("nan")));
}

TEST(ComparisonSummary, HasATableForEachReference) {
  Comparison c = make({"bfgs", "x", "y"}, {{{10}, {20}, {5}}, {{40}, {10}, {5}}});
  EXPECT_THAT(comparison_summary(c), Not(HasSubstr("relative to x")));
  c.plan.against = {"bfgs", "x"};
  EXPECT_THAT(references(c), ElementsAre("bfgs", "x"));
  EXPECT_THAT(comparison_summary(c), HasSubstr("relative to x"));
}

TEST(ProblemSets, AreMadeOfProblemsWithoutRepetition) {
  for (const NamedProblemSet& set : problem_sets()) {
    std::vector<std::string> list;
    ASSERT_EQ(add_problem_set(set.name, list).message(), "");
    EXPECT_EQ(list.size(), set.specs().size()) << set.name << " has a problem twice";
    EXPECT_GE(list.size(), 20u) << set.name;
    ASSERT_EQ(add_problem_set(set.name, list).message(), "");
    EXPECT_EQ(list.size(), set.specs().size());
    for (const std::string& spec : list) {
      // The eigenvalues of a thousand variables take a second; those of the same families with 500 are made.
      if (spec.starts_with("quadratic:n=1000") || spec.starts_with("ridge:n=1000")) continue;
      Problem problem;
      ASSERT_EQ(make_problem(spec, problem).message(), "") << set.name;
      if (set.name == "large") {
        EXPECT_GE(problem.objective->dimension(), 500) << spec;
        EXPECT_LE(problem.objective->dimension(), 5000) << spec;
      }
    }
  }
  EXPECT_EQ(named_problems().size(), 64u);
}

TEST(ProblemSets, OthersAreRefused) {
  std::vector<std::string> list;
  EXPECT_THAT(add_problem_set("larg", list).message(), HasSubstr("did you mean 'large'?"));
  EXPECT_TRUE(list.empty());
}

}  // namespace
}  // namespace loa
