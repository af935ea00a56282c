// Warm starts, series and initial inverse Hessians with bounds. Would catch: a first step that is not the one of the B
// that is given, inside the bounds; a call of f outside on the way; a B that misleads and is kept, or one that is good
// and dropped because bounds hold coordinates; a B of a run without bounds, or for one, that is refused or cut to the
// free variables; a start outside that is not moved or not counted; bits that change by powers of two, through a
// resumed run or where bounds are infinite; slices that disagree; a series that begins without B.
#include <gmock/gmock.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "linalg/inverse_hessian_kinds.h"
#include "loa/series.h"
#include "support/allocation_count.h"
#include "support/slices.h"

namespace loa {
namespace {

using namespace test;
using testing::HasSubstr;

constexpr Index kBoxedN = 60;

// |A (x - c)|^2/2 + sum_i (x_i - c_i)^4/4 in [0, 1], which holds about half of the coordinates; neighbours have a c
// nearby. Counts calls outside.
struct Drifting {
  double t = 0.0;
  double x_unit = 1.0, f_unit = 1.0;
  bool is_reversed = false;
  std::int64_t num_outside = 0;
  Matrix H = random_spd(kBoxedN, 1e3, 4);
  Vector center = 0.5 + random_vector(kBoxedN, 5).array(), way = random_vector(kBoxedN, 6);

  Vector lower() const { return Vector::Zero(kBoxedN); }
  Vector upper() const { return Vector::Constant(kBoxedN, x_unit); }

  double operator()(const Vector& x, Vector& grad) {
    num_outside += !((x.array() >= 0.0).all() && (x.array() <= x_unit).all());
    Vector z = x / x_unit - center - t * way;
    if (is_reversed) z.reverseInPlace();
    Vector g = H * z;
    const double f = 0.5 * z.dot(g) + 0.25 * z.array().pow(4).sum();
    g.array() += z.array().cube();
    if (is_reversed) g.reverseInPlace();
    grad = f_unit / x_unit * g;
    return f_unit * f;
  }

  Summary solve(const Options& options, const Vector& start) {
    return minimize([this](const Vector& x, Vector& grad) { return (*this)(x, grad); }, start, options);
  }
  Summary solve(const Options& options) { return solve(options, Vector::Constant(kBoxedN, 0.5 * x_unit)); }
};

Options bounded(const std::string& algorithm, const WarmStart& warm = {}, double gtol = 1e-8) {
  Options options;
  options.algorithm = algorithm;
  options.gtol = gtol;
  options.lower = Drifting{}.lower();
  options.upper = Drifting{}.upper();
  options.warm = warm;
  if (algorithm.starts_with("l-")) options.hyper_parameters.memory = kBoxedN;  // as much as a matrix knows
  return options;
}

Options without_bounds(Options options) {
  options.lower.resize(0);
  options.upper.resize(0);
  return options;
}

const auto kNameOfTest = [](const testing::TestParamInfo<std::string>& tested) {
  std::string name = tested.param;
  for (char& c : name)
    if (c == '+' || c == '-') c = c == '+' ? 'p' : '_';
  return name;
};

class WarmBounds : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Bounds, WarmBounds,
                         testing::Values("bfgs+d", "bfgs+", "loa", "bfgs", "l-bfgs+d", "l-bfgs+", "l-bfgs"),
                         kNameOfTest);

class WarmBoundsOfMatrix : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Bounds, WarmBoundsOfMatrix, testing::Values("bfgs+d", "bfgs+", "loa", "bfgs"), kNameOfTest);

TEST_P(WarmBounds, NeighbourTakesFewerEvaluations) {
  const Summary first = Drifting{}.solve(bounded(GetParam()));
  ASSERT_GT(first.bounds->num_active, kBoxedN / 4);
  Drifting next{.t = 0.01};
  const Summary cold = next.solve(bounded(GetParam())), warm = next.solve(bounded(GetParam(), WarmStart(first)));
  EXPECT_TRUE(warm.success()) << warm.message;
  EXPECT_EQ(warm.fallbacks.warm, 0);
  EXPECT_EQ(next.num_outside, 0);
  EXPECT_LT(static_cast<double>(warm.evaluations.value), 0.7 * static_cast<double>(cold.evaluations.value));
  EXPECT_LT((warm.x - cold.x).norm(), 1e-5);
  EXPECT_EQ(warm.bounds->active, cold.bounds->active);
}

