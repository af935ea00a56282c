// Would catch: a momentum applied to the wrong difference, Nesterov's gradient taken at the wrong point, Adam with
// epsilon or bias correction, conjugate gradients that are not conjugate, a gamma that is not the user's.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "loa/minimize.h"
#include "oracle/oracles.h"
#include "support/objectives.h"

namespace loa {
namespace {

using test::ChainedRosenbrock;
using test::Quadratic;

// All iterates of a run from x_{-1} = start with the given first step.
std::vector<Vector> iterates(Objective& f, const Vector& start, Options options) {
  std::vector<Vector> all;
  options.gtol = 0.0;
  options.observer = [&](const Progress& p) {
    all.push_back(p.x);
    return Continue::kYes;
  };
  minimize(f, start, options);
  return all;
}

Vector gradient(Objective& f, const Vector& x) {
  Vector grad(x.size());
  f.value_and_gradient(x, grad);
  return grad;
}

constexpr double kStep = 4e-4, kFirstStep = 3e-4;

Options fixed(const std::string& algorithm) {
  Options o;
  o.algorithm = algorithm;
  o.line_search = "fixed";
  o.first_step = kFirstStep;
  o.hyper_parameters.step_size = kStep;
  o.max_iterations = 25;
  return o;
}

TEST(GradientDescent, IsMinusGammaTimesTheGradient) {
  ChainedRosenbrock f(5);
  const auto x = iterates(f, ChainedRosenbrock::start(5), fixed("gradient-descent"));
  ASSERT_EQ(x.size(), 26u);
  for (std::size_t k = 0; k + 1 < x.size(); ++k)
    EXPECT_LT((x[k + 1] - (x[k] - kStep * gradient(f, x[k]))).norm(), 1e-15 * x[k].norm()) << k;
}

TEST(HeavyBall, IsEquationTwo) {
  ChainedRosenbrock f(5);
  for (const double alpha : {0.0, 0.5, 0.9}) {
    Options o = fixed("heavy-ball");
    o.hyper_parameters.momentum = alpha;
    const Vector start = ChainedRosenbrock::start(5);
    const auto x = iterates(f, start, o);
    ASSERT_EQ(x.size(), 26u);
    EXPECT_LT((x[0] - (start - kFirstStep * gradient(f, start))).norm(), 1e-15);
    for (std::size_t k = 0; k + 1 < x.size(); ++k) {
      const Vector d = x[k] - (k == 0 ? start : x[k - 1]);
      EXPECT_LT((x[k + 1] - (x[k] + alpha * d - kStep * gradient(f, x[k]))).norm(), 1e-14 * x[k].norm()) << k;
    }
  }
}

// The textbook's two sequences: u by gradient steps from the extrapolated points, x extrapolated.
TEST(Nesterov, EqualsTheTwoSequences) {
  ChainedRosenbrock f(5);
  const auto x = iterates(f, ChainedRosenbrock::start(5), fixed("nesterov"));
  ASSERT_EQ(x.size(), 26u);
  Vector u = x[0], extrapolated = x[0];
  for (std::size_t k = 0; k + 1 < x.size(); ++k) {
    const Vector u_next = extrapolated - kStep * gradient(f, extrapolated);
    const double beta = static_cast<double>(k) / static_cast<double>(k + 3);
    extrapolated = u_next + beta * (u_next - u);
    u = u_next;
    EXPECT_LT((x[k + 1] - extrapolated).norm(), 1e-11) << k;
  }
}

// f(u_k) - f* <= 2 L ||x_0 - x*||^2/(k+1)^2, which gradient descent misses by far on this problem.
TEST(Nesterov, IsAccelerated) {
  constexpr Index n = 50;
  Quadratic f(test::random_spd(n, 1e6, 1), Vector::Zero(n));
  Options o = fixed("nesterov");
  o.first_step = 1e-6;
  o.hyper_parameters.step_size = 1e-6;
  o.max_iterations = 1000;
  o.gtol = 0.0;
  const Vector start = Vector::Ones(n);
  const Summary s = minimize(f, start, o);
  EXPECT_LT(s.f, 2.0 * 1e6 * start.squaredNorm() / (1000.0 * 1000.0));
}

TEST(Adam, IsTheFormulaOfThePaper) {
  ChainedRosenbrock f(5);
  Options o = fixed("adam");
  o.hyper_parameters.step_size = 1e-2;
  o.hyper_parameters.beta1 = 0.8;
  o.hyper_parameters.beta2 = 0.95;
  const Vector start = ChainedRosenbrock::start(5);
  const auto x = iterates(f, start, o);
  ASSERT_EQ(x.size(), 26u);
  Vector m = gradient(f, start), v = m.cwiseAbs2();
  for (std::size_t k = 0; k + 1 < x.size(); ++k) {
    const Vector g = gradient(f, x[k]);
    m = 0.8 * m + 0.2 * g;
    v = 0.95 * v + 0.05 * g.cwiseAbs2();
    const Vector expected = x[k].array() - 1e-2 * m.array() / v.array().sqrt();
    EXPECT_LT((x[k + 1] - expected).norm(), 1e-13) << k;
  }
}

// The whole loop against the formulas: moments, their correction, the hidden state and the step.
TEST(Recurrent, IterationsAreTheFormulasOfThePapers) {
  for (const bool moments : {false, true}) {
    ChainedRosenbrock f(5);
    Options o = fixed(moments ? "rnnprop" : "l2l-gd");
    o.hyper_parameters.step_size = 0.02;
    const Vector start = ChainedRosenbrock::start(5);
    const auto x = iterates(f, start, o);
    ASSERT_EQ(x.size(), 26u);
    const Algorithm algorithm = make_algorithm(o.algorithm);
    Vector m = Vector::Zero(5), v = m;
    Input input;
    input.hidden = Matrix::Zero(5, 80);
    for (std::size_t k = 0; k + 1 < x.size(); ++k) {
      const Vector g = gradient(f, x[k]);
      m = 0.95 * m + 0.05 * g;
      v = 0.95 * v + 0.05 * g.cwiseAbs2();
      input.covectors = {g, m, v};
      input.bias_correction = 1.0 - std::pow(0.95, static_cast<double>(k + 1));
      Prediction prediction;
      algorithm.model->predict(input, prediction);
      input.hidden = prediction.hidden;
      EXPECT_LT((x[k + 1] - x[k] - 0.02 * prediction.y).norm(), 1e-12) << o.algorithm << " " << k;
    }
  }
}

TEST(Recurrent, GammaIsATenthWhenLeftOpen) {
  for (const char* name : {"l2l-gd", "rnnprop"}) {
    ChainedRosenbrock f(4), g(4);
    Options open = fixed(name), given = open;
    open.hyper_parameters.step_size = test::kNaN;
    given.hyper_parameters.step_size = 0.1;
    const auto a = iterates(f, ChainedRosenbrock::start(4), open), b = iterates(g, ChainedRosenbrock::start(4), given);
    EXPECT_EQ(a.back(), b.back()) << name;
  }
}

TEST(Adam, CoordinateThatNeverMattersStays) {
  const auto f = [](const Vector& x, Vector& grad) {
    grad << 2.0 * x(0), 0.0;
    return x(0) * x(0);
  };
  Options o = fixed("adam");
  o.hyper_parameters.step_size = 1e-3;
  const Summary s = minimize(f, Vector{{1.0, 7.0}}, o);
  EXPECT_EQ(s.x(1), 7.0);
  EXPECT_LT(s.x(0), 1.0);
}

// A quadratic with eigenvalues spaced evenly in [1, 100]. With logarithmic spacing even the textbook's linear method
// needs 24 iterations in double precision.
Quadratic evenly_spread(Index n, std::uint64_t seed) {
  const Vector v = test::random_vector(n, seed).normalized();
  const Matrix reflection = Matrix::Identity(n, n) - 2.0 * v * v.transpose();
  const Matrix H = reflection * Vector::LinSpaced(n, 1.0, 100.0).asDiagonal() * reflection;
  return Quadratic(0.5 * (H + H.transpose()), test::random_vector(n, seed + 10));
}

TEST(ConjugateGradient, EndsWithinTheDimensionOnAQuadratic) {
  constexpr Index n = 20;
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u, 5u}) {
    Quadratic f = evenly_spread(n, seed);
    Options o;
    o.algorithm = "conjugate-gradient";
    o.line_search = "exact";
    o.gtol = 0.0;
    o.gtol_relative = 1e-8;
    const Summary s = minimize(f, Vector::Ones(n), o);
    EXPECT_EQ(s.status, Status::kRelativeGradientIsSmall);
    EXPECT_LE(s.iterations, n + 2) << "seed " << seed;
  }
}

