// Would catch: a guard that a NaN slips through, a fallback that is not counted or counted under another name, a
// safeguard that is active when it is off.
#include "algorithm/safeguard.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "linalg/dense_inverse_hessian.h"
#include "linalg/refreshed_inverse_hessian.h"
#include "loa/minimize.h"
#include "loa/problem.h"
#include "loa/quasi_newton_input.h"
#include "model/architecture.h"
#include "model/invariant_controller.h"
#include "storage/storages.h"
#include "support/objectives.h"
#include "support/spy_storage.h"
#include "update/updates.h"

namespace loa {
namespace {

using test::ChainedRosenbrock;
using test::kInf;
using test::kNaN;
using test::Quadratic;
using test::same_bits;

using Predict = void (*)(const Input& input, Vector& y);

class HostileModel final : public Model {
 public:
  explicit HostileModel(Predict function) : predict_(function) {}
  void predict(const Input& input, Prediction& prediction) const override {
    prediction.y.resize(input.dimension());
    predict_(input, prediction.y);
  }

 private:
  Predict predict_;
};

enum class Expected { kEveryModelRefused, kNothingRefused, kAnything };

struct Hostile {
  std::string name;
  Predict predict;
  Expected expected;
};

void PrintTo(const Hostile& h, std::ostream* os) { *os << h.name; }

Algorithm hostile_bfgs(Predict predict) {
  Algorithm algorithm = make_algorithm("bfgs");
  algorithm.model = std::make_shared<HostileModel>(predict);
  return algorithm;
}

class HostilePrediction : public testing::TestWithParam<Hostile> {
 protected:
  void expect_converged(Objective& f, const Vector& x0) const {
    for (const char* line_search : {"more-thuente", "hager-zhang"}) {
      Options o;
      o.line_search = line_search;
      o.max_iterations = 20000;
      const Summary s = minimize(f, x0, hostile_bfgs(GetParam().predict), o);
      EXPECT_TRUE(s.success()) << line_search << ": " << s.message;
      EXPECT_LT(s.grad_inf_norm, 1e-4) << line_search;
      EXPECT_GT(s.iterations, 0);
      if (GetParam().expected == Expected::kEveryModelRefused) {
        EXPECT_EQ(s.fallbacks.model, s.iterations) << line_search;
      }
      if (GetParam().expected == Expected::kNothingRefused) {
        EXPECT_EQ(s.fallbacks.model, 0) << line_search;
      }
    }
  }
};

TEST_P(HostilePrediction, RosenbrockStillConverges) {
  ChainedRosenbrock f(5);
  expect_converged(f, ChainedRosenbrock::start(5));
}

TEST_P(HostilePrediction, QuadraticStillConverges) {
  Quadratic f(test::random_spd(10, 50.0, 3), test::random_vector(10, 4));
  expect_converged(f, Vector::Ones(10));
}

TEST_P(HostilePrediction, RefusedEveryTimeIsBfgs) {
  if (GetParam().expected != Expected::kEveryModelRefused) GTEST_SKIP() << "some predictions are used";
  ChainedRosenbrock f(5), g(5);
  Options o;
  o.algorithm = "bfgs";
  o.max_iterations = 60;
  const Summary hostile = minimize(f, ChainedRosenbrock::start(5), hostile_bfgs(GetParam().predict), o);
  const Summary bfgs = minimize(g, ChainedRosenbrock::start(5), o);
  EXPECT_TRUE(same_bits(hostile.x, bfgs.x));
  EXPECT_EQ(hostile.evaluations, bfgs.evaluations);
  EXPECT_EQ(hostile.fallbacks.skipped, bfgs.fallbacks.skipped);
  EXPECT_EQ(hostile.fallbacks.restart, bfgs.fallbacks.restart);
  EXPECT_EQ(bfgs.fallbacks.model, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Models, HostilePrediction,
    testing::Values(
        Hostile{"nan", [](const Input&, Vector& y) { y.setConstant(kNaN); }, Expected::kEveryModelRefused},
        Hostile{"one_nan",
                [](const Input& input, Vector& y) {
                  y = input.vectors[kD];
                  y(y.size() - 1) = kNaN;
                },
                Expected::kEveryModelRefused},
        Hostile{"infinity", [](const Input&, Vector& y) { y.setConstant(kInf); }, Expected::kEveryModelRefused},
        Hostile{"zero", [](const Input&, Vector& y) { y.setZero(); }, Expected::kEveryModelRefused},
        Hostile{"orthogonal",
                [](const Input& input, Vector& y) {
                  // Twice, because once leaves a cosine of round-off size that may be above it.
                  const Vector& delta_g = input.covectors[kDeltaG];
                  y = input.vectors[kD];
                  for (int i = 0; i < 2; ++i) y -= (delta_g.dot(y) / delta_g.squaredNorm()) * delta_g;
                },
                Expected::kEveryModelRefused},
        Hostile{"minus_d", [](const Input& input, Vector& y) { y = -input.vectors[kD]; }, Expected::kNothingRefused},
        Hostile{"minus_gradient", [](const Input& input, Vector& y) { y = -input.covectors[kGrad]; },
                Expected::kAnything},
        Hostile{"huge", [](const Input& input, Vector& y) { y = 1e300 * input.covectors[kDeltaG]; },
                Expected::kAnything},
        Hostile{"overflowing",
                [](const Input& input, Vector& y) { y = (1e308 / inf_norm(input.vectors[kD])) * input.vectors[kD]; },
                Expected::kAnything},
        Hostile{"tiny", [](const Input& input, Vector& y) { y = 1e-300 * input.vectors[kD]; }, Expected::kAnything},
        Hostile{"first_axis", [](const Input&, Vector& y) { y = Vector::Unit(y.size(), 0); }, Expected::kAnything}),
    [](const auto& param_info) { return param_info.param.name; });

// -d and 2^k d are the same y as d as far as Eq. (6) is concerned, bit for bit.
TEST(Safeguard, MinusDGivesTheIteratesOfBfgs) {
  ChainedRosenbrock f(5), g(5);
  Options o;
  o.algorithm = "bfgs";
  o.max_iterations = 15;
  const Summary minus = minimize(f, ChainedRosenbrock::start(5),
                                 hostile_bfgs([](const Input& input, Vector& y) { y = -4.0 * input.vectors[kD]; }), o);
  const Summary bfgs = minimize(g, ChainedRosenbrock::start(5), o);
  EXPECT_TRUE(same_bits(minus.x, bfgs.x));
}

// A concave start: <d, dg> < 0 there, so BFGS must skip, and says so.
TEST(Safeguard, NegativeCurvatureIsSkippedAndCounted) {
  const auto f = [](const Vector& x, Vector& grad) {
    grad = x.array().sin();
    return -x.array().cos().sum();
  };
  Options o;
  o.first_step = 0.1;
  o.max_iterations = 1;
  const Summary s = minimize(f, Vector{{2.6, 2.8}}, o);
  EXPECT_EQ(s.fallbacks.model, 0);
  EXPECT_EQ(s.fallbacks.skipped, 1);
  EXPECT_EQ(s.fallbacks.restart, 0);
}

// --- off
// ---------------------------------------------------------------------------------------------------------------

// Algorithm 2 with matrices, y from any function, unit steps.
TEST(SafeguardOff, FollowsAlgorithmTwoToTheLetter) {
  // Ascent directions and indefinite matrices included: y is the third feature plus noise that changes with k.
  const Predict predict = [](const Input& input, Vector& y) {
    y = input.vectors[kMinusGammaBGrad] - 0.3 * input.vectors[kBDeltaG];
  };
  Quadratic f(test::random_spd(6, 8.0, 3), test::random_vector(6, 4));
  Options o;
  o.safeguard = Safeguard::kOff;
  o.line_search = "fixed";
  o.first_step = 0.05;
  o.gtol = 0.0;
  o.max_iterations = 12;
  std::vector<Vector> iterates;
  o.observer = [&](const Progress& p) {
    iterates.push_back(p.x);
    return Continue::kYes;
  };
  const Vector x0 = Vector::Ones(6);
  const Summary s = minimize(f, x0, hostile_bfgs(predict), o);
  ASSERT_EQ(iterates.size(), 13u);
  EXPECT_EQ(s.fallbacks, Fallbacks{});

  Vector x_prev = x0, g_prev(6), g(6);
  f.value_and_gradient(x_prev, g_prev);
  Vector x = x_prev - 0.05 * g_prev;
  f.value_and_gradient(x, g);
  Vector d = x - x_prev, delta_g = g - g_prev;
  Matrix B = 0.8 * delta_g.dot(d) / delta_g.squaredNorm() * Matrix::Identity(6, 6);
  for (std::size_t k = 0; k < iterates.size(); ++k) {
    // The error of both computations grows with the matrix, which is far from positive definite here.
    EXPECT_LT((iterates[k] - x).norm(), 1e-6 * x.norm()) << "x_" << k;
    const Vector y = -B * g - 0.3 * B * delta_g, r = d - B * delta_g;
    const double delta_g_y = delta_g.dot(y);
    B += (r * y.transpose() + y * r.transpose() - delta_g.dot(r) / delta_g_y * y * y.transpose()) / delta_g_y;
    x_prev = x;
    g_prev = g;
    x = x_prev - B * g_prev;
    f.value_and_gradient(x, g);
    d = x - x_prev;
    delta_g = g - g_prev;
  }
}

TEST(SafeguardOff, UselessPredictionEndsTheRunWithoutSuccess) {
  for (const char* line_search : {"fixed", "paper", "more-thuente", "hager-zhang", "weak-wolfe", "exact"})
    for (const Predict predict : {Predict([](const Input&, Vector& y) { y.setConstant(kNaN); }),
                                  Predict([](const Input&, Vector& y) { y.setZero(); })}) {
      ChainedRosenbrock f(5);
      Options o;
      o.safeguard = Safeguard::kOff;
      o.line_search = line_search;
      const Summary s = minimize(f, ChainedRosenbrock::start(5), hostile_bfgs(predict), o);
      EXPECT_FALSE(s.success()) << line_search << ": " << s.message;
      EXPECT_EQ(s.fallbacks, Fallbacks{}) << line_search;
      EXPECT_TRUE(s.x.allFinite());
      EXPECT_TRUE(std::isfinite(s.f));
      EXPECT_LT(s.evaluations.value, 200) << line_search;
    }
}

// --- loa with weights that nobody trained ----------------------------------------------------------------------------

Algorithm controlled(const Vector& theta) {
  return make_algorithm("loa", {}, make_weights(architecture_for("loa"), theta));
}

class AnyController : public testing::TestWithParam<std::string> {};

TEST_P(AnyController, StillConverges) {
  ChainedRosenbrock rosenbrock(5);
  Quadratic quadratic(test::random_spd(10, 50.0, 3), test::random_vector(10, 4));
  for (const double size : {0.3, 3.0, 100.0})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Algorithm algorithm = controlled(size * test::random_vector(InvariantController::kNumParameters, seed));
      Options o;
      o.line_search = GetParam();
      o.max_iterations = 20000;
      for (const Summary& s : {minimize(rosenbrock, ChainedRosenbrock::start(5), algorithm, o),
                               minimize(quadratic, Vector::Ones(10), algorithm, o)}) {
        EXPECT_TRUE(s.success()) << s.message << ", " << size << " times seed " << seed;
        EXPECT_LT(s.grad_inf_norm, 1e-4) << size << " times seed " << seed;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(LineSearches, AnyController, testing::Values("weak-wolfe", "more-thuente", "hager-zhang"),
                         [](const auto& param_info) { return test::test_name(param_info.param); });

// A pair without curvature must not enter B, whatever y the controller makes of it: the storage keeps the pair and not
// y. Line searches that do not look at slopes give such pairs.
TEST(Controlled, APairWithoutCurvatureLeavesBPositive) {
  constexpr Index n = 6;
  const HyperParameters hyper_parameters;
  for (const double output : {-2.0, -0.5, 0.5, 2.0}) {
    Vector theta = Vector::Zero(InvariantController::kNumParameters);
    theta(InvariantController::kNumParameters - 3) = output;
    Algorithm algorithm = controlled(theta);
    // Few pairs, so that B is a matrix soon.
    algorithm.storage = controlled_storage(hyper_parameters, [](Index dimension) {
      return std::make_unique<RefreshedInverseHessian>(dimension, RefreshedOptions{.num_pairs = 2});
    });
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      // Steps on a quadratic, and then one against the curvature.
      Quadratic f(test::random_spd(n, 10.0, seed), Vector::Zero(n));
      State state;
      state.x_prev = test::random_vector(n, 100 + seed);
      state.grad_prev.resize(n);
      state.grad.resize(n);
      state.f_prev = f.value_and_gradient(state.x_prev, state.grad_prev);
      state.x = state.x_prev - 0.05 * state.grad_prev;
      state.f = f.value_and_gradient(state.x, state.grad);
      algorithm.storage->initialize(state);
      Input input;
      Prediction prediction;
      Step step;
      for (std::int64_t k = 0; k < 10; ++k) {
        state.iteration = k;
        if (k >= 5)
          state.grad = state.grad_prev - 0.3 * (state.x - state.x_prev) +
                       0.05 * test::random_vector(n, seed + static_cast<std::uint64_t>(k));
        algorithm.oracle->observe(f, state, input);
        algorithm.model->predict(input, prediction);
        choose_direction(algorithm, input, {.safeguard = Safeguard::kOn}, state, prediction, step);
        algorithm.storage->store(input, step, state);
        const Eigen::SelfAdjointEigenSolver<Matrix> B(test::full_matrix(*state.B, n), Eigen::EigenvaluesOnly);
        ASSERT_GT(B.eigenvalues()(0), 0.0) << "output " << output << ", seed " << seed << ", iteration " << k
                                           << ", <d,dg> = " << input.vectors[kD].dot(input.covectors[kDeltaG]);
        state.direction_prev = step.direction;
        state.x_prev = state.x;
        state.grad_prev = state.grad;
        state.f_prev = state.f;
        state.x += 0.5 * step.direction;
        state.f = f.value_and_gradient(state.x, state.grad);
      }
    }
  }
}

// An update of one's own need not know more than the direction: the loop finds the rest.
class DirectionAlone final : public Update {
 public:
  bool direction(const Input& input, const Vector& y, Step& step) const override {
    Step scratch;
    if (!secant_update()->direction(input, y, scratch)) return false;
    step.direction = scratch.direction;
    return true;
  }
};

TEST(OwnUpdate, MayLeaveSlopeAndLengthToTheLoop) {
  for (const char* name : {"bfgs", "sr1"}) {
    Algorithm algorithm = make_algorithm(name);
    algorithm.update = std::make_shared<DirectionAlone>();
    Problem problem;
    ASSERT_EQ(make_problem("rosenbrock:n=10", problem), "");
    Options options;
    options.algorithm = name;
    const Summary own = minimize(*problem.objective, problem.start, algorithm, options);
    const Summary named = minimize(*problem.objective, problem.start, options);
    EXPECT_EQ(own.evaluations, named.evaluations) << name;
    EXPECT_EQ(own.fallbacks, named.fallbacks) << name;
    EXPECT_LT((own.x - named.x).norm(), 1e-6) << name;
    EXPECT_TRUE(own.success());
  }
}

}  // namespace
}  // namespace loa
