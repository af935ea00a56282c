#include "experiment/optimum.h"

#include <gtest/gtest.h>

#include <cmath>

#include "loa/minimize.h"

namespace loa {
namespace {

Optimum optimum_of(const std::string& spec) {
  Problem problem;
  EXPECT_EQ(make_problem(spec, problem).message(), "");
  Optimum optimum;
  EXPECT_TRUE(find_optimum(problem, optimum)) << spec;
  return optimum;
}

TEST(Optimum, NewtonEndsAtRoundOff) {
  const Optimum optimum = optimum_of("logistic:m=40,n=10,seed=3");
  EXPECT_EQ(optimum.source, "newton");
  EXPECT_LT(optimum.grad_inf_norm, 1e-15);
  Problem problem;
  ASSERT_EQ(make_problem("logistic:m=40,n=10,seed=3", problem).message(), "");
  Options options;
  options.gtol = 1e-13;
  EXPECT_NEAR(minimize(*problem.objective, problem.start, options).f, optimum.f, 1e-14);
}

TEST(Optimum, KnownMinimaAreTaken) {
  EXPECT_EQ(optimum_of("rosenbrock").source, "known");
  EXPECT_EQ(optimum_of("rosenbrock").f, 0.0);
  EXPECT_EQ(optimum_of("ridge:m=30,n=5").source, "known");
}

TEST(Optimum, WithoutConvexityThereIsNone) {
  Problem problem;
  ASSERT_EQ(make_problem("mgh:watson,n=5", problem).message(), "");
  ASSERT_FALSE(problem.minimum);
  Optimum optimum;
  EXPECT_FALSE(find_optimum(problem, optimum));
}

// Would catch: the minimum without bounds as the reference of runs with bounds.
TEST(Optimum, NewtonIsNotAskedWithBounds) {
  Problem problem;
  ASSERT_EQ(make_problem("logistic:m=40,n=10,seed=3", problem).message(), "");
  problem.lower = Vector::Constant(10, 0.0);
  Optimum optimum;
  EXPECT_FALSE(find_optimum(problem, optimum));
}

}  // namespace
}  // namespace loa
