// The problems of grid, chain, likelihood, regression and geometry: gradients, sizes, seeds, starts, mistakes.
//
// Would catch: a wrong slope in the tape or a branch that is not continuous, a size that a variant promises and cannot
// make, a seed that changes nothing, or something else than the start of a chain; a far start that is near; an
// evaluation that allocates; a variant that docs/problems.md does not list.
#include "problem/origin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "loa/check_gradient.h"
#include "loa/minimize.h"
#include "loa/problem.h"
#include "paths.h"
#include "support/allocation_count.h"

namespace loa {
namespace {

using origin::Variant;
using ::testing::HasSubstr;

const std::map<std::string, const std::vector<Variant>*>& kinds() {
  static const std::map<std::string, const std::vector<Variant>*> map = {{"grid", &origin::grid_variants()},
                                                                         {"chain", &origin::chain_variants()},
                                                                         {"likelihood", &origin::likelihood_variants()},
                                                                         {"regression", &origin::regression_variants()},
                                                                         {"geometry", &origin::geometry_variants()}};
  return map;
}

// The names with their kind, and with the key n where there is one: for an n of about `wish`.
std::vector<std::string> specs(Index wish) {
  std::vector<std::string> list;
  for (const auto& [kind, variants] : kinds()) {
    for (const Variant& variant : *variants) {
      std::string spec = kind + ":" + variant.name;
      Index n = std::clamp(wish, variant.sizes.low, variant.sizes.high);
      while (!variant.sizes.contain(n)) --n;
      if (variant.sizes.low < variant.sizes.high) spec += ",n=" + std::to_string(n);
      list.push_back(spec);
    }
  }
  return list;
}

Problem make_it(const std::string& spec) {
  Problem problem;
  EXPECT_EQ(make_problem(spec, problem).message(), "") << spec;
  return problem;
}

double slope_at_start(Problem& problem) {
  Vector grad(problem.start.size());
  problem.objective->value_and_gradient(problem.start, grad);
  return grad.lpNorm<Eigen::Infinity>();
}

TEST(Origin, GradientAgreesWithDifferencesNearTheStart) {
  for (const Index wish : {0, 13, 40}) {
    for (const std::string& spec : specs(wish)) {
      SCOPED_TRACE(spec);
      const Problem problem = make_it(spec + ",seed=3");
      Random random(5);
      Vector x = problem.start;
      for (double& entry : x) entry *= 1.0 + 0.02 * random.normal();
      const GradientCheck check = check_gradient(*problem.objective, x, 1e-5);
      EXPECT_TRUE(check.ok) << check.message;
    }
  }
}

TEST(Origin, StartIsFiniteAndNotStationary) {
  for (const std::string& spec : specs(20)) {
    for (const char* seed : {"", ",seed=1", ",seed=2", ",seed=3", ",seed=4"}) {
      Problem problem = make_it(spec + seed);
      EXPECT_TRUE(std::isfinite(problem.objective->value(problem.start))) << spec << seed;
      const double slope = slope_at_start(problem);
      EXPECT_TRUE(slope > 1e-3 && slope < 1e14) << spec << seed << " " << slope;
    }
  }
}

TEST(Origin, SizesAreWhatTheVariantPromises) {
  for (const auto& [kind, variants] : kinds()) {
    for (const Variant& variant : *variants) {
      const std::string spec = kind + ":" + variant.name;
      SCOPED_TRACE(spec);
      ASSERT_TRUE(variant.sizes.contain(variant.sizes.low));
      ASSERT_TRUE(variant.sizes.contain(variant.sizes.usual));
      ASSERT_TRUE(variant.sizes.contain(variant.sizes.high));
      EXPECT_EQ(make_it(spec).start.size(), variant.sizes.usual);
      Problem problem;
      if (variant.sizes.low == variant.sizes.high) {
        EXPECT_THAT(make_problem(spec + ",n=3", problem).message(), HasSubstr("found the key 'n'"));
        continue;
      }
      for (const Index n : {variant.sizes.low, std::min<Index>(variant.sizes.high, 1000)}) {
        if (variant.sizes.contain(n)) {
          EXPECT_EQ(make_it(spec + ",n=" + std::to_string(n)).start.size(), n);
        }
      }
      for (const Index n : {variant.sizes.low - 1, variant.sizes.high + 1}) {
        EXPECT_NE(make_problem(spec + ",n=" + std::to_string(n), problem).message(), "") << n;
      }
    }
  }
  Problem problem;
  EXPECT_EQ(make_problem("grid:bratu,n=50", problem).message(),
            "grid:bratu,n=50: found n=50, expected n=100 (k^2, 4 to 10000)");
  EXPECT_EQ(make_problem("grid:superconductor,n=100", problem).message(),
            "grid:superconductor,n=100: found n=100, expected n=200 (2 k^2, 8 to 9800)");
  EXPECT_EQ(make_problem("likelihood:mixture,n=6", problem).message(),
            "likelihood:mixture,n=6: found n=6, expected n=8 (3 k - 1, 5 to 17)");
}

// Equal seeds give equal bits, and value() those of value_and_gradient(). Another seed gives another f or another
// start, and in chain and grid (but for the noise of `denoising`) the same f from another start.
TEST(Origin, SeedDecidesDataAndStart) {
  for (const std::string& spec : specs(20)) {
    SCOPED_TRACE(spec);
    const Problem one = make_it(spec + ",seed=1"), same = make_it(spec + ",seed=1"), other = make_it(spec + ",seed=2");
    Vector grad(one.start.size()), grad_same(one.start.size());
    const double f = one.objective->value_and_gradient(one.start, grad);
    EXPECT_EQ(one.objective->value(one.start), f);
    EXPECT_EQ(same.objective->value_and_gradient(same.start, grad_same), f);
    EXPECT_TRUE(one.start == same.start && grad == grad_same);
    other.objective->value_and_gradient(one.start, grad_same);
    EXPECT_FALSE(other.start == one.start && grad == grad_same);
    const bool is_fixed = spec.starts_with("grid") || spec.starts_with("chain");
    if (is_fixed && !spec.starts_with("grid:denoising")) {
      EXPECT_TRUE(grad == grad_same);
      EXPECT_FALSE(other.start == one.start);
    }
  }
}

TEST(Origin, StartFactorMultipliesTheStartOfGridAndChain) {
  EXPECT_TRUE(make_it("chain:engval,start=3").start == 3.0 * make_it("chain:engval").start);
  EXPECT_TRUE(make_it("chain:fletcher,n=5,start=3").start == Vector::Constant(5, 3.0));
  EXPECT_TRUE(make_it("grid:elastica,start=-2").start == -2.0 * make_it("grid:elastica").start);
  Problem problem;
  EXPECT_THAT(make_problem("grid:brachistochrone,start=-1", problem).message(), HasSubstr("f is not finite"));
}

// The data are those of the near start; in most of the models some parameter is off by a factor of 5 at least, and f is
// three times as large.
TEST(Origin, FarStartsAreFar) {
  int far_by_five = 0, higher_by_three = 0, count = 0;
  for (const Variant& variant : origin::regression_variants()) {
    const std::string spec = std::string("regression:") + variant.name + ",seed=1";
    const Problem near = make_it(spec), far = make_it(spec + ",start=far");
    EXPECT_EQ(near.objective->value(near.start), far.objective->value(near.start)) << spec;
    const Vector ratio = (far.start.array() / near.start.array()).abs().log().abs();
    far_by_five += ratio.maxCoeff() > std::log(5.0);
    higher_by_three += far.objective->value(far.start) > 3.0 * near.objective->value(near.start);
    ++count;
  }
  EXPECT_GE(far_by_five, count * 3 / 4);
  EXPECT_GE(higher_by_three, count * 3 / 4);
}

TEST(Origin, OddSeedsOfLikelihoodsHaveUnits) {
  const auto spread = [](const std::string& spec) {
    Problem problem = make_it(spec);
    Vector grad(problem.start.size());
    problem.objective->value_and_gradient(problem.start, grad);
    return grad.tail(40).cwiseAbs().maxCoeff() / grad.tail(40).cwiseAbs().mean();
  };
  EXPECT_GT(spread("likelihood:poisson,n=50,seed=1"), spread("likelihood:poisson,n=50,seed=2"));
}

TEST(Origin, EvaluationAllocatesNothing) {
  if (!can_count_allocations()) GTEST_SKIP() << "allocations cannot be counted here";
  for (const std::string& spec : specs(20)) {
    const Problem problem = make_it(spec);
    Vector grad(problem.start.size());
    const Vector x = problem.start;
    const std::int64_t before = allocation_count();
    problem.objective->value_and_gradient(x, grad);
    problem.objective->value(x);
    EXPECT_EQ(allocation_count(), before) << spec;
  }
}

// f can be minimized: the gradient falls by a factor of 1000 (not so far, of 91: richards, and cosine with this seed).
TEST(Origin, PlainBfgsGetsSomewhere) {
  const Options options = {.algorithm = "bfgs", .gtol = 1e-6, .max_evaluations = 2000};
  int solved = 0, count = 0;
  for (const std::string& spec : specs(12)) {
    Problem problem = make_it(spec + ",seed=2");
    const Summary summary = minimize(*problem.objective, problem.start, options);
    const bool is_good = summary.grad_inf_norm < 1e-3 * slope_at_start(problem);
    solved += is_good;
    ++count;
  }
  EXPECT_GE(solved, count * 9 / 10);
}

TEST(Origin, MistakesAreNamed) {
  Problem problem;
  EXPECT_THAT(make_problem("grid:bratuu", problem).message(), HasSubstr("did you mean 'bratu'?"));
  EXPECT_THAT(make_problem("chain", problem).message(), HasSubstr("found the variant ''"));
  EXPECT_THAT(make_problem("bratu", problem).message(), HasSubstr("did you mean 'grid:bratu'?"));
  EXPECT_THAT(make_problem("regression:hill,start=1", problem).message(), HasSubstr("far"));
  EXPECT_THAT(make_problem("likelihood:probit,start=far", problem).message(), HasSubstr("found the key 'start'"));
  EXPECT_THAT(make_problem("geometry:morse,m=3", problem).message(), HasSubstr("found the key 'm'"));
}

// The page has a row for each kind with the names; `loa list problems` prints what they are.
TEST(Origin, EveryVariantIsDocumented) {
  std::ifstream file(std::string(LOA_SOURCE_DIR) + "/docs/problems.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  for (const auto& [kind, variants] : kinds()) {
    const std::size_t begin = page.find("| [`" + kind + ":`]");
    ASSERT_NE(begin, std::string::npos) << kind;
    const std::string row = page.substr(begin, page.find('\n', begin) - begin);
    for (const Variant& variant : *variants) EXPECT_THAT(row, HasSubstr("`" + std::string(variant.name) + "`"));
  }
}

}  // namespace
}  // namespace loa