// The linear method of Hestenes and Stiefel (1952), from the same x_0.
TEST(ConjugateGradient, KeepsUpWithTheLinearMethod) {
  constexpr Index n = 20;
  Quadratic f(test::random_spd(n, 100.0, 1), test::random_vector(n, 11));
  Options o;
  o.algorithm = "conjugate-gradient";
  o.line_search = "exact";
  o.max_iterations = 15;
  const auto x = iterates(f, Vector::Ones(n), o);
  ASSERT_EQ(x.size(), 16u);
  Vector z = x[0], r = -gradient(f, z), p = r;
  for (std::size_t k = 0; k < x.size(); ++k) {
    EXPECT_LT((x[k] - z).norm(), 1e-4 * z.norm()) << k;
    const Vector H_p = f.H() * p;
    const double alpha = r.squaredNorm() / p.dot(H_p), before = r.squaredNorm();
    z += alpha * p;
    r -= alpha * H_p;
    p = r + (r.squaredNorm() / before) * p;
  }
}

TEST(ConjugateGradient, DirectionsAreConjugateOnAQuadratic) {
  constexpr Index n = 8;
  Quadratic f(test::random_spd(n, 30.0, 1), test::random_vector(n, 2));
  Options o;
  o.algorithm = "conjugate-gradient";
  o.line_search = "exact";
  o.max_iterations = n - 1;
  const auto x = iterates(f, Vector::Ones(n), o);
  ASSERT_EQ(x.size(), static_cast<std::size_t>(n));
  for (std::size_t i = 1; i < x.size(); ++i)
    for (std::size_t j = 1; j < i; ++j) {
      const Vector a = x[i] - x[i - 1], b = x[j] - x[j - 1];
      EXPECT_LT(std::abs(a.dot(f.H() * b)), 1e-7 * std::sqrt(a.dot(f.H() * a) * b.dot(f.H() * b))) << i << " " << j;
    }
}

