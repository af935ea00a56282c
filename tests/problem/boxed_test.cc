// Problems with bounds: box:NAME, and active=SHARE,bounds=SEED of all others.
//
// Would catch: a gradient that is not that of f, on the border of a grid too; a known solution that is none; shares of
// active or degenerate variables that are not the stated ones; bounds that leave no room, or leave the start of a grid
// on the wrong side; a minimum that is claimed although the run behind it has failed; a kind that nobody tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "loa/minimize.h"
#include "loa/problem.h"
#include "problem/spec.h"
#include "problem_checks.h"

namespace loa {
namespace {

using ::testing::HasSubstr;

constexpr double kNone = std::numeric_limits<double>::infinity();

// One of each kind, small.
const std::vector<std::string>& small_boxes() {
  static const std::vector<std::string> specs = {"box:quadratic,n=30,seed=3",
                                                 "box:nnls,n=12,seed=1",
                                                 "box:obstacle,n=36",
                                                 "box:torsion,n=36",
                                                 "box:bearing,n=36",
                                                 "box:surface,n=36",
                                                 "box:gaussian-process,n=5,m=15"};
  return specs;
}

Problem made(const std::string& spec) {
  Problem problem;
  EXPECT_EQ(make_problem(spec, problem).message(), "") << spec;
  const Index n = problem.objective->dimension();
  if (problem.lower.size() == 0) problem.lower = Vector::Constant(n, -kNone);
  if (problem.upper.size() == 0) problem.upper = Vector::Constant(n, kNone);
  return problem;
}

Summary solve(Problem& problem, const std::string& algorithm, double gtol) {
  Options options;
  options.algorithm = algorithm;
  options.gtol = gtol;
  options.max_evaluations = 20000;
  options.lower = problem.lower;
  options.upper = problem.upper;
  return minimize(*problem.objective, problem.start, options);
}

// The conditions of Karush, Kuhn and Tucker at x, from f alone. Returns how many variables are at a bound.
Index expect_kkt(Problem& problem, const Vector& x, double tolerance) {
  Vector grad(x.size());
  problem.objective->value_and_gradient(x, grad);
  Index num_at_bound = 0;
  for (Index i = 0; i < x.size(); ++i) {
    EXPECT_GE(x(i), problem.lower(i)) << i;
    EXPECT_LE(x(i), problem.upper(i)) << i;
    const bool at_lower = x(i) == problem.lower(i), at_upper = x(i) == problem.upper(i);
    EXPECT_TRUE(at_lower || grad(i) <= tolerance) << i << ": " << grad(i);
    EXPECT_TRUE(at_upper || grad(i) >= -tolerance) << i << ": " << grad(i);
    num_at_bound += at_lower || at_upper;
  }
  return num_at_bound;
}

TEST(Boxed, EveryKindIsTestedHere) {
  std::vector<std::string> kinds;
  for (const std::string& spec : small_boxes()) kinds.push_back(spec.substr(0, spec.find(',')));
  std::vector<std::string> listed;
  for (const ProblemInfo& info : box_problems()) listed.push_back(info.name);
  EXPECT_EQ(kinds, listed);
}

// At the start, on the bounds that are near, and around.
TEST(Boxed, GradientsAreThoseOfF) {
  for (const std::string& spec : small_boxes()) {
    SCOPED_TRACE(spec);
    Problem problem = made(spec);
    Random random(5);
    for (int k = 0; k < 4; ++k) {
      Vector x = problem.start;
      if (k > 0)
        for (double& entry : x) entry += 0.2 * (1.0 + std::abs(entry)) * random.normal();
      if (k == 2) x = x.cwiseMax(problem.lower).cwiseMin(problem.upper);
      check_gradient_at(*problem.objective, x);
    }
  }
}

// The bounds leave room. Starts are inside but for that of the surface, which the block lifts.
TEST(Boxed, BoundsAreThoseOfARun) {
  for (const std::string& spec : small_boxes()) {
    SCOPED_TRACE(spec);
    Problem problem = made(spec);
    EXPECT_TRUE((problem.lower.array() < problem.upper.array()).all());
    const Summary run = solve(problem, "auto", 1e-6);
    EXPECT_TRUE(run.success()) << run.message;
    Index num_outside = 0;
    for (Index i = 0; i < run.x.size(); ++i)
      num_outside += problem.start(i) < problem.lower(i) || problem.start(i) > problem.upper(i);
    EXPECT_EQ(run.bounds->num_projected, num_outside);
    EXPECT_EQ(num_outside > 0, spec.find("surface") != std::string::npos);
  }
}

// Two algorithms agree, and some bound matters.
TEST(Boxed, SolutionsMeetTheConditions) {
  for (const std::string& spec : small_boxes()) {
    SCOPED_TRACE(spec);
    Problem problem = made(spec);
    const Summary run = solve(problem, "auto", 1e-8), other = solve(problem, "l-bfgs+", 1e-8);
    EXPECT_TRUE(run.success()) << run.message;
    EXPECT_TRUE(other.success()) << other.message;
    EXPECT_NEAR(run.f, other.f, 1e-9 * std::max(1.0, std::abs(run.f)));
    EXPECT_GT(expect_kkt(problem, run.x, 1e-6), 0);
  }
}

// f of the known solution, as many variables at bounds as `active` says, and as many of them without a multiplier as
// `degenerate` says. Multipliers are sqrt(condition) times numbers about 1, free variables are a part of the width off.
TEST(Boxed, TheSolutionOfTheQuadraticIsTheStatedOne) {
  const struct {
    const char* spec;
    Index active, degenerate;
  } cases[] = {{"box:quadratic,n=100,condition=1e2", 30, 3},
               {"box:quadratic,n=100,seed=3,active=0.6,condition=1e2", 60, 6},
               {"box:quadratic,n=40,seed=5,degenerate=0.5,condition=1e2", 12, 6},
               {"box:quadratic,n=40,seed=6,active=1,degenerate=0,condition=1e2", 40, 0},
               {"box:quadratic,n=40,seed=7,active=0,condition=1e2", 0, 0}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.spec);
    Problem problem = made(c.spec);
    const Summary run = solve(problem, "auto", 1e-9);
    EXPECT_TRUE(run.success()) << run.message;
    ASSERT_TRUE(problem.minimum.has_value());
    EXPECT_NEAR(run.f, *problem.minimum, 1e-12 * std::max(1.0, std::abs(run.f)));
    Vector x = run.x, grad(x.size());
    Index num_active = 0, num_degenerate = 0;
    for (Index i = 0; i < x.size(); ++i) {
      const double to_lower = x(i) - problem.lower(i), to_upper = problem.upper(i) - x(i);
      if (!(std::min(to_lower, to_upper) <= 1e-6 * (to_lower + to_upper))) continue;
      x(i) = to_lower < to_upper ? problem.lower(i) : problem.upper(i);
      ++num_active;
    }
    EXPECT_EQ(num_active, c.active);
    EXPECT_EQ(expect_kkt(problem, x, 1e-4), c.active);
    problem.objective->value_and_gradient(x, grad);
    for (Index i = 0; i < x.size(); ++i)
      num_degenerate += (x(i) == problem.lower(i) || x(i) == problem.upper(i)) && std::abs(grad(i)) < 1e-4;
    EXPECT_EQ(num_degenerate, c.degenerate);
  }
}

// Bounds that are drawn for another problem hold the stated share in a solution. f of the solution is the minimum that
// runs from elsewhere find, where there is one alone.
TEST(Boxed, DrawnBoundsHoldTheStatedShare) {
  const struct {
    const char* spec;
    Index active;
  } cases[] = {{"quadratic:n=40,active=0.3,bounds=1", 12},
               {"quadratic:n=40,active=0.6,bounds=2", 24},
               {"logistic:active=0.1,bounds=3", 5},
               {"ridge:active=0.3,bounds=1", 15},
               {"quadratic:n=20,active=0,bounds=4", 0},
               {"quadratic:n=20,active=1,bounds=4", 20},
               // f is not finite where some variables are those of the start and the others those of the minimizer.
               {"synthetic:box-barrier,seed=4,n=251,active=0.6,bounds=1", 151}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.spec);
    Problem problem = made(c.spec);
    ASSERT_TRUE(problem.minimum.has_value());
    EXPECT_TRUE((problem.lower.array() < problem.upper.array()).all());
    const Summary run = solve(problem, "l-bfgs+d", 1e-8);
    EXPECT_TRUE(run.success()) << run.message;
    EXPECT_NEAR(run.f, *problem.minimum, 1e-9 * std::max(1.0, std::abs(run.f)));
    EXPECT_EQ(run.bounds->num_active, c.active);
    EXPECT_EQ(expect_kkt(problem, run.x, 1e-6), c.active);
  }
  Problem one = made("quadratic:n=40,active=0.3,bounds=1"), other = made("quadratic:n=40,active=0.3,bounds=2");
  EXPECT_NE(one.lower, other.lower);
}

