// The Rosenbrock functions against separately computed numbers, differences and known minima.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "problem/problem_checks.h"
#include "problem/spec.h"

namespace loa {
namespace {

Maker maker_of(const std::string& spec) {
  return spec.starts_with("chained") ? make_chained_rosenbrock : make_rosenbrock;
}

const Reference kRosenbrockReferences[] = {
    {"rosenbrock:n=2", 24.2, 10.685498655394931, -222.8714127287263, 3900.1249530133211},
    {"chained-rosenbrock:n=2", 24.2, 10.685498655394931, -222.8714127287263, 3900.1249530133211},
    {"rosenbrock:n=4", 48.4, 146.6921665043333, -582.19005415040363, 4575.9649140235273},
    {"chained-rosenbrock:n=4", 532.4, 656.67596153178852, 295.085862488141, 7128.9723688237295},
    {"chained-rosenbrock:n=7", 1524.6, 1623.517276708917, 8.8531610593894249, 7451.2844124022435},
    {"rosenbrock:n=10", 121.0, 290.65479169168542, -1215.9771093025005, 9428.7359317872734},
    {"chained-rosenbrock:n=10", 2057.0, 2310.8788990969202, 284.02968929639484, 15026.806832743035},
};

class RosenbrockProblem : public testing::TestWithParam<Reference> {
 protected:
  void SetUp() override { ASSERT_EQ(make(GetParam().spec, maker_of(GetParam().spec), problem_), ""); }
  Problem problem_;
};

TEST_P(RosenbrockProblem, AgreesWithReference) { check_reference(GetParam(), problem_); }
TEST_P(RosenbrockProblem, DerivativesAgreeWithDifferences) { check_derivatives(problem_); }
TEST_P(RosenbrockProblem, IsRepeatable) { check_repeatable(problem_); }

TEST_P(RosenbrockProblem, VanishesAtOnes) {
  const Index n = problem_.objective->dimension();
  Vector grad(n);
  EXPECT_EQ(problem_.minimum, 0.0);
  EXPECT_EQ(problem_.objective->value_and_gradient(Vector::Ones(n), grad), 0.0);
  EXPECT_EQ(grad.norm(), 0.0);
}

INSTANTIATE_TEST_SUITE_P(All, RosenbrockProblem, testing::ValuesIn(kRosenbrockReferences), test_name);

// From (-1, 1, ..., 1), which lies in its basin, a descent method finds the second minimum of the chain. 40 is past the
// end of the stored table.
TEST(Rosenbrock, ChainHasASecondMinimum) {
  for (const Index n : {4, 5, 6, 7, 10, 20, 40}) {
    Problem problem;
    ASSERT_EQ(make("chained-rosenbrock:n=" + std::to_string(n), make_chained_rosenbrock, problem), "");
    ASSERT_EQ(problem.local_minima.size(), 1u);
    Vector x = Vector::Ones(n);
    x[0] = -1.0;
    EXPECT_NEAR(descend(*problem.objective, x), problem.local_minima[0], 1e-13) << n;
  }
  Problem problem;
  ASSERT_EQ(make("chained-rosenbrock:n=3", make_chained_rosenbrock, problem), "");
  EXPECT_TRUE(problem.local_minima.empty());
}

// f(Q x): the same values, gradients of the same length, exact derivatives, other coordinates.
TEST(Rosenbrock, RotationTurnsTheVariables) {
  for (const std::string name : {"rosenbrock", "chained-rosenbrock"}) {
    Problem plain, turned, other;
    ASSERT_EQ(make(name + ":n=10,seed=3", maker_of(name), plain), "");
    ASSERT_EQ(make(name + ":n=10,seed=3,rotation=1", maker_of(name), turned), "");
    ASSERT_EQ(make(name + ":n=10,seed=3,rotation=2", maker_of(name), other), "");
    EXPECT_GT((turned.start - plain.start).norm(), 1.0);
    EXPECT_GT((turned.start - other.start).norm(), 1.0);
    EXPECT_NEAR(turned.start.norm(), plain.start.norm(), 1e-13);
    Vector grad(10), turned_grad(10);
    const double f = plain.objective->value_and_gradient(plain.start, grad);
    EXPECT_NEAR(turned.objective->value_and_gradient(turned.start, turned_grad), f, 1e-11 * f);
    EXPECT_NEAR(turned.objective->value(turned.start), f, 1e-11 * f);
    EXPECT_NEAR(turned_grad.norm(), grad.norm(), 1e-11 * grad.norm());
    EXPECT_GT((turned_grad - grad).norm(), 0.1 * grad.norm());
    EXPECT_EQ(turned.minimum, 0.0);
    check_derivatives(turned);
    check_repeatable(turned);
    EXPECT_LT(descend(*turned.objective, turned.start), name == "rosenbrock" ? 1e-12 : 4.0);
  }
}

TEST(Rosenbrock, SeedPerturbsTheStart) {
  for (const std::string name : {"rosenbrock", "chained-rosenbrock"}) {
    Problem standard, seeded, again, other;
    ASSERT_EQ(make(name + ":n=200", maker_of(name), standard), "");
    ASSERT_EQ(make(name + ":n=200,seed=0", maker_of(name), seeded), "");
    ASSERT_EQ(make(name + ":n=200,seed=0", maker_of(name), again), "");
    ASSERT_EQ(make(name + ":n=200,seed=1", maker_of(name), other), "");
    EXPECT_EQ(standard.start[0], -1.2);
    EXPECT_EQ(standard.start[1], 1.0);
    EXPECT_TRUE(seeded.start == again.start);
    EXPECT_FALSE(seeded.start == other.start);
    // Four standard errors, 4 / sqrt(2 * 200) = 20 % of 0.1.
    EXPECT_NEAR((seeded.start - standard.start).norm() / std::sqrt(200.0), 0.1, 0.02);
    EXPECT_EQ(seeded.start[0], -1.2 + 0.1 * Random(0).normal());
  }
}

TEST(Rosenbrock, HasTheDefaultSizes) {
  Problem extended, chained;
  ASSERT_EQ(make("rosenbrock", make_rosenbrock, extended), "");
  ASSERT_EQ(make("chained-rosenbrock", make_chained_rosenbrock, chained), "");
  EXPECT_EQ(extended.objective->dimension(), 2);
  EXPECT_EQ(chained.objective->dimension(), 10);
}

TEST(Rosenbrock, RefusesBadSizes) {
  for (const char* spec : {"rosenbrock:n=3", "rosenbrock:n=0", "rosenbrock:m=2", "chained-rosenbrock:n=1"}) {
    Problem problem;
    EXPECT_NE(make(spec, maker_of(spec), problem), "") << spec;
  }
}

}  // namespace
}  // namespace loa