// The minimizer of <g,p> + <p,Hp>/2 in l <= x + p <= u, one coordinate after the other.
Vector box_step_of(const Matrix& H, const Vector& g, const Vector& to_lower, const Vector& to_upper) {
  Vector p = Vector::Zero(g.size()), rest = g;
  for (int sweep = 0; sweep < 20000; ++sweep)
    for (Index i = 0; i < g.size(); ++i) {
      const double to = std::clamp(p(i) - rest(i) / H(i, i), to_lower(i), to_upper(i));
      rest += (to - p(i)) * H.col(i);
      p(i) = to;
    }
  return p;
}

TEST_P(WarmBounds, TheFirstStepIsTheBoxStepOfB) {
  const Summary first = Drifting{}.solve(bounded(GetParam()));
  Matrix B(kBoxedN, kBoxedN);
  lower_triangle(*first.state.B, B);
  const Matrix whole = B.selfadjointView<Eigen::Lower>();
  Drifting next{.t = 0.01};
  std::vector<Vector> points, gradients;
  minimize(
      [&](const Vector& x, Vector& grad) {
        const double f = next(x, grad);
        points.push_back(x);
        gradients.push_back(grad);
        return f;
      },
      first.x, bounded(GetParam(), WarmStart(first)));
  ASSERT_GE(points.size(), 2u);
  EXPECT_EQ(points[0], first.x);
  const Vector expected = box_step_of(whole.inverse(), gradients[0], -first.x, Vector::Ones(kBoxedN) - first.x);
  EXPECT_GT((expected + whole * gradients[0]).norm(), 0.1 * expected.norm());  // bounds are in the way
  EXPECT_LT((points[1] - points[0] - expected).norm(), 1e-6 * expected.norm());
}

// With the inverse of the Hessian of a quadratic the first step ends at the minimizer, whatever bounds it meets.
TEST_P(WarmBoundsOfMatrix, TheInverseOfTheHessianNeedsOneStep) {
  const Matrix H = random_spd(kBoxedN, 1e3, 4), inverse = H.inverse();
  const Vector center = Drifting{}.center;
  const Function f = [&](const Vector& x, Vector& grad) {
    grad = H * (x - center);
    return 0.5 * grad.dot(x - center);
  };
  const WarmStart warm(Vector::Constant(kBoxedN, 0.5), inverse);
  const Summary run = minimize(f, Vector::Zero(kBoxedN), bounded(GetParam(), warm, 1e-7));
  EXPECT_TRUE(run.success()) << run.message;
  EXPECT_EQ(run.fallbacks.warm, 0);
  EXPECT_EQ(run.evaluations.value, 2);
  EXPECT_GT(run.bounds->num_active, kBoxedN / 4);
}

TEST_P(WarmBounds, BIsAboutAllCoordinates) {
  // B of a run without bounds for one with, and the other way round.
  const Summary free = Drifting{}.solve(without_bounds(bounded(GetParam())));
  const Summary held = Drifting{}.solve(bounded(GetParam()));
  Drifting next{.t = 0.01};
  const Summary with = next.solve(bounded(GetParam(), WarmStart(free).at(held.x)));
  EXPECT_TRUE(with.success()) << with.message;
  EXPECT_EQ(next.num_outside, 0);
  const Summary without = Drifting{.t = 0.01}.solve(without_bounds(bounded(GetParam(), WarmStart(held).at(free.x))));
  EXPECT_TRUE(without.success()) << without.message;
  const Summary cold = next.solve(bounded(GetParam()));
  EXPECT_EQ(with.fallbacks.warm, 0);
  EXPECT_LT(static_cast<double>(with.evaluations.value), 0.8 * static_cast<double>(cold.evaluations.value));
}

TEST_P(WarmBounds, ABThatMisleadsIsDropped) {
  const Summary first = Drifting{}.solve(bounded(GetParam()));
  Drifting next{.t = 0.01};
  const Summary cold = next.solve(bounded(GetParam()));
  const auto itself = [](const Vector& v) { return v; };
  for (const double factor : {0x1p20, 0x1p-20}) {
    auto B = congruent(*first.state.B, itself, factor);
    ASSERT_NE(B, nullptr);
    const Summary warm = next.solve(bounded(GetParam(), WarmStart(first.x, std::move(B))));
    EXPECT_EQ(warm.fallbacks.warm, 1) << factor;
    EXPECT_LE(warm.evaluations.value, cold.evaluations.value + 2) << factor;
    EXPECT_EQ(warm.x, cold.x) << factor;
  }
  const Summary other = Drifting{.is_reversed = true}.solve(bounded(GetParam()));
  const Summary warm = next.solve(bounded(GetParam(), WarmStart(other)));
  EXPECT_TRUE(warm.success());
  EXPECT_EQ(warm.fallbacks.warm, 1);
  EXPECT_EQ(next.num_outside, 0);
}

