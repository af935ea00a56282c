// Variables that bounds hold. Would catch: a scale, a diagonal, a first step or a test of lengths with held variables
// in it, so that a variable that cannot move costs evaluations by its coupling to others or by its size; a step of a
// matrix that loses its digits to a large multiplier.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "loa/loa.h"
#include "support/objectives.h"

namespace loa {
namespace {

using test::ChainedRosenbrock;
using test::random_vector;

constexpr Index kFree = 30;
constexpr double kNone = std::numeric_limits<double>::infinity();

// An objective of kFree variables that comes with one more variable before them, held by its bound.
struct WithHeld {
  Function f;
  double lower = 0.0, upper = 0.0, start = 0.0;
  Vector free_start = Vector::Zero(kFree);

  Summary solve(const std::string& algorithm, double gtol) const {
    Options options;
    options.algorithm = algorithm;
    options.gtol = gtol;
    options.max_evaluations = 2000;
    options.lower = Vector::Constant(kFree + 1, -kNone);
    options.upper = Vector::Constant(kFree + 1, kNone);
    options.lower(0) = lower;
    options.upper(0) = upper;
    Vector x0(kFree + 1);
    x0 << start, free_start;
    return minimize(f, x0, options);
  }
};

// sum_i D_i (x_i - c_i)^2/2 of the free variables; the gradient goes into their part.
double separable(const Vector& x, Vector& grad) {
  static const Vector center = random_vector(kFree, 1);
  double f = 0.0;
  for (Index i = 0; i < kFree; ++i) {
    const double D = std::pow(100.0, static_cast<double>(i) / (kFree - 1)), z = x(i + 1) - center(i);
    f += 0.5 * D * z * z;
    grad(i + 1) = D * z;
  }
  return f;
}

// x_0 = 0 is fixed, and the free variables meet K only in the derivative by x_0.
WithHeld coupled(double K) {
  return {.f = [K](const Vector& x, Vector& grad) {
    const double f = separable(x, grad);
    const double residual = K * x(0) + x.tail(kFree).sum() / std::sqrt(double(kFree));
    grad(0) = K * residual;
    grad.tail(kFree).array() += residual / std::sqrt(double(kFree));
    return f + 0.5 * residual * residual;
  }};
}

// x_0 = size is fixed and f knows nothing of it.
WithHeld of_size(double size) {
  return {.f =
              [](const Vector& x, Vector& grad) {
                grad(0) = 0.0;
                return separable(x, grad);
              },
          .lower = size,
          .upper = size,
          .start = size};
}

// x_0 >= 0 is held at 0 by a multiplier near M, with x_0 sum_i x_i besides.
WithHeld with_multiplier(double M) {
  return {.f =
              [M](const Vector& x, Vector& grad) {
                const Vector free = x.tail(kFree);
                Vector of_free(kFree);
                const double f = ChainedRosenbrock(kFree).value_and_gradient(free, of_free);
                grad(0) = M + free.sum();
                grad.tail(kFree) = of_free.array() + x(0);
                return f + M * x(0) + x(0) * free.sum();
              },
          .upper = kNone,
          .free_start = Vector::Constant(kFree, -1.0)};
}

class HeldVariables : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Bounds, HeldVariables,
                         testing::Values("bfgs+d", "bfgs+", "sr1+", "loa", "bfgs", "l-bfgs+d", "l-bfgs+", "l-bfgs"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::ranges::replace(name, '-', '_');
                           std::ranges::replace(name, '+', 'p');
                           return name;
                         });

// The features of loa's controller are of all variables, the held ones too.
std::int64_t allowed(const std::string& algorithm) { return algorithm == "loa" ? 6 : 0; }

TEST_P(HeldVariables, TheirCouplingCostsNothing) {
  const Summary weakly = coupled(1.0).solve(GetParam(), 1e-6);
  ASSERT_TRUE(weakly.success());
  for (const double K : {1e4, 1e6, 1e9}) {
    const Summary run = coupled(K).solve(GetParam(), 1e-6);
    EXPECT_TRUE(run.success()) << K;
    EXPECT_NEAR(static_cast<double>(run.evaluations.value), static_cast<double>(weakly.evaluations.value),
                static_cast<double>(allowed(GetParam())))
        << K;
  }
}

TEST_P(HeldVariables, TheirSizeCostsNothing) {
  const Summary small = of_size(1.0).solve(GetParam(), 1e-6);
  ASSERT_TRUE(small.success());
  for (const double size : {1e4, 1e10, 1e14}) {
    const Summary run = of_size(size).solve(GetParam(), 1e-6);
    EXPECT_TRUE(run.success()) << size;
    EXPECT_EQ(run.evaluations, small.evaluations) << size;
  }
}

TEST_P(HeldVariables, TheirMultipliersTakeNoDigits) {
  const Summary small = with_multiplier(1e3).solve(GetParam(), 1e-8);
  ASSERT_TRUE(small.success());
  for (const double M : {1e8, 1e10, 1e12}) {
    const Summary run = with_multiplier(M).solve(GetParam(), 1e-8);
    EXPECT_TRUE(run.success()) << M;
    EXPECT_LE(static_cast<double>(run.evaluations.value), 1.25 * static_cast<double>(small.evaluations.value)) << M;
    EXPECT_NEAR(run.bounds->multipliers(0), M, 1e-6 * M);
  }
}

}  // namespace
}  // namespace loa
