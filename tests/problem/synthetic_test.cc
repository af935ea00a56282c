// Every synthetic family: its gradient against differences, its frame, its seeds, and that it is neither trivial nor
// impossible for plain BFGS.
#include "problem/synthetic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "loa/minimize.h"
#include "loa/problem.h"
#include "loa/random.h"
#include "paths.h"
#include "problem/problem_checks.h"
#include "support/allocation_count.h"

namespace loa {
namespace {

using ::testing::HasSubstr;

// Every family and some of the templates.
std::vector<std::string> names() {
  std::vector<std::string> list = synthetic_families();
  for (Index k = 0; k < kNumExpressionTemplates; k += 17) list.push_back("expression-" + std::to_string(k));
  return list;
}

Problem made(const std::string& name, int seed, const std::string& more = "") {
  Problem problem;
  EXPECT_EQ(make_problem("synthetic:" + name + ",seed=" + std::to_string(seed) + more, problem).message(), "");
  return problem;
}

TEST(Synthetic, HasManyFamilies) {
  const std::vector<std::string>& families = synthetic_families();
  EXPECT_GE(families.size(), 45u);
  EXPECT_EQ(std::set<std::string>(families.begin(), families.end()).size(), families.size());
  EXPECT_GE(kNumExpressionTemplates, 240);
}

// By its name; `loa list problems` prints what it is.
TEST(Synthetic, EveryFamilyIsDocumented) {
  std::ifstream file(std::string(LOA_SOURCE_DIR) + "/docs/problems.md");
  const std::string whole(std::istreambuf_iterator<char>(file), {});
  const std::size_t begin = whole.find("## synthetic");
  ASSERT_NE(begin, std::string::npos);
  const std::string page = whole.substr(begin, whole.find("\n## ", begin) - begin);
  for (const synthetic::Family& family : synthetic::families())
    EXPECT_THAT(page, HasSubstr("`" + std::string(family.name) + "`"));
}

TEST(Synthetic, StartIsFiniteAndNotStationary) {
  for (const std::string& name : names()) {
    for (int seed = 0; seed < 20; ++seed) {
      SCOPED_TRACE(name + " " + std::to_string(seed));
      const Problem problem = made(name, seed);
      Vector grad(problem.start.size());
      EXPECT_TRUE(std::isfinite(problem.objective->value_and_gradient(problem.start, grad)));
      ASSERT_TRUE(grad.allFinite());
      const double size = grad.lpNorm<Eigen::Infinity>();
      EXPECT_GE(size, 0.99 * std::pow(10.0, -0.5));
      EXPECT_LE(size, 1.01e3);
    }
  }
}

// Without the frame, where all lengths are of order 1. Coordinate by coordinate at two points.
TEST(Synthetic, GradientAgreesWithDifferences) {
  for (const synthetic::Family& family : synthetic::families()) {
    for (const Index n :
         {family.low, family.low + 1, std::min<Index>(family.high, 13), std::min<Index>(family.high, 47)}) {
      SCOPED_TRACE(family.name + std::string(" ") + std::to_string(n));
      Random random(static_cast<std::uint64_t>(n));
      const synthetic::Draft draft = family.make(n, random);
      ASSERT_EQ(draft.phi->dimension(), n);
      ASSERT_EQ(draft.center.size(), n);
      for (const double radius : {0.02, 0.2}) {
        Vector z = draft.center;
        for (double& entry : z) entry += radius * draft.reach * random.normal();
        if (std::isfinite(draft.phi->value(z))) check_gradient_at(*draft.phi, z);
      }
    }
  }
}

// Products of powers have third derivatives of any size, so the best of several steps counts.
TEST(Synthetic, GradientOfExpressionsAgreesWithDifferences) {
  for (Index k = 0; k < kNumExpressionTemplates; ++k) {
    SCOPED_TRACE(k);
    Random random(static_cast<std::uint64_t>(k));
    const synthetic::Draft draft = synthetic::make_expression(k, 2 + k % 7, random);
    Vector z = draft.center;
    for (double& entry : z) entry += 0.02 * random.normal();
    Vector grad(z.size());
    draft.phi->value_and_gradient(z, grad);
    const double size = grad.lpNorm<Eigen::Infinity>();
    for (Index j = 0; j < z.size(); ++j) {
      double least = size;
      for (double h = 1e-3; h > 1e-8; h *= 0.2) {
        const Vector step = h * Vector::Unit(z.size(), j);
        const double difference = (draft.phi->value(z + step) - draft.phi->value(z - step)) / (2.0 * h);
        least = std::min(least, std::abs(difference - grad[j]));
      }
      EXPECT_LE(least, 1e-7 * size) << j;
    }
  }
}

// The frame passes the gradient on: the slope along it is its squared length. The best of several steps counts, because
// the lengths of x vary by orders of magnitude.
TEST(Synthetic, FrameKeepsTheGradient) {
  for (const std::string& name : names()) {
    for (int seed = 0; seed < 10; ++seed) {
      SCOPED_TRACE(name + " " + std::to_string(seed));
      const Problem problem = made(name, seed);
      Objective& f = *problem.objective;
      Vector grad(problem.start.size());
      f.value_and_gradient(problem.start, grad);
      double least = 1.0;
      for (double h = 1.0; h > 1e-14; h *= 0.2) {
        const double up = f.value(problem.start + h * grad), down = f.value(problem.start - h * grad);
        const double error = std::abs((up - down) / (2.0 * h * grad.squaredNorm()) - 1.0);
        if (error < least) least = error;
      }
      EXPECT_LE(least, 1e-5);
    }
  }
}

TEST(Synthetic, SeedDecidesEverything) {
  for (const std::string& name : names()) {
    SCOPED_TRACE(name);
    const Problem one = made(name, 5, ",n=6"), same = made(name, 5, ",n=6"), other = made(name, 6, ",n=6");
    Vector grad(6), grad_same(6), grad_other(6);
    const Vector z = one.start + Vector::Constant(6, 1e-3);
    const double value = one.objective->value_and_gradient(z, grad);
    EXPECT_EQ(one.objective->value(z), value);
    EXPECT_EQ(same.objective->value_and_gradient(z, grad_same), value);
    EXPECT_TRUE(one.start == same.start && grad == grad_same);
    EXPECT_EQ(one.objective->value_and_gradient(z, grad_same), value);  // two equal calls give equal bits
    EXPECT_TRUE(grad == grad_same);
    other.objective->value_and_gradient(other.start, grad_other);
    EXPECT_FALSE(grad == grad_other);
  }
}

TEST(Synthetic, DimensionIsDrawnWithinItsRangeOrGiven) {
  for (const synthetic::Family& family : synthetic::families()) {
    SCOPED_TRACE(family.name);
    std::set<Index> drawn;
    for (int seed = 0; seed < 10; ++seed) drawn.insert(made(family.name, seed).start.size());
    EXPECT_GE(*drawn.begin(), std::max<Index>(2, family.low));
    EXPECT_LE(*drawn.rbegin(), std::min<Index>(200, family.high));
    EXPECT_GE(drawn.size(), 3u);
    for (const Index n : {family.low, std::min<Index>(family.high, 60)}) {
      EXPECT_EQ(made(family.name, 1, ",n=" + std::to_string(n)).start.size(), n);
    }
    Problem problem;
    const std::string spec = std::string("synthetic:") + family.name + ",n=";
    EXPECT_NE(make_problem(spec + std::to_string(family.low - 1), problem).message(), "");
    EXPECT_NE(make_problem(spec + std::to_string(family.high + 1), problem).message(), "");
  }
}

TEST(Synthetic, FrameVaries) {
  int at_zero = 0, at_ones = 0;
  for (const std::string& name : synthetic_families()) {
    const Vector start = made(name, 3).start;
    at_zero += start.isZero(0.0);
    at_ones += start.isOnes(0.0);
  }
  const int count = static_cast<int>(synthetic_families().size());
  EXPECT_GT(at_zero, count / 8);
  EXPECT_GT(at_ones, count / 8);
  EXPECT_LT(at_zero + at_ones, 3 * count / 4);
}

TEST(Synthetic, EvaluationAllocatesNothing) {
  if (!can_count_allocations()) GTEST_SKIP() << "allocations cannot be counted here";
  for (const std::string& name : names()) {
    const Problem problem = made(name, 2);
    Vector grad(problem.start.size());
    const Vector x = problem.start;
    const std::int64_t before = allocation_count();
    problem.objective->value_and_gradient(x, grad);
    problem.objective->value(x);
    EXPECT_EQ(allocation_count(), before) << name;
  }
}

// Of 10 instances each family lets BFGS solve most, and needs more than a handful of evaluations.
TEST(Synthetic, IsNeitherTrivialNorImpossible) {
  const Options options = {.algorithm = "bfgs", .gtol = 1e-6, .max_evaluations = 3000};
  int solved = 0, runs = 0;
  for (const std::string& name : names()) {
    int solved_here = 0;
    std::vector<std::int64_t> evaluations;
    for (int seed = 0; seed < 10; ++seed) {
      const Problem problem = made(name, seed);
      const Summary summary = minimize(*problem.objective, problem.start, options);
      solved_here += summary.status == Status::kGradientIsSmall;
      evaluations.push_back(summary.evaluations.gradient);
    }
    std::nth_element(evaluations.begin(), evaluations.begin() + 5, evaluations.end());
    EXPECT_GE(solved_here, 6) << name;
    EXPECT_GE(evaluations[5], 8) << name;
    solved += solved_here;
    runs += 10;
  }
  EXPECT_GE(solved, runs * 19 / 20);
}

TEST(Synthetic, NamesTheNearestFamily) {
  Problem problem;
  EXPECT_EQ(make_problem("synthetic:pseudo-hubr,seed=3", problem).message(),
            "synthetic:pseudo-hubr,seed=3: found the family 'pseudo-hubr', expected one that is listed or expression-0 "
            "to expression-255, did you mean 'pseudo-huber'?");
  EXPECT_THAT(make_problem("synthetic:zzz", problem).message(), HasSubstr("expected one of spread-quadratic, "));
  EXPECT_THAT(make_problem("synthetic:expression-256", problem).message(), HasSubstr("expression-255"));
  EXPECT_THAT(make_problem("synthetic:expression-01", problem).message(),
              HasSubstr("found the family 'expression-01'"));
  EXPECT_THAT(make_problem("synthetic", problem).message(), HasSubstr("found the family ''"));
  EXPECT_THAT(make_problem("synthetic:quartic,m=3", problem).message(),
              HasSubstr("found the key 'm', expected one of n, seed"));
  EXPECT_THAT(make_problem("pseudo-huber", problem).message(), HasSubstr("did you mean 'synthetic:pseudo-huber'?"));
}

}  // namespace
}  // namespace loa
