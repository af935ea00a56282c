#include "experiment/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace loa {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A run whose f falls by `factor` an iteration from 1 to below 1e-13, with `cost` evaluations each; f* = 0.
ComparedRun geometric_run(std::size_t problem, std::size_t algorithm, std::int64_t start, double factor,
                          std::int64_t cost) {
  ComparedRun run;
  run.problem = problem;
  run.algorithm = algorithm;
  run.start = start;
  run.status = Status::kGradientIsSmall;
  run.solved = true;
  double f = 1.0;
  for (std::int64_t k = 0; f > 1e-13; ++k, f *= factor) run.trace.push_back({k, f, f, 1.0, 1 + k * cost, 0.0});
  run.iterations = run.trace.back().iteration;
  run.evaluations.value = run.trace.back().evaluations;
  run.f_start = 1.0;
  run.f = run.gap = run.trace.back().f;
  return run;
}

Comparison two_algorithms() {
  Comparison c;
  c.labels = {"bfgs", "slow"};
  c.plan.algorithms = c.labels;
  for (const char* name : {"a", "b"}) {
    ComparedProblem problem;
    problem.name = name;
    problem.n = 9;
    problem.reference_is_known = true;
    c.problems.push_back(problem);
  }
  for (std::size_t p = 0; p < 2; ++p)
    for (std::int64_t s = 0; s < 3; ++s) c.runs.push_back(geometric_run(p, 0, s, 0.1, 1));
  for (std::size_t p = 0; p < 2; ++p)
    for (std::int64_t s = 0; s < 3; ++s) c.runs.push_back(geometric_run(p, 1, s, 0.5, 2));
  return c;
}

TEST(Quantile, InterpolatesBetweenOrderStatistics) {
  EXPECT_EQ(quantile({3.0, 1.0, 2.0}, 0.5), 2.0);
  EXPECT_EQ(quantile({4.0, 1.0, 2.0, 3.0}, 0.25), 1.75);
  EXPECT_EQ(quantile({5.0}, 0.75), 5.0);
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
}

TEST(Quantile, TakesWhatIsNotFiniteForTheWorst) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(quantile({1.0, nan, 2.0}, 0.5), 2.0);
  EXPECT_EQ(quantile({1.0, kInfinity}, 0.5), kInfinity);
  EXPECT_EQ(quantile({kInfinity, kInfinity, kInfinity}, 0.25), kInfinity);
  EXPECT_EQ(quantile({1.0, 2.0, 3.0, kInfinity}, 0.5), 2.5);
}

TEST(Statistics, CountsToAGap) {
  const Comparison c = two_algorithms();
  const auto groups = group_statistics(c);
  ASSERT_EQ(groups.size(), 4u);
  const ToGap& fast = groups[0].to_gap[2];  // 1e-6
  EXPECT_EQ(fast.gap, 1e-6);
  EXPECT_EQ(fast.reached, 3);
  EXPECT_NEAR(fast.iterations.middle, 6.0, 1.0) << "0.1^6, up to its round-off";
  const ToGap& slow = groups[1].to_gap[2];
  EXPECT_EQ(slow.iterations.middle, 20.0) << "0.5^20 is below 1e-6";
  EXPECT_EQ(slow.evaluations.middle, 41.0);
}

TEST(Statistics, ARunThatNeverGetsThereIsInfinite) {
  Comparison c = two_algorithms();
  for (ComparedRun& run : c.runs)
    if (run.algorithm == 1 && run.start > 0) run.trace.resize(3);
  const ToGap to = to_gap(c, runs_of(c, 0, 1), 1e-6);
  EXPECT_EQ(to.reached, 1);
  EXPECT_EQ(to.iterations.middle, kInfinity);
  EXPECT_EQ(to_gap(c, runs_of(c, 0, 1), 0.25).iterations.middle, 2.0);
}

TEST(Statistics, GapsAtAnIterationStayAfterTheEnd) {
  const Comparison c = two_algorithms();
  const ComparedRun& run = c.runs.back();
  EXPECT_EQ(gap_at(c, run, 3), 0.125);
  EXPECT_EQ(gap_at(c, run, 100000), run.f);
}

TEST(Statistics, BandsHaveOneEntryAnIteration) {
  const Comparison c = two_algorithms();
  const BandCurve curve = gap_band(c, runs_of(c, kAllProblems, 1), Abscissa::kEvaluations);
  EXPECT_EQ(curve.label, "slow");
  ASSERT_GT(curve.x.size(), 5u);
  EXPECT_EQ(curve.x[3], 7.0);
  EXPECT_EQ(curve.median[3], 0.125);
  EXPECT_EQ(curve.low[3], curve.high[3]) << "all runs are alike";
}

TEST(Statistics, ProfilesAreDistributionFunctions) {
  Comparison c = two_algorithms();
  for (ComparedRun& run : c.runs)
    if (run.algorithm == 1 && run.problem == 1) run.trace.resize(2);  // not solved
  const auto performance = performance_profile(c, 1e-6);
  ASSERT_EQ(performance.size(), 2u);
  EXPECT_EQ(performance[0].x, std::vector<double>{1.0});
  EXPECT_EQ(performance[0].fraction, std::vector<double>{1.0});
  ASSERT_EQ(performance[1].x.size(), 1u);
  EXPECT_GT(performance[1].x[0], 4.0);
  EXPECT_EQ(performance[1].fraction, std::vector<double>{0.5});
  const auto data = data_profile(c, 1e-6);
  EXPECT_EQ(data[1].x, std::vector<double>{4.1}) << "41 evaluations, n + 1 = 10";
}

}  // namespace
}  // namespace loa