// The run behind the bounds need not succeed: then nothing is claimed about the minimum, and where it finds no point
// there is no problem.
TEST(Boxed, AFailureOfTheRunBehindDrawnBoundsIsSaid) {
  const auto drawn = [](Function f, Problem& problem) {
    problem.objective = std::make_unique<FunctionObjective>(3, std::move(f));
    problem.start = Vector::Ones(3);
    problem.minimum = 0.0;
    return draw_bounds({.share = 0.34, .seed = 1}, problem).message();
  };
  Problem problem;
  EXPECT_EQ(drawn([](const Vector& x, Vector& grad) { return grad = x, 0.5 * x.squaredNorm(); }, problem), "");
  EXPECT_TRUE(problem.minimum.has_value());
  // A gradient of the wrong sign: the run ends without a success.
  EXPECT_EQ(drawn([](const Vector& x, Vector& grad) { return grad = -x, 0.5 * x.squaredNorm() + 1.0; }, problem), "");
  EXPECT_FALSE(problem.minimum.has_value());
  EXPECT_TRUE(problem.lower.allFinite() && problem.upper.allFinite());
  EXPECT_THAT(drawn([](const Vector& x, Vector& grad) { return grad.setConstant(-1.0), -x.sum(); }, problem),
              HasSubstr("objective_is_unbounded"));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(drawn([nan](const Vector&, Vector& grad) { return grad.setConstant(nan), nan; }, problem),
              HasSubstr("start_is_not_finite"));
}

}  // namespace
}  // namespace loa