// beta = max(0, <g, g - g_prev>/||g_prev||^2), with a state that makes it negative, zero and positive.
TEST(ConjugateGradient, BetaIsPolakRibierePlus) {
  Quadratic f(Matrix::Identity(2, 2), Vector::Zero(2));
  State state;
  state.x = state.x_prev = Vector::Zero(2);
  state.gamma = 1.0;
  state.direction_prev = Vector{{1.0, 2.0}};
  state.grad_prev = Vector{{2.0, 0.0}};
  Input input;
  const auto beta = [&](const Vector& grad) {
    state.grad = grad;
    conjugate_gradient_oracle()->observe(f, state, input);
    return input.momentum;
  };
  EXPECT_DOUBLE_EQ(beta(Vector{{0.0, 3.0}}), 9.0 / 4.0);
  EXPECT_EQ(beta(Vector{{1.0, 0.0}}), 0.0);
  EXPECT_EQ(beta(Vector{{2.0, 0.0}}), 0.0);
  EXPECT_DOUBLE_EQ(beta(Vector{{3.0, 0.0}}), 3.0 / 4.0);
}

// Without a step-size of the user, gamma = ||d_0||/||dg_0||, an estimate of 1/L.
TEST(FirstOrder, EstimatedGammaIsOneOverTheCurvatureOfTheFirstPair) {
  Quadratic f(5.0 * Matrix::Identity(3, 3), Vector::Zero(3));
  for (const char* algorithm : {"gradient-descent", "heavy-ball", "nesterov"}) {
    Options o;
    o.algorithm = algorithm;
    o.line_search = "fixed";
    o.first_step = 0.01;
    o.hyper_parameters.momentum = 0.0;
    o.max_iterations = 1;
    // With gamma = 1/5 the first iteration ends at the minimum.
    EXPECT_LT(minimize(f, Vector::Ones(3), o).x.norm(), 1e-14) << algorithm;
  }
}

}  // namespace
}  // namespace loa
