// Would catch: a feature with a wrong sign, factor or place, one that has a unit or depends on the axes, one that is
// not finite where f is hostile, features of a slice instead of the whole vector.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>

#include "core/invariant_features.h"
#include "linalg/dense_inverse_hessian.h"
#include "loa/quasi_newton_input.h"
#include "oracle/function_value_secant.h"
#include "oracle/oracles.h"
#include "storage/storages.h"
#include "support/allocation_count.h"
#include "support/objectives.h"
#include "support/spy_storage.h"

namespace loa {
namespace {

using test::kInf;
using test::kNaN;
using test::random_vector;
using test::same_bits;

constexpr double kTiny = 1e-200, kHuge = 1e200;

Vector observed(State& state, Input& input) {
  FunctionObjective f(state.dimension(), [](const Vector&, Vector&) { return 0.0; });
  invariant_oracle({})->observe(f, state, input);
  return input.features;
}

bool same_features(const Vector& a, const Vector& b) { return same_bits(a, b); }

Vector observed(State state) {
  Input input;
  return observed(state, input);
}

// How a state changes with the coordinates.
using Map = std::function<Vector(const Vector&)>;

struct Coordinates {
  Map map = [](const Vector& v) { return v; };  // an orthogonal map
  double x_scale = 1.0, f_scale = 1.0;
};

// A state in the middle of a run, k = 3 and n = 5, with a B that is no multiple of I, in any coordinates.
State state_in(const Coordinates& c = {}) {
  constexpr Index n = 5;
  const Matrix H = test::random_spd(n, 30.0, 1);
  const auto vector = [&c](const Vector& v) -> Vector { return c.x_scale * c.map(v); };
  const auto covector = [&c](const Vector& v) -> Vector { return (c.f_scale / c.x_scale) * c.map(v); };
  const Vector x_prev = random_vector(n, 2), g_prev = H * x_prev;
  const Vector step = 0.05 * random_vector(n, 3) - 0.02 * g_prev, x = x_prev + step;
  const Vector g = H * x + 0.1 * random_vector(n, 4);

  State state;
  state.iteration = 3;
  state.x_prev = vector(x_prev);
  state.x = vector(x);
  state.grad_prev = covector(g_prev);
  state.grad = covector(g);
  // 6 times the last term is theta of oracle/function_value_secant.h: tau is about 1.3.
  state.f_prev = c.f_scale * 9.0;
  state.f = c.f_scale * (9.0 + 0.5 * (g_prev + g).dot(step) - 0.05 * (g - g_prev).dot(step));
  state.step_size = 0.375;
  auto B = std::make_unique<DenseInverseHessian>(n);
  B->reset(c.x_scale * c.x_scale / c.f_scale * 0.125);
  const Vector d = vector(random_vector(n, 5)), delta_g = covector(H * random_vector(n, 5));
  Vector B_delta_g;
  B->apply(delta_g, B_delta_g);
  B->update({.d = d, .delta_g = delta_g, .B_delta_g = B_delta_g, .y = d});
  Vector B_g;
  B->apply(state.grad_prev, B_g);
  state.direction_prev = -B_g;
  state.B = std::move(B);
  return state;
}

double half_log(double ratio) { return std::clamp(0.5 * std::log(ratio), -3.0, 3.0); }

// --- by definition ---------------------------------------------------------------------------------------------------

TEST(InvariantOracle, FeaturesAreTheirDefinitions) {
  State state = state_in();
  const Matrix B = test::full_matrix(*state.B, state.dimension());
  const Vector &g = state.grad, &g_prev = state.grad_prev;
  const Vector step = state.x - state.x_prev, delta_g = g - g_prev;
  const double tau = curvature_ratio({state.f_prev, state.f, g_prev.dot(step), g.dot(step)});
  ASSERT_GT(std::abs(tau - 1.0), 1e-3) << "nothing to see of the values of f";
  ASSERT_TRUE(tau > 0.34 && tau < 2.99) << tau;
  const Vector d = step / tau;  // of I_k
  ASSERT_GT(d.dot(delta_g), 0.0);
  ASSERT_LT(g_prev.dot(step), 0.0);

  Input input;
  const Vector found = observed(state, input);
  ASSERT_EQ(found.size(), kNumInvariantFeatures);
  constexpr double kError = 1e-12;
  EXPECT_NEAR(found(kRatioToB), half_log(d.dot(delta_g) / delta_g.dot(B * delta_g)), kError);
  EXPECT_NEAR(found(kRatioToStep), half_log(d.dot(delta_g) / (-0.375 * g_prev.dot(step))), kError);
  EXPECT_NEAR(found(kStepSize), half_log(0.375), kError);
  EXPECT_NEAR(found(kSlopes), std::clamp(g.dot(step) / -g_prev.dot(step), -2.0, 2.0), kError);
  EXPECT_NEAR(found(kCurvatureRatio), tau - 1.0, kError);
  EXPECT_NEAR(found(kGradientCosine), g.dot(B * g) / (g.norm() * (B * g).norm()), kError);
  EXPECT_NEAR(found(kSecantCosine), d.dot(delta_g) / (d.norm() * delta_g.norm()), kError);
  EXPECT_NEAR(found(kGradientRatio), std::log(g.norm() / g_prev.norm()), kError);
  EXPECT_NEAR(found(kTurn), -d.dot(B * g) / (d.norm() * (B * g).norm()), kError);
  EXPECT_NEAR(found(kLengthRatio), std::log((B * g).norm() / step.norm()), kError);
  EXPECT_NEAR(found(kSlopeRatio), half_log(g.dot(B * g) / -g_prev.dot(step)), kError);
  EXPECT_NEAR(found(kScaleRatio), half_log(g.dot(B * g) / g.squaredNorm() * delta_g.norm() / d.norm()), kError);
  EXPECT_NEAR(found(kProgress), 3.0 / 13.0, kError);
  EXPECT_EQ(found(kIsFirst), 0.0);
  // None of them is at a bound, where mistakes would not show.
  for (const Index i : {kRatioToB, kRatioToStep, kStepSize, kGradientRatio, kLengthRatio, kSlopeRatio, kScaleRatio}) {
    EXPECT_LT(std::abs(found(i)), 3.0) << i;
    EXPECT_GT(std::abs(found(i)), 1e-3) << i;
  }
  EXPECT_LT(std::abs(found(kSlopes)), 2.0);

  // I_k itself is that of the quasi-Newton oracle.
  EXPECT_LT((input.vectors[kD] - d).norm(), 1e-15 * d.norm());
  EXPECT_LT((input.vectors[kBDeltaG] - B * delta_g).norm(), 1e-12 * B.norm() * g.norm());
  EXPECT_LT((input.vectors[kMinusGammaBGrad] + B * g).norm(), 1e-12 * B.norm() * g.norm());
  EXPECT_EQ(input.covectors[kGrad], g);
  EXPECT_EQ(input.covectors[kDeltaG], delta_g);
}

// On one axis everything can be worked out in the head: f = x^2/2 from 4 to 1, B = 2.
TEST(InvariantOracle, OfAParabola) {
  State state;
  state.iteration = 1;
  state.x_prev = Vector{{4.0}};
  state.x = Vector{{1.0}};
  state.grad_prev = state.x_prev;
  state.grad = state.x;
  state.f_prev = 8.0;
  state.f = 0.5;
  state.step_size = 0.5;
  auto B = std::make_unique<DenseInverseHessian>(1);
  B->reset(2.0);
  state.B = std::move(B);
  state.direction_prev = Vector{{-8.0}};
  const Vector found = observed(state);
  EXPECT_NEAR(found(kRatioToB), 0.5 * std::log(9.0 / 18.0), 1e-14);
  EXPECT_NEAR(found(kRatioToStep), 0.5 * std::log(9.0 / 6.0), 1e-14);
  EXPECT_NEAR(found(kStepSize), 0.5 * std::log(0.5), 1e-14);
  EXPECT_NEAR(found(kSlopes), -3.0 / 12.0, 1e-14);
  EXPECT_NEAR(found(kCurvatureRatio), 0.0, 1e-14);
  EXPECT_NEAR(found(kGradientCosine), 1.0, 1e-14);
  EXPECT_NEAR(found(kSecantCosine), 1.0, 1e-14);
  EXPECT_NEAR(found(kGradientRatio), std::log(0.25), 1e-14);
  EXPECT_EQ(found(kTurn), 1.0);
  EXPECT_NEAR(found(kLengthRatio), std::log(2.0 / 3.0), 1e-14);
  EXPECT_NEAR(found(kSlopeRatio), 0.5 * std::log(2.0 / 12.0), 1e-14);
  EXPECT_NEAR(found(kScaleRatio), 0.5 * std::log(2.0), 1e-14);
  EXPECT_NEAR(found(kProgress), 1.0 / 11.0, 1e-15);
  EXPECT_EQ(found(kIsFirst), 0.0);
}

TEST(InvariantOracle, InTheFirstIterationTheStepSaysNothing) {
  State state = state_in();
  const Vector later = observed(state);
  state.iteration = 0;
  const Vector first = observed(state);
  for (const Index i : {kRatioToStep, kStepSize, kLengthRatio, kSlopeRatio}) {
    EXPECT_NE(later(i), 0.0) << i;
    EXPECT_EQ(first(i), 0.0) << i;
  }
  EXPECT_EQ(first(kIsFirst), 1.0);
  EXPECT_EQ(first(kProgress), 0.0);
  for (const Index i :
       {kRatioToB, kSlopes, kCurvatureRatio, kGradientCosine, kSecantCosine, kTurn, kGradientRatio, kScaleRatio})
    EXPECT_TRUE(same_bits(first(i), later(i))) << i;
}

TEST(InvariantOracle, ProgressIsHalfAtTenAndOneInTheEnd) {
  State state = state_in();
  for (const auto& [k, expected] :
       {std::pair<std::int64_t, double>{1, 1.0 / 11.0}, {10, 0.5}, {90, 0.9}, {1LL << 60, 1.0}}) {
    state.iteration = k;
    EXPECT_NEAR(observed(state)(kProgress), expected, 1e-15) << k;
  }
}

// A step-size gamma is part of the step: c = <d, B^{-1} d> = -step gamma <g_{k-1},d>.
TEST(InvariantOracle, KnowsTheStepSizeGamma) {
  State state = state_in();
  const double plain = observed(state)(kRatioToStep);
  FunctionObjective f(state.dimension(), [](const Vector&, Vector&) { return 0.0; });
  Input input;
  invariant_oracle({.step_size = 0.5})->observe(f, state, input);
  EXPECT_NEAR(input.features(kRatioToStep), plain + 0.5 * std::log(2.0), 1e-14);
}

TEST(InvariantOracle, LogarithmsAndSlopesAreBounded) {
  State state = state_in();
  state.step_size = 1e-9;
  EXPECT_EQ(observed(state)(kStepSize), -3.0);
  state.step_size = 1e9;
  EXPECT_EQ(observed(state)(kStepSize), 3.0);
  state = state_in();
  state.grad = state.grad_prev + 1e6 * (state.x - state.x_prev);  // uphill at the end, and steeply
  EXPECT_EQ(observed(state)(kSlopes), 2.0);
  EXPECT_EQ(observed(state)(kGradientRatio), 3.0);
  EXPECT_EQ(observed(state)(kRatioToStep), 3.0);
}

// --- invariance ------------------------------------------------------------------------------------------------------

TEST(InvariantOracle, HasNoUnitsBitForBit) {
  const Vector plain = observed(state_in());
  for (const int x : {-100, -3, 0, 1, 80})
    for (const int f : {-200, -1, 0, 40, 150}) {
      Coordinates c;
      c.x_scale = std::exp2(x);
      c.f_scale = std::exp2(f);
      EXPECT_TRUE(same_bits(observed(state_in(c)), plain)) << "x 2^" << x << ", f 2^" << f;
    }
}

TEST(InvariantOracle, DoesNotDependOnTheAxes) {
  const Vector plain = observed(state_in());
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const Vector a = random_vector(5, 10 * seed).normalized(), b = random_vector(5, 10 * seed + 1).normalized();
    Coordinates c;
    c.map = [a, b](const Vector& v) -> Vector {
      const Vector once = v - 2.0 * a.dot(v) * a;
      return once - 2.0 * b.dot(once) * b;
    };
    const Vector found = observed(state_in(c));
    EXPECT_LT((found - plain).lpNorm<Eigen::Infinity>(), 1e-10) << seed;
  }
}

// --- hostile states --------------------------------------------------------------------------------------------------

struct Hostile {
  std::string name;
  std::function<void(State&)> spoil;
};

void PrintTo(const Hostile& h, std::ostream* os) { *os << h.name; }

class HostileState : public testing::TestWithParam<Hostile> {
 protected:
  static void expect_tame(State state, const std::string& what) {
    GetParam().spoil(state);
    for (const std::int64_t k : {0, 1, 50}) {
      state.iteration = k;
      const Vector found = observed(state);
      ASSERT_EQ(found.size(), kNumInvariantFeatures);
      for (Index i = 0; i < kNumInvariantFeatures; ++i) {
        EXPECT_TRUE(std::isfinite(found(i))) << what << ": feature " << i << " is " << found(i);
        EXPECT_LE(std::abs(found(i)), 3.0) << what << ": feature " << i;
      }
      for (const Index i : {kGradientCosine, kSecantCosine, kTurn})
        EXPECT_LE(std::abs(found(i)), 1.0 + 1e-9) << what << ' ' << i;
    }
  }
};

TEST_P(HostileState, GivesFiniteFeatures) {
  expect_tame(state_in(), "a matrix");
  // What loa starts from, before and after the state is spoilt.
  State early = state_in();
  quasi_newton_storage({}, refreshed(InitialMatrix::kScale))->initialize(early);
  expect_tame(std::move(early), "refreshed");
  State late = state_in();
  GetParam().spoil(late);
  quasi_newton_storage({}, refreshed(InitialMatrix::kScale))->initialize(late);
  expect_tame(std::move(late), "spoilt before its start");
}

INSTANTIATE_TEST_SUITE_P(
    States, HostileState,
    testing::Values(Hostile{"same_gradient", [](State& s) { s.grad = s.grad_prev; }},
                    Hostile{"same_point", [](State& s) { s.x = s.x_prev; }},
                    Hostile{"same_everything",
                            [](State& s) {
                              s.x = s.x_prev;
                              s.grad = s.grad_prev;
                              s.f = s.f_prev;
                            }},
                    Hostile{"zero_gradient", [](State& s) { s.grad.setZero(); }},
                    Hostile{"zero_gradients",
                            [](State& s) {
                              s.grad.setZero();
                              s.grad_prev.setZero();
                            }},
                    Hostile{"negative_curvature", [](State& s) { s.grad = s.grad_prev - (s.x - s.x_prev); }},
                    Hostile{"step_uphill",
                            [](State& s) {
                              s.grad_prev = s.x - s.x_prev;
                              s.grad = 2.0 * s.grad_prev;
                            }},
                    Hostile{"slope_of_zero",
                            [](State& s) {
                              s.x = s.x_prev + Vector::Unit(5, 0);
                              s.grad_prev = Vector::Unit(5, 1);
                              s.grad = Vector::Unit(5, 1) + Vector::Unit(5, 0);
                            }},
                    Hostile{"f_infinite", [](State& s) { s.f = kInf; }},
                    Hostile{"f_minus_infinite", [](State& s) { s.f = -kInf; }},
                    Hostile{"f_before_infinite", [](State& s) { s.f_prev = kInf; }},
                    Hostile{"f_nan", [](State& s) { s.f = s.f_prev = kNaN; }},
                    Hostile{"gradient_infinite", [](State& s) { s.grad(1) = kInf; }},
                    Hostile{"gradients_infinite",
                            [](State& s) {
                              s.grad(1) = kInf;
                              s.grad_prev(1) = -kInf;
                            }},
                    Hostile{"gradient_nan", [](State& s) { s.grad(4) = kNaN; }},
                    Hostile{"point_infinite", [](State& s) { s.x(0) = -kInf; }},
                    Hostile{"huge_gradients",
                            [](State& s) {
                              s.grad *= kHuge;
                              s.grad_prev *= kHuge;
                            }},
                    Hostile{"tiny_gradients",
                            [](State& s) {
                              s.grad *= kTiny;
                              s.grad_prev *= kTiny;
                            }},
                    Hostile{"denormal_gradient", [](State& s) { s.grad = Vector::Constant(5, 5e-324); }},
                    Hostile{"huge_step", [](State& s) { s.x *= kHuge; }},
                    Hostile{"tiny_step", [](State& s) { s.x = s.x_prev + Vector::Constant(5, kTiny); }},
                    Hostile{"step_size_zero", [](State& s) { s.step_size = 0.0; }},
                    Hostile{"step_size_negative", [](State& s) { s.step_size = -1.0; }},
                    Hostile{"step_size_infinite", [](State& s) { s.step_size = kInf; }},
                    Hostile{"step_size_nan", [](State& s) { s.step_size = kNaN; }},
                    Hostile{"direction_nan", [](State& s) { s.direction_prev.setConstant(kNaN); }},
                    Hostile{"B_huge", [](State& s) { s.B->reset(1e300); }},
                    Hostile{"B_zero", [](State& s) { s.B->reset(0.0); }},
                    Hostile{"B_negative", [](State& s) { s.B->reset(-1.0); }}),
    [](const auto& param_info) { return param_info.param.name; });

// Where there is no logarithm the feature says nothing.
TEST(InvariantOracle, WithoutCurvatureTheRatiosAreZero) {
  State state = state_in();
  state.grad = state.grad_prev - (state.x - state.x_prev);
  const Vector found = observed(state);
  EXPECT_EQ(found(kRatioToB), 0.0);
  EXPECT_EQ(found(kRatioToStep), 0.0);
  EXPECT_EQ(found(kCurvatureRatio), 0.0);
  EXPECT_NEAR(found(kSecantCosine), -1.0, 1e-12);
}

// --- its size and its slices -----------------------------------------------------------------------------------------

TEST(InvariantOracle, TheFeaturesKeepTheirSizeAndPlace) {
  State state = state_in();
  Input input;
  const Vector first = observed(state, input);
  const double* place = input.features.data();
  for (int k = 0; k < 3; ++k) {
    EXPECT_TRUE(same_features(observed(state, input), first)) << "what was there before was read";
    EXPECT_EQ(input.features.data(), place) << "allocated in the loop";
  }
  if (!can_count_allocations()) GTEST_SKIP() << "allocations cannot be counted in this build";
  FunctionObjective f(5, [](const Vector&, Vector&) { return 0.0; });
  const auto oracle = invariant_oracle({});
  const std::int64_t before = allocation_count();
  oracle->observe(f, state, input);
  EXPECT_EQ(allocation_count(), before);
}

// The other slice is a copy of this one, with all products of it `factor` times as large.
class Copied final : public Reduction {
 public:
  explicit Copied(double factor) : factor_(factor) {}
  void reduce(std::span<double> values, std::span<double>) const override {
    for (double& value : values) value *= 1.0 + factor_;
  }

 private:
  double factor_;
};

// Nothing depends on how many copies of a problem there are: the principle of dimension.
TEST(InvariantOracle, IsTheSameForCopiesOfAProblem) {
  State state = state_in();
  const Vector alone = observed(state);
  const Copied copied(1.0);
  state.reduction = &copied;
  state.f *= 2.0;
  state.f_prev *= 2.0;
  const Vector both = observed(state);
  for (Index i = 0; i < kNumInvariantFeatures; ++i) EXPECT_NEAR(both(i), alone(i), 1e-13) << i;
}

// A reduction that negates: squares of lengths below 0 have no root, so what is made of the sums has no cosine.
TEST(InvariantOracle, IsThatOfAllSlices) {
  State state = state_in();
  const Vector alone = observed(state);
  const Copied negative(-2.0);
  state.reduction = &negative;
  const Vector both = observed(state);
  EXPECT_NE(both(kSecantCosine), alone(kSecantCosine));
  EXPECT_EQ(both(kGradientCosine), 0.0) << "the sum of the squares is negative";
}

}  // namespace
}  // namespace loa
