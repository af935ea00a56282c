// The paper's quadratics: the recipe, the derivatives, and that a spec means the same function every time.
#include "problem/quadratic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loa/problem.h"
#include "problem/decompositions.h"
#include "problem/derivative_checks.h"

namespace loa {
namespace {

using ::testing::HasSubstr;

Problem made_quadratic(const std::string& spec) {
  Problem problem;
  EXPECT_EQ(make_problem(spec, problem).message(), "");
  return problem;
}

Vector eigenvalues_of_hessian(Problem& problem) {
  Matrix hessian;
  EXPECT_TRUE(problem.objective->hessian(problem.start, hessian));
  return eigenvalues(hessian);
}

TEST(Quadratic, Derivatives) {
  Problem problem = made_quadratic("quadratic:n=30,seed=4");
  expect_gradient(*problem.objective, problem.start, 1e-8);
  expect_hessian_vector(*problem.objective, problem.start, random_vector(30, 1), 1e-8);
  expect_hessian(*problem.objective, problem.start, 1e-13);
}

TEST(Quadratic, FollowsTheAppendix) {
  for (int seed = 0; seed < 5; ++seed) {
    Problem problem = made_quadratic("quadratic:n=40,seed=" + std::to_string(seed));
    EXPECT_EQ(problem.objective->dimension(), 40);
    const Vector squares = eigenvalues_of_hessian(problem);  // lambda^2, increasing
    EXPECT_GE(squares[0], 0.1 * 0.1 * (1.0 - 1e-9));
    EXPECT_LE(squares[0], 1.0 + 1e-9);
    EXPECT_GE(squares[39], 1.0 - 1e-9);
    EXPECT_LE(squares[39], 50.0 * 50.0);
    EXPECT_NEAR(*problem.lipschitz, squares[39], 1e-12 * squares[39]);
    // f(0) = 1/2 ||b||^2, b uniform in [0, 15]: mean 40 * 75 / 2.
    const double at_zero = problem.objective->value(Vector::Zero(40));
    EXPECT_GT(at_zero, 500.0);
    EXPECT_LT(at_zero, 3000.0);
  }
}

TEST(Quadratic, MinimumIsZeroAndAccurate) {
  Problem problem = made_quadratic("quadratic:n=20");
  EXPECT_EQ(problem.minimum, 0.0);
  Vector x = problem.start, grad(20);
  Matrix hessian;
  problem.objective->hessian(x, hessian);
  for (int i = 0; i < 3; ++i) {
    problem.objective->value_and_gradient(x, grad);
    x -= symmetric_solver(hessian)(grad);
  }
  EXPECT_LE(problem.objective->value(x), 1e-20);
}

TEST(Quadratic, SpectrumCanBeFixed) {
  Problem problem = made_quadratic("quadratic:n=10,low=0.5,high=1e3");
  const Vector squares = eigenvalues_of_hessian(problem);
  EXPECT_NEAR(squares[0], 0.25, 1e-9);
  EXPECT_NEAR(squares[9], 1e6, 1e-6);
  EXPECT_EQ(problem.lipschitz, 1e6);
  // The rest stays: b does not depend on the spectrum.
  EXPECT_EQ(problem.objective->value(Vector::Zero(10)),
            made_quadratic("quadratic:n=10").objective->value(Vector::Zero(10)));
  // All equal: A = 2 I up to round-off.
  Problem round = made_quadratic("quadratic:n=5,low=2,high=2");
  Matrix hessian;
  round.objective->hessian(round.start, hessian);
  EXPECT_LE((hessian - 4.0 * Matrix::Identity(5, 5)).norm(), 1e-13);
}

TEST(Quadratic, SeedAndStart) {
  Problem a = made_quadratic("quadratic:n=8,seed=3"), same = made_quadratic("quadratic:n=8,seed=3,start=0");
  Problem other_start = made_quadratic("quadratic:n=8,seed=3,start=1"),
          other_seed = made_quadratic("quadratic:n=8,seed=4");
  EXPECT_EQ(a.start, same.start);
  EXPECT_NE(a.start, other_start.start);
  EXPECT_NE(a.start, other_seed.start);
  const Vector x = random_vector(8, 2);
  Vector grad_a(8), grad(8);
  const double f = a.objective->value_and_gradient(x, grad_a);
  EXPECT_EQ(same.objective->value_and_gradient(x, grad), f);
  EXPECT_EQ(grad, grad_a);
  EXPECT_EQ(other_start.objective->value_and_gradient(x, grad), f);
  EXPECT_EQ(grad, grad_a);
  EXPECT_NE(other_seed.objective->value(x), f);
}

TEST(Quadratic, StartIsAUniformTimesANormal) {
  // E (u z)^2 = 1/3; the standard error over 400 starts of 50 coordinates is about 0.02.
  double squares = 0.0;
  for (int start = 0; start < 400; ++start) {
    squares += made_quadratic("quadratic:n=50,low=1,high=1,start=" + std::to_string(start)).start.squaredNorm() / 50.0;
  }
  EXPECT_NEAR(squares / 400.0, 1.0 / 3.0, 0.08);
}

TEST(Quadratic, SmallDimensions) {
  Problem one = made_quadratic("quadratic:n=1,low=1,high=3");
  EXPECT_NEAR(eigenvalues_of_hessian(one)[0], 9.0, 1e-14);
  Problem two = made_quadratic("quadratic:n=2,low=1,high=3");
  EXPECT_NEAR(eigenvalues_of_hessian(two)[0], 1.0, 1e-14);
  EXPECT_NEAR(eigenvalues_of_hessian(two)[1], 9.0, 1e-13);
  EXPECT_EQ(made_quadratic("quadratic").objective->dimension(), 100);
}

TEST(Quadratic, Mistakes) {
  Problem problem;
  EXPECT_THAT(make_problem("quadratic:n=0", problem).message(), HasSubstr("expected an integer from 1 to 10000"));
  EXPECT_THAT(make_problem("quadratic:low=2,high=1", problem).message(),
              HasSubstr("low=2 and high=1, expected low <= high"));
  EXPECT_THAT(make_problem("quadratic:low=0", problem).message(), HasSubstr("found low='0'"));
  EXPECT_THAT(make_problem("quadratic:high=-1", problem).message(), HasSubstr("found high='-1'"));
  EXPECT_THAT(make_problem("quadratic:seed=-1", problem).message(), HasSubstr("found seed='-1'"));
  EXPECT_THAT(make_problem("quadratic:m=3", problem).message(), HasSubstr("found the key 'm'"));
  EXPECT_EQ(problem.objective, nullptr);
}

}  // namespace
}  // namespace loa
