// Gradients by differences, and runs that go over from forward to central ones.
//
// Would catch: a step of the wrong size, a value outside the bounds, a bound on the error that is none or far too
// large, a run that crawls along the error of its gradient, a success where the gradient is not small, a resumed run
// that forgets which differences it had, limits that are passed.
#include "loa/differences.h"

#include <gtest/gtest.h>

#include <cmath>

#include "loa/loa.h"

namespace loa {
namespace {

double rosenbrock_value(const Vector& x) {
  double sum = 0.0;
  for (Index i = 0; i + 1 < x.size(); ++i) sum += 100.0 * std::pow(x[i + 1] - x[i] * x[i], 2) + std::pow(1.0 - x[i], 2);
  return sum;
}

Vector rosenbrock_gradient(const Vector& x) {
  Vector grad = Vector::Zero(x.size());
  for (Index i = 0; i + 1 < x.size(); ++i) {
    const double r = x[i + 1] - x[i] * x[i];
    grad[i] += -400.0 * x[i] * r - 2.0 * (1.0 - x[i]);
    grad[i + 1] += 200.0 * r;
  }
  return grad;
}

// From here forward differences led to 100,000 iterations of 40 evaluations each.
const Vector kCrawl{{3.735075639827371, 2.736201792300132, 3.2951254335710867}};

TEST(Differences, ErrorsAreWithinTheirBound) {
  // Second derivatives of exp(10 x) are up to 100 e^10 here, third ones ten times that.
  const ValueFunction f = [](const Vector& x) { return (10.0 * x.array()).exp().sum(); };
  for (const DifferenceRule rule : {DifferenceRule::kForward, DifferenceRule::kCentral}) {
    Differences differences({.rule = rule});
    const Vector x{{0.5, -0.3, 1.0}};
    Vector grad(3);
    const double value = differences.value_and_gradient(f, x, grad);
    const Vector exact = 10.0 * (10.0 * x.array()).exp();
    const double error = (grad - exact).cwiseAbs().maxCoeff(), curvature = 100.0 * std::exp(10.0);
    EXPECT_LT(error, 10.0 * differences.bound(x, value, curvature));
    EXPECT_GT(error, 1e-3 * differences.bound(x, value, curvature));
  }
}

TEST(Differences, RefineOnceWhereTheRuleSaysSo) {
  Differences both, forward({.rule = DifferenceRule::kForward}), central({.rule = DifferenceRule::kCentral});
  EXPECT_EQ(both.num_values(5), 6);
  EXPECT_TRUE(both.refine());
  EXPECT_FALSE(both.refine());
  EXPECT_EQ(both.num_values(5), 11);
  EXPECT_FALSE(forward.refine());
  EXPECT_FALSE(central.refine());
}

TEST(Differences, StayInsideBounds) {
  for (const bool is_central : {false, true}) {
    const Vector lower{{0.0, 1.0, -1.0}}, upper{{1.0, 1.0, 3.0}};
    Differences differences({.lower = lower, .upper = upper});
    if (is_central) differences.refine();
    int count = 0;
    const ValueFunction f = [&](const Vector& x) {
      ++count;
      EXPECT_TRUE((x.array() >= lower.array()).all() && (x.array() <= upper.array()).all());
      return x.squaredNorm();
    };
    Vector grad(3);
    differences.value_and_gradient(f, Vector{{1.0, 1.0, -1.0}}, grad);
    EXPECT_EQ(count, differences.num_values(3));
    EXPECT_NEAR(grad[0], 2.0, 1e-7);
    EXPECT_EQ(grad[1], 0.0);
    EXPECT_NEAR(grad[2], -2.0, 1e-7);
  }
}

TEST(DifferenceRun, DoesNotCrawl) {
  const Summary s = minimize(ValueFunction(rosenbrock_value), kCrawl);
  EXPECT_EQ(s.status, Status::kGradientIsSmall);
  EXPECT_LT(s.evaluations.value, 80);
  EXPECT_GT(s.state.refined_at, 0);
  EXPECT_LT(rosenbrock_gradient(s.x).cwiseAbs().maxCoeff(), 1e-5);
}

// Where nothing can be refined the run ends all the same, here because the searches notice the noise.
TEST(DifferenceRun, OfForwardOnesAloneArrives) {
  DifferenceObjective f(3, rosenbrock_value, {.rule = DifferenceRule::kForward});
  const Summary s = minimize(f, kCrawl);
  EXPECT_EQ(s.status, Status::kGradientIsSmall);
  EXPECT_LT(rosenbrock_gradient(s.x).cwiseAbs().maxCoeff(), 1e-5);
  EXPECT_LT(s.iterations, 200);
  EXPECT_EQ(s.state.refined_at, 0);
}

TEST(DifferenceRun, SucceedsTruly) {
  Random random(7);
  int refined = 0;
  for (int i = 0; i < 100; ++i) {
    Vector start(2 + i % 5);
    for (double& coordinate : start) coordinate = 2.0 * random.normal();
    const double offset = i % 2 == 0 ? 0.0 : 1000.0;
    const Summary s = minimize([&](const Vector& x) { return offset + rosenbrock_value(x); }, start);
    EXPECT_TRUE(s.success()) << i << " " << s.message;
    const double limit = offset == 0.0 ? 2e-5 : 1e-4;
    EXPECT_LT(rosenbrock_gradient(s.x).cwiseAbs().maxCoeff(), limit) << i;
    if (s.state.refined_at > 0) ++refined;
  }
  EXPECT_GT(refined, 50);
}

TEST(DifferenceRun, NeedsNoRefinementWhereForwardOnesWillDo) {
  const Summary s = minimize([](const Vector& x) { return (x.array() - 1.0).square().sum(); }, Vector::Zero(4));
  EXPECT_EQ(s.status, Status::kGradientIsSmall);
  EXPECT_EQ(s.state.refined_at, 0);
}

TEST(DifferenceRun, BeginsAtTheMinimizer) {
  // The forward difference at 1 is 1e4 steps of sqrt(eps): too large by itself.
  const ValueFunction f = [](const Vector& x) { return 1e4 * (x.array() - 1.0).square().sum(); };
  const Summary s = minimize(f, Vector::Ones(3));
  EXPECT_TRUE(s.success()) << s.message;
  EXPECT_NEAR((s.x - Vector::Ones(3)).norm(), 0.0, 1e-9);
}

TEST(DifferenceRun, ResumesBitForBit) {
  const Summary whole = minimize(ValueFunction(rosenbrock_value), kCrawl, {.gtol = 1e-8});
  ASSERT_GT(whole.state.refined_at, 0);
  for (std::int64_t k = 1; k < whole.iterations; ++k) {
    const Summary part = minimize(ValueFunction(rosenbrock_value), kCrawl, {.gtol = 1e-8, .max_iterations = k});
    State state;
    ASSERT_FALSE(state_from_bytes(state_bytes(part.state), state));
    DifferenceObjective f(3, rosenbrock_value);
    const Summary rest = resume(f, state, {.gtol = 1e-8});
    EXPECT_EQ(rest.x, whole.x) << k;
    EXPECT_EQ(rest.evaluations, whole.evaluations) << k;
    EXPECT_EQ(rest.state.refined_at, whole.state.refined_at) << k;
  }
}

// From every iteration, also that in which the gradients were refined on the last one before the limit: the evaluations
// of the refinement are in the state, and nothing that the rough gradient said of bounds is left. Every other bound
// holds its variable by a multiplier of about 0, whose sign the refinement may change.
TEST(DifferenceRun, ResumesBitForBitWithBoundsAndWithout) {
  constexpr Index kSize = 8;
  int refined = 0;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    Random random(seed);
    Matrix A(kSize, kSize);
    Vector solution(kSize), multipliers = Vector::Zero(kSize), start(kSize);
    for (double& entry : A.reshaped()) entry = random.normal();
    for (Index i = 0; i < kSize; ++i) {
      solution[i] = i % 2 == 0 ? 0.0 : std::abs(random.normal());
      if (i % 4 == 0) multipliers[i] = 1e-7 * std::abs(random.normal());
      start[i] = std::abs(random.normal());
    }
    const Matrix H = A.transpose() * A;
    const Vector b = H * solution - multipliers;
    const ValueFunction f = [&](const Vector& x) { return 0.5 * x.dot(H * x) - b.dot(x); };
    for (const bool has_bounds : {false, true}) {
      Options options{.gtol = 1e-7};
      if (has_bounds) options.lower = Vector::Zero(kSize);
      const Summary whole = minimize(f, start, options);
      if (whole.state.refined_at > 0) ++refined;
      for (std::int64_t k = 0; k < whole.iterations; ++k) {
        SCOPED_TRACE(testing::Message() << seed << (has_bounds ? " bounded" : "") << " from iteration " << k);
        Options part = options;
        part.max_iterations = k;
        State state;
        ASSERT_FALSE(state_from_bytes(state_bytes(minimize(f, start, part).state), state));
        DifferenceObjective again(kSize, f, {.lower = options.lower, .upper = options.upper});
        const Summary rest = resume(again, state, options);
        EXPECT_EQ(rest.x, whole.x);
        EXPECT_EQ(rest.evaluations, whole.evaluations);
        EXPECT_EQ(state_bytes(rest.state), state_bytes(whole.state));
      }
    }
  }
  EXPECT_GT(refined, 30);
}

TEST(DifferenceRun, KeepsLimits) {
  for (std::int64_t most = 1; most < 60; ++most) {
    const Summary s = minimize(ValueFunction(rosenbrock_value), kCrawl, {.max_evaluations = most});
    EXPECT_LE(s.evaluations.value, most);
  }
}

TEST(DifferenceRun, HasBounds) {
  const Vector upper{{0.5, 10.0, 10.0}};
  const ValueFunction f = [&](const Vector& x) {
    EXPECT_LE(x[0], 0.5);
    return rosenbrock_value(x);
  };
  const Summary s = minimize(f, Vector{{0.0, 2.0, 2.0}}, {.upper = upper});
  EXPECT_TRUE(s.success()) << s.message;
  EXPECT_EQ(s.x[0], 0.5);
}

// What an objective that may be refined counts, with exact gradients but a crude bound on their error.
class Crude final : public Objective, public GradientError {
 public:
  Index dimension() const override { return 3; }
  double value_and_gradient(const Vector& x, Vector& grad) override {
    grad = rosenbrock_gradient(x);
    return rosenbrock_value(x);
  }
  GradientError* gradient_error() override { return this; }
  double bound(const Vector&, double, double) const override { return refined ? 0.0 : 1e-3; }
  bool refine() override { return !std::exchange(refined, true); }
  bool refined = false;
};

TEST(DifferenceRun, IsTheSameRunWithOtherGradients) {
  Crude f;
  FunctionObjective exact(3, [](const Vector& x, Vector& grad) {
    grad = rosenbrock_gradient(x);
    return rosenbrock_value(x);
  });
  const Summary refined = minimize(f, kCrawl), plain = minimize(exact, kCrawl);
  EXPECT_TRUE(f.refined);
  EXPECT_EQ(refined.x, plain.x);  // B and the point are kept
  EXPECT_EQ(refined.iterations, plain.iterations);
  EXPECT_GT(refined.evaluations.value, plain.evaluations.value);
}

}  // namespace
}  // namespace loa