TEST_P(WarmBounds, AStartOutsideIsMovedAndCounted) {
  const Summary first = Drifting{}.solve(bounded(GetParam()));
  Vector outside = first.x;
  outside(0) = -3.0;
  outside(1) = outside(2) = 7.0;
  Drifting next{.t = 0.01};
  const Summary warm = next.solve(bounded(GetParam(), WarmStart(first).at(outside)));
  EXPECT_EQ(next.num_outside, 0);
  EXPECT_TRUE(warm.success());
  EXPECT_EQ(warm.bounds->num_projected, warm.fallbacks.warm == 0 ? 3 : 0);
}

TEST_P(WarmBounds, PowersOfTwoChangeNoBit) {
  const double x_unit = 0x1p-7, f_unit = 0x1p11;
  const Summary first = Drifting{}.solve(bounded(GetParam()));
  const auto B = congruent(
      *first.state.B, [&](const Vector& v) { return Vector(x_unit * v); }, 1.0 / f_unit);
  ASSERT_NE(B, nullptr);
  Options options = bounded(GetParam(), WarmStart(first), 0.0);
  options.max_iterations = 8;
  const Summary plain = Drifting{.t = 0.01}.solve(options);
  Drifting elsewhere{.t = 0.01, .x_unit = x_unit, .f_unit = f_unit};
  options.upper = elsewhere.upper();
  options.warm = WarmStart(x_unit * first.x, B->clone());
  const Summary scaled = elsewhere.solve(options);
  EXPECT_EQ(plain.fallbacks, scaled.fallbacks);
  EXPECT_EQ(plain.evaluations, scaled.evaluations);
  EXPECT_EQ(scaled.x, Vector(x_unit * plain.x));
}

TEST_P(WarmBounds, InfiniteBoundsAreTheRunWithout) {
  const Summary first = Drifting{}.solve(without_bounds(bounded(GetParam())));
  Options infinite = bounded(GetParam(), WarmStart(first));
  infinite.lower.setConstant(-kInf);
  infinite.upper.setConstant(kInf);
  Drifting next{.t = 0.01};
  const Summary run = next.solve(infinite), expected = next.solve(without_bounds(infinite));
  EXPECT_TRUE(same_bits(run.x, expected.x));
  EXPECT_EQ(run.evaluations, expected.evaluations);
}

TEST_P(WarmBounds, AResumedRunIsTheUninterruptedOne) {
  const Summary first = Drifting{}.solve(bounded(GetParam()));
  std::vector<WarmStart> starts = {WarmStart(first)};
  if (!GetParam().starts_with("l-"))
    starts.emplace_back(first.x, Matrix(random_spd(kBoxedN, 1e3, 4).inverse()));  // bfgs then keeps a matrix
  for (const WarmStart& warm : starts) {
    Options options = bounded(GetParam(), warm, 0.0);
    options.max_iterations = 9;
    Drifting next{.t = 0.01};
    const Summary whole = next.solve(options);
    for (const std::int64_t k : {0, 1, 4}) {
      Options part = options;
      part.max_iterations = k;
      State state;
      ASSERT_FALSE(state_from_bytes(state_bytes(next.solve(part).state), state));
      FunctionObjective f(kBoxedN, [&next](const Vector& x, Vector& grad) { return next(x, grad); });
      const Summary rest = resume(f, state, options);
      EXPECT_TRUE(same_bits(rest.x, whole.x)) << k;
      EXPECT_EQ(rest.evaluations, whole.evaluations) << k;
    }
  }
}

// With as many pairs as are kept from the start on (tests/standalone/allocation_test.cc).
TEST(WarmBoundsOfPairs, IterationsAllocateNothing) {
  if (!can_count_allocations()) GTEST_SKIP() << "allocations cannot be counted here";
  for (const std::string algorithm : {"l-bfgs+d", "l-bfgs+", "l-bfgs"}) {
    Options options = bounded(algorithm, {}, 1e-8);  // beyond, the newest pairs are made of rounding
    options.hyper_parameters.memory = 40;
    options.max_iterations = 60;
    options.warm = WarmStart(Drifting{}.solve(options));
    options.gtol = 0.0;
    Drifting next{.t = 0.001};
    std::int64_t before = -1, after = 0, of_f = 0;
    options.observer = [&](const Progress& progress) {
      after = allocation_count() - of_f;
      if (progress.iteration == 3) before = after;
      return Continue::kYes;
    };
    const Summary run = minimize(
        [&](const Vector& x, Vector& grad) {
          const std::int64_t count = allocation_count();
          const double f = next(x, grad);
          of_f += allocation_count() - count;
          return f;
        },
        options.warm.x(), options);
    EXPECT_GT(run.bounds->num_active, 0);
    ASSERT_GE(before, 0);
    ASSERT_EQ(run.fallbacks.warm, 0) << algorithm;
    EXPECT_LE(after - before, run.state.best_x.size() > 0 ? 2 : 0) << algorithm;  // room for a lower point behind
  }
}

