// Would catch: a warm start that does not help where it should, one that misleads and is not given up or not counted,
// one that costs more than two evaluations then, a change of bits on the way through a file, by powers of two or by a
// resumed run, an operator that goes on with what the other run's last iteration was, and a mistake that is not
// refused.
#include "loa/warm_start.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "linalg/inverse_hessian_kinds.h"
#include "loa/minimize.h"
#include "support/algorithms.h"
#include "support/allocation_count.h"
#include "support/temporary_path.h"

namespace loa {
namespace {

constexpr Index kWarmN = 30;

// 1/2 sum h_i (x_i - c)^2 + 1/4 sum (x_i - c)^4 with h_i from 1 to 1000: neighbours have a c nearby. The units of x and
// f are for tests of scaling.
struct Shifted {
  double c = 0.0;
  double x_unit = 1.0, f_unit = 1.0;
  bool is_reversed = false;  // of another shape: h_i in the other order

  double h(Index i) const {
    const double at = static_cast<double>(is_reversed ? kWarmN - 1 - i : i) / static_cast<double>(kWarmN - 1);
    return std::pow(1000.0, at);
  }
  double operator()(const Vector& x, Vector& grad) const {
    double f = 0.0;
    grad.resize(x.size());
    for (Index i = 0; i < x.size(); ++i) {
      const double z = x(i) / x_unit - c;
      f += 0.5 * h(i) * z * z + 0.25 * z * z * z * z;
      grad(i) = f_unit / x_unit * (h(i) * z + z * z * z);
    }
    return f_unit * f;
  }
};

Vector far_start(double x_unit = 1.0) { return Vector::LinSpaced(kWarmN, 3.0, 5.0) * x_unit; }

Options warm_options(const std::string& algorithm, const WarmStart& warm = {}, double gtol = 1e-8) {
  Options options;
  options.algorithm = algorithm;
  options.gtol = gtol;
  options.warm = warm;
  return options;
}

class WarmAlgorithm : public testing::TestWithParam<std::string> {};

TEST_P(WarmAlgorithm, NeighbourTakesFewerEvaluations) {
  const Summary first = minimize(Shifted{1.0}, far_start(), warm_options(GetParam()));
  ASSERT_TRUE(first.success());
  const Summary cold = minimize(Shifted{1.1}, far_start(), warm_options(GetParam()));
  const Summary warm = minimize(Shifted{1.1}, far_start(), warm_options(GetParam(), WarmStart(first)));
  EXPECT_TRUE(warm.success());
  EXPECT_EQ(warm.fallbacks.warm, 0);
  // Nine pairs of thirty directions help little.
  const double share = GetParam() == "l-bfgs" || GetParam() == "l-bfgs+" ? 1.0 : 0.7;
  EXPECT_LT(static_cast<double>(warm.evaluations.value), share * static_cast<double>(cold.evaluations.value));
  EXPECT_LT((warm.x - Vector::Constant(kWarmN, 1.1)).norm(), 1e-6);
}

TEST_P(WarmAlgorithm, SourcesAreTheSameBitForBit) {
  const Summary first = minimize(Shifted{1.0}, far_start(), warm_options(GetParam()));
  const std::string path = temporary_path("warm.state");
  ASSERT_FALSE(save_state(first.state, path));
  WarmStart loaded;
  ASSERT_FALSE(WarmStart::load(path, loaded));
  EXPECT_EQ(loaded.algorithm(), GetParam());
  const Summary of_summary = minimize(Shifted{1.1}, far_start(), warm_options(GetParam(), WarmStart(first)));
  for (const WarmStart& warm : {WarmStart(first.state), loaded}) {
    const Summary s = minimize(Shifted{1.1}, far_start(), warm_options(GetParam(), warm));
    EXPECT_EQ(state_bytes(s.state), state_bytes(of_summary.state));
  }
}

TEST_P(WarmAlgorithm, IsResumedBitForBit) {
  const Summary first = minimize(Shifted{1.0}, far_start(), warm_options(GetParam()));
  Options options = warm_options(GetParam(), WarmStart(first));
  const Summary whole = minimize(Shifted{1.3}, far_start(), options);
  ASSERT_GT(whole.iterations, 2);
  options.max_iterations = 2;
  const Summary part = minimize(Shifted{1.3}, far_start(), options);
  FunctionObjective f(kWarmN, Shifted{1.3});
  const Summary rest = resume(f, part.state, warm_options(GetParam()));
  EXPECT_EQ(state_bytes(rest.state), state_bytes(whole.state));
}

TEST_P(WarmAlgorithm, PowersOfTwoChangeNoBits) {
  const double x_unit = 0x1p-7, f_unit = 0x1p11;
  const Summary first = minimize(Shifted{1.0}, far_start(), warm_options(GetParam(), {}, 0.0));
  const auto B = congruent(
      *first.state.B, [&](const Vector& v) { return Vector(x_unit * v); }, 1.0 / f_unit);
  ASSERT_NE(B, nullptr);
  Options options = warm_options(GetParam(), WarmStart(first).at(first.x.array() + 0.01), 0.0);
  options.max_iterations = 8;
  const Summary plain = minimize(Shifted{1.1}, far_start(), options);
  options.warm = WarmStart(x_unit * options.warm.x(), B->clone());
  const Summary scaled = minimize(Shifted{1.1, x_unit, f_unit}, far_start(x_unit), options);
  EXPECT_EQ(plain.fallbacks, scaled.fallbacks);
  EXPECT_EQ(plain.evaluations.value, scaled.evaluations.value);
  EXPECT_EQ(scaled.x, Vector(x_unit * plain.x));
  EXPECT_EQ(scaled.f, f_unit * plain.f);
}

TEST_P(WarmAlgorithm, ScaleOfBThatIsWrongIsGivenUpAfterTwoEvaluations) {
  const Summary first = minimize(Shifted{1.0}, far_start(), warm_options(GetParam()));
  const Summary cold = minimize(Shifted{1.1}, far_start(), warm_options(GetParam()));
  const auto itself = [](const Vector& v) { return v; };
  for (const double factor : {0x1p20, 0x1p-20, -1.0}) {
    auto B = congruent(*first.state.B, itself, factor);
    ASSERT_NE(B, nullptr);
    const Summary warm =
        minimize(Shifted{1.1}, far_start(), warm_options(GetParam(), WarmStart(first.x, std::move(B))));
    EXPECT_EQ(warm.fallbacks.warm, 1) << factor;
    EXPECT_LE(warm.evaluations.value, cold.evaluations.value + 2) << factor;
    EXPECT_EQ(warm.x, cold.x) << factor;
    EXPECT_EQ(state_bytes(warm.state).size(), state_bytes(cold.state).size());
  }
}

TEST_P(WarmAlgorithm, IterationsAllocateNothing) {
  if (!can_count_allocations()) GTEST_SKIP() << "allocations cannot be counted here";
  const Summary first = minimize(Shifted{1.0}, far_start(), warm_options(GetParam()));
  Options options = warm_options(GetParam(), WarmStart(first), 0.0);
  options.max_iterations = 8;
  std::int64_t before = -1, after = 0;
  options.observer = [&](const Progress& progress) {
    if (progress.iteration == 3) before = allocation_count();
    after = allocation_count();
    return Continue::kYes;
  };
  minimize(Shifted{1.3}, far_start(), options);
  ASSERT_GE(before, 0);
  EXPECT_EQ(after, before);
}

INSTANTIATE_TEST_SUITE_P(QuasiNewton, WarmAlgorithm,
                         testing::Values("bfgs", "bfgs+", "bfgs+d", "ss-bfgs", "l-bfgs", "l-bfgs+", "l-bfgs+d", "loa"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           for (char& c : name)
                             if (c == '+' || c == '-') c = c == '+' ? 'p' : '_';
                           return name;
                         });

TEST(WarmStart, BOfAnotherProblemCostsTwoEvaluationsAtMost) {
  for (const char* algorithm : {"bfgs+d", "bfgs+", "l-bfgs+d"}) {
    const Summary other = minimize(Shifted{.c = 1.0, .is_reversed = true}, far_start(), warm_options(algorithm));
    const Summary cold = minimize(Shifted{2.0}, far_start(), warm_options(algorithm));
    const Summary warm = minimize(Shifted{2.0}, far_start(), warm_options(algorithm, WarmStart(other)));
    EXPECT_EQ(warm.fallbacks.warm, 1) << algorithm;
    EXPECT_LE(warm.evaluations.value, cold.evaluations.value + 2) << algorithm;
  }
}

TEST(WarmStart, RefusedAtX0CostsOneEvaluation) {
  const Summary first = minimize(Shifted{1.0}, far_start(), warm_options("bfgs+d"));
  const Summary cold = minimize(Shifted{1.1}, far_start(), warm_options("bfgs+d"));
  auto B = congruent(
      *first.state.B, [](const Vector& v) { return v; }, 0x1p30);
  const Summary warm =
      minimize(Shifted{1.1}, far_start(), warm_options("bfgs+d", WarmStart(far_start(), std::move(B))));
  EXPECT_EQ(warm.fallbacks.warm, 1);
  EXPECT_EQ(warm.evaluations.value, cold.evaluations.value + 1);
  EXPECT_EQ(warm.x, cold.x);
}

TEST(WarmStart, InverseOfTheHessianIsANewtonStep) {
  Vector diagonal(kWarmN);
  for (Index i = 0; i < kWarmN; ++i) diagonal(i) = 1.0 / Shifted{}.h(i);
  const Matrix inverse = diagonal.asDiagonal();
  const Vector near = Vector::Constant(kWarmN, 1.01);
  for (const char* algorithm : {"bfgs", "bfgs+d", "ss-broyden"}) {
    const Summary s = minimize(Shifted{1.0}, far_start(), warm_options(algorithm, WarmStart(near, inverse), 1e-5));
    EXPECT_EQ(s.fallbacks.warm, 0) << algorithm;
    EXPECT_LE(s.evaluations.value, 4) << algorithm;
  }
}

TEST(WarmStart, OtherAlgorithmsGiveWhatTheyCan) {
  for (const auto& [from, to] : {std::pair{"bfgs+d", "l-bfgs+d"},
                                 {"l-bfgs", "bfgs+d"},
                                 {"bfgs+", "bfgs"},
                                 {"bfgs", "bfgs+d"},
                                 {"l-bfgs+d", "l-bfgs"}}) {
    const Summary first = minimize(Shifted{1.0}, far_start(), warm_options(from));
    const Summary cold = minimize(Shifted{1.02}, far_start(), warm_options(to));
    const Summary warm = minimize(Shifted{1.02}, far_start(), warm_options(to, WarmStart(first)));
    EXPECT_TRUE(warm.success()) << from << " to " << to;
    EXPECT_LE(warm.evaluations.value, cold.evaluations.value + 2) << from << " to " << to;
  }
}

TEST(WarmStart, TakesOverTheProducts) {
  const Vector v = Vector::LinSpaced(kWarmN, -1.0, 2.0);
  const Summary first = minimize(Shifted{1.0}, far_start(), warm_options("bfgs+d"));
  const Summary to = minimize(Shifted{1.0}, far_start(), warm_options("bfgs"));
  const auto dense = taken_over(*first.state.B, *to.state.B, Reduction::serial());
  ASSERT_NE(dense, nullptr);
  Vector expected(kWarmN), found(kWarmN);
  apply(*first.state.B->clone(), v, expected);
  apply(*dense, v, found);
  EXPECT_LT((found - expected).norm(), 1e-12 * expected.norm());
}

TEST(WarmStart, MistakesAreRefused) {
  const auto refuses = [](const Options& options, const char* words) {
    try {
      minimize(Shifted{1.0}, far_start(), options);
      ADD_FAILURE() << "expected a refusal: " << words;
    } catch (const std::invalid_argument& mistake) {
      EXPECT_THAT(mistake.what(), testing::HasSubstr(words));
    }
  };
  const WarmStart small(Vector::Zero(2), Matrix(Matrix::Identity(2, 2)));
  const WarmStart good(Vector::Zero(kWarmN), Matrix(Matrix::Identity(kWarmN, kWarmN)));
  refuses(warm_options("bfgs", small), "of dimension 30, found one of 2");
  refuses(warm_options("bfgs", good.at(Vector::Zero(3))), "at a point of length 30, found one of 3");
  refuses(warm_options("adam", good), "found a matrix");
  refuses(warm_options("l-bfgs+d", good), "limited memory begins from pairs");
  Options options = warm_options("bfgs", good);
  options.safeguard = Safeguard::kSpectrum;
  refuses(options, "safeguard spectrum");
  options = warm_options("l-bfgs+", WarmStart(minimize(Shifted{1.0}, far_start(), warm_options("l-bfgs+"))));
  options.initial_inverse_hessian = [](const Vector& v, Vector& out) { out = v; };
  refuses(options, "either a warm start or an initial inverse Hessian");
  EXPECT_THROW(WarmStart(Vector::Zero(2), Matrix(Matrix::Identity(3, 3))), std::invalid_argument);
  EXPECT_THROW(WarmStart(Vector::Zero(1), Matrix(Matrix::Constant(1, 1, std::nan("")))), std::invalid_argument);
  WarmStart stays = good;
  EXPECT_TRUE(WarmStart::load("/nowhere/at/all", stays));
  EXPECT_TRUE(stays.has_B());
}

// A run that has ended before its first iteration, and another number of pairs.
TEST(WarmStart, MemoryWithoutPairsIsOfNoUse) {
  for (const char* algorithm : {"l-bfgs", "l-bfgs+", "l-bfgs+d"}) {
    Options options = warm_options(algorithm);
    options.max_iterations = 0;
    const Summary first = minimize(Shifted{1.0}, far_start(), options);
    options = warm_options(algorithm, WarmStart(first));
    options.hyper_parameters.memory = 5;
    const Summary warm = minimize(Shifted{1.0}, far_start(), options);
    EXPECT_TRUE(warm.success()) << algorithm;
    EXPECT_EQ(warm.fallbacks.warm, 1) << algorithm;
    options.lower = Vector::Zero(kWarmN);
    EXPECT_TRUE(minimize(Shifted{1.0}, far_start(), options).success()) << algorithm;
  }
}

TEST(WarmStart, PointOutsideTheDomainLeadsToX0) {
  const Summary first = minimize(Shifted{1.0}, far_start(), warm_options("bfgs+d"));
  const Function f = [](const Vector& x, Vector& grad) {
    const double value = Shifted{2.0}(x, grad);
    return x(0) < 1.5 ? std::numeric_limits<double>::quiet_NaN() : value;
  };
  const Summary s = minimize(f, far_start(), warm_options("bfgs+d", WarmStart(first)));
  EXPECT_TRUE(s.success());
  EXPECT_EQ(s.fallbacks.warm, 1);
}

TEST(WarmStart, LimitOfEvaluationsHolds) {
  const Summary first = minimize(Shifted{1.0}, far_start(), warm_options("bfgs+d"));
  for (std::int64_t limit = 1; limit < 8; ++limit) {
    Options options = warm_options("bfgs+d", WarmStart(first), 0.0);
    options.max_evaluations = limit;
    const Summary s = minimize(Shifted{.c = 2.0, .is_reversed = true}, far_start(), options);
    EXPECT_LE(s.evaluations.value, limit);
    EXPECT_EQ(s.status, Status::kEvaluationLimitReached);
  }
}

}  // namespace
}  // namespace loa
