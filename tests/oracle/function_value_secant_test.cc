// Would catch: a wrong factor or sign in theta, a ratio that is believed near round-off or without curvature, units.
#include "oracle/function_value_secant.h"

#include <gtest/gtest.h>

#include <cmath>

#include "loa/quasi_newton_input.h"
#include "oracle/oracles.h"
#include "storage/storages.h"
#include "support/objectives.h"

namespace loa {
namespace {

using test::kInf;
using test::kNaN;

// phi(t) = a + b t + c t^2/2 + e t^3/6 on [0, 1].
StepEnds cubic(double a, double b, double c, double e) { return {a, a + b + c / 2.0 + e / 6.0, b, b + c + e / 2.0}; }

TEST(CurvatureRatio, OfACubicIsTheCurvatureAtItsEndOverTheMean) {
  for (const double e : {-0.9, -0.3, 0.4, 1.5, 4.0}) {
    const double c = 2.0, mean = c + e / 2.0, at_end = c + e;
    EXPECT_NEAR(curvature_ratio(cubic(1.0, -3.0, c, e)), at_end / mean, 1e-13) << e;
  }
}

TEST(CurvatureRatio, OfAQuadraticIsOne) { EXPECT_NEAR(curvature_ratio(cubic(2.0, -1.0, 0.7, 0.0)), 1.0, 1e-13); }

TEST(CurvatureRatio, StaysWithinAFactorOfThree) {
  EXPECT_EQ(curvature_ratio({.f_prev = 10.0, .f = 0.0, .slope_prev = -1.0, .slope = 1.0}), 3.0);
  EXPECT_EQ(curvature_ratio({.f_prev = 0.0, .f = 10.0, .slope_prev = -1.0, .slope = 1.0}), 1.0 / 3.0);
}

TEST(CurvatureRatio, StaysWithinAnotherFactorIfAsked) {
  EXPECT_EQ(curvature_ratio({.f_prev = 10.0, .f = 0.0, .slope_prev = -1.0, .slope = 1.0}, 5.0), 5.0);
  EXPECT_EQ(curvature_ratio({.f_prev = 0.0, .f = 10.0, .slope_prev = -1.0, .slope = 1.0}, 5.0), 0.2);
}

TEST(CurvatureRatio, IsOneWhereNothingIsToBeKnown) {
  EXPECT_EQ(curvature_ratio(cubic(1.0, -3.0, -2.0, 1.0)), 1.0);    // no positive curvature
  EXPECT_EQ(curvature_ratio({1e12, 1e12 - 1.0, -1.0, 1.0}), 1.0);  // values agree to round-off
  EXPECT_EQ(curvature_ratio({kNaN, 0.0, -1.0, 1.0}), 1.0);
  EXPECT_EQ(curvature_ratio({1.0, 0.0, kNaN, 1.0}), 1.0);
  EXPECT_EQ(curvature_ratio({kInf, 0.0, -1.0, 1.0}), 1.0);
}

TEST(CurvatureRatio, HasNoUnits) {
  const StepEnds ends = cubic(3.0, -2.0, 1.0, 1.0);
  for (const int k : {-200, -3, 40}) {
    const double c = std::exp2(k);
    EXPECT_EQ(curvature_ratio({c * ends.f_prev, c * ends.f, c * ends.slope_prev, c * ends.slope}),
              curvature_ratio(ends));
  }
}

TEST(QuasiNewtonOracle, WithValuesDividesTheStepAlone) {
  const auto oracle = quasi_newton_oracle({}, SecantEquation::kFunctionValues);
  State state;
  state.x_prev = Vector{{0.0, 1.0}};
  state.x = Vector{{1.0, 3.0}};
  state.grad_prev = Vector{{-1.0, -1.0}};
  state.grad = Vector{{0.5, 0.25}};
  state.f_prev = 2.0;
  state.f = 1.5;
  quasi_newton_storage({})->initialize(state);
  Input plain, divided;
  FunctionObjective f(2, [](const Vector&, Vector&) { return 0.0; });
  quasi_newton_oracle({})->observe(f, state, plain);
  oracle->observe(f, state, divided);
  const double ratio = curvature_ratio({2.0, 1.5, -3.0, 1.0});
  EXPECT_NE(ratio, 1.0);
  EXPECT_TRUE(divided.vectors[kD].isApprox(plain.vectors[kD] / ratio, 1e-15));
  EXPECT_EQ(divided.vectors[kBDeltaG], plain.vectors[kBDeltaG]);
  EXPECT_EQ(divided.covectors[kDeltaG], plain.covectors[kDeltaG]);
}

}  // namespace
}  // namespace loa