TEST_P(WarmBounds, ASeriesUsesBInBounds) {
  Series series(bounded(GetParam(), {}, 1e-6));
  std::int64_t cold = 0, in_series = 0, used = 0, num_outside = 0;
  for (int i = 0; i < 10; ++i) {
    Drifting problem{.t = 0.01 * i};
    cold += problem.solve(bounded(GetParam(), {}, 1e-6)).evaluations.value;
    const Summary run = series.minimize([&](const Vector& x, Vector& grad) { return problem(x, grad); },
                                        Vector::Constant(kBoxedN, 0.5));
    EXPECT_TRUE(run.success()) << run.message;
    in_series += run.evaluations.value;
    used += series.report().used_B;
    num_outside += problem.num_outside;
  }
  EXPECT_EQ(num_outside, 0);
  EXPECT_GE(used, 2);
  EXPECT_LT(static_cast<double>(in_series), 0.9 * static_cast<double>(cold));
}

// H_0 near the inverse Hessian, up to a factor; algorithms whose B is a matrix.
TEST_P(WarmBoundsOfMatrix, InitialInverseHessian) {
  const Matrix inverse = 1e5 * random_spd(kBoxedN, 1e3, 4).inverse();
  Options options = bounded(GetParam());
  options.initial_inverse_hessian = [&](const Vector& v, Vector& out) { out.noalias() = inverse * v; };
  Drifting problem;
  for (const double start : {0.5, 0.0, 1.0, -3.0}) {
    SCOPED_TRACE(start);
    const Vector x0 = Vector::Constant(kBoxedN, start);
    const Summary plain = problem.solve(bounded(GetParam()), x0), run = problem.solve(options, x0);
    EXPECT_TRUE(run.success()) << run.message;
    EXPECT_LT((run.x - plain.x).norm(), 1e-5);
    EXPECT_LT(static_cast<double>(run.evaluations.value), 0.7 * static_cast<double>(plain.evaluations.value));
  }
  EXPECT_EQ(problem.num_outside, 0);
  options.gtol = 0.0;
  options.max_iterations = 9;
  const Summary whole = problem.solve(options);
  Options part = options;
  part.max_iterations = 4;
  State state;
  ASSERT_FALSE(state_from_bytes(state_bytes(problem.solve(part).state), state));
  FunctionObjective f(kBoxedN, [&problem](const Vector& x, Vector& grad) { return problem(x, grad); });
  EXPECT_TRUE(same_bits(resume(f, state, options).x, whole.x));
}

TEST(InitialInverseHessianInBounds, IsRefusedByLimitedMemory) {
  for (const std::string algorithm : {"l-bfgs+", "l-bfgs+d"}) {
    Options options = bounded(algorithm);
    options.initial_inverse_hessian = [](const Vector& v, Vector& out) { out = v; };
    try {
      Drifting{}.solve(options);
      FAIL() << "expected a refusal";
    } catch (const std::invalid_argument& mistake) {
      EXPECT_THAT(mistake.what(), HasSubstr("for an initial inverse Hessian with bounds, found '" + algorithm + "'"));
    }
  }
}

TEST(InitialInverseHessianInBounds, OfTheWrongSignIsAFailure) {
  for (const std::string algorithm : {"bfgs+d", "bfgs"}) {
    Options options = bounded(algorithm);
    options.initial_inverse_hessian = [](const Vector& v, Vector& out) { out = -v; };
    for (const Options& one : {options, without_bounds(options)}) {
      const Summary run = Drifting{}.solve(one);
      EXPECT_EQ(run.status, Status::kLineSearchFailed);
      EXPECT_EQ(run.evaluations.value, 1);
    }
  }
}

TEST(InitialInverseHessianInBounds, AutoTakesIt) {
  Options options = bounded("auto");
  options.initial_inverse_hessian = [](const Vector& v, Vector& out) { out = v; };
  const Summary run = Drifting{}.solve(options);
  EXPECT_TRUE(run.success()) << run.message;
  EXPECT_EQ(run.state.algorithm, "bfgs+d");
  EXPECT_EQ(Drifting{}.solve(without_bounds(options)).state.algorithm, "l-bfgs+");
}

}  // namespace
}  // namespace loa
