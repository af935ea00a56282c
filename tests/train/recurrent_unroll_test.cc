// The unrolled loss of l2l-gd and rnnprop: along the algorithms' own trajectories, and its gradient against
// differences. Where windows are detached the reference runs each window from a state that is frozen while theta moves.
#include "train/recurrent_unroll.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>

#include "loa/minimize.h"
#include "loa/weights.h"
#include "model/architecture.h"
#include "support/allocation_count.h"
#include "support/differences.h"
#include "support/objectives.h"
#include "support/run_program.h"
#include "train/training_problems.h"

namespace loa {
namespace {

using test::central_differences;
using test::random_vector;
using test::relative_error;

constexpr RecurrentKind kKinds[] = {RecurrentKind::kL2lGd, RecurrentKind::kRnnprop};
const char* name(RecurrentKind kind) { return kind == RecurrentKind::kL2lGd ? "l2l-gd" : "rnnprop"; }

TrainingProblem mild_recurrent_quadratic(Index n, std::uint64_t seed) {
  return {.objective = std::make_shared<test::Quadratic>(test::random_spd(n, 5.0, seed), random_vector(n, seed + 1)),
          .start = random_vector(n, seed + 2),
          .first_step = 0.1,
          .minimum = 0.0,
          .reference_gaps = {}};
}

Vector random_theta(RecurrentKind kind, std::uint64_t seed) {
  return 0.3 * random_vector(RecurrentNetwork::random_start(kind, 0).size(), seed);
}

// --- the loss --------------------------------------------------------------------------------------------------------

TEST(RecurrentUnrolledLoss, IsThatOfTheAlgorithmsOwnTrajectory) {
  for (const RecurrentKind kind : kKinds) {
    const TrainingProblem problem = mild_recurrent_quadratic(13, 1);
    const Vector theta = random_theta(kind, 2);
    Options o;
    o.algorithm = name(kind);
    o.first_step = problem.first_step;
    o.gtol = 0.0;
    o.max_iterations = 12;
    o.keep_trace = true;
    const TemporaryFolder folder;
    o.weights = folder / "w.safetensors";
    ASSERT_EQ(save_weights(make_weights(architecture_for(o.algorithm), theta), o.weights).message(), "");
    const Summary summary = minimize(*problem.objective, problem.start, o);
    ASSERT_EQ(summary.trace.size(), 13u);
    double expected = 0.0;
    for (std::size_t k = 1; k < summary.trace.size(); ++k) expected += summary.trace[k].f / 12.0;

    RecurrentUnroller unroller;
    const UnrolledLoss loss = unroller.loss(problem, RecurrentNetwork(kind, theta), {.iterations = 12, .window = 4});
    EXPECT_NEAR(loss.loss, expected, 1e-12 * expected) << name(kind);
    ASSERT_EQ(loss.losses.size(), 3u);
    EXPECT_NEAR(loss.losses[2] * 4.0,
                summary.trace[9].f + summary.trace[10].f + summary.trace[11].f + summary.trace[12].f, 1e-11);
  }
}

TEST(RecurrentUnrolledLoss, AgainstBfgsIsTheLogarithmOfTheRatio) {
  TrainingProblem problem = mild_recurrent_quadratic(5, 3);
  const RecurrentNetwork model(RecurrentKind::kL2lGd, random_theta(RecurrentKind::kL2lGd, 4));
  RecurrentUnroller unroller;
  const RecurrentUnrollOptions objective{.iterations = 3, .window = 1};
  const std::vector<double> gaps = unroller.loss(problem, model, objective).losses;
  problem.reference_gaps = {2.0, 1.0, 0.5};
  RecurrentUnrollOptions relative = objective;
  relative.loss = RecurrentLoss::kAgainstBfgs;
  const std::vector<double> losses = unroller.loss(problem, model, relative).losses;
  for (std::size_t k = 0; k < 3; ++k) EXPECT_DOUBLE_EQ(losses[k], std::log1p(gaps[k] / problem.reference_gaps[k]));
  problem.reference_gaps.pop_back();
  EXPECT_THROW(unroller.loss(problem, model, relative), std::invalid_argument);
  EXPECT_THROW(unroller.loss(problem, model, {.iterations = 7, .window = 2}), std::invalid_argument);
}

TEST(RecurrentUnrolledLoss, IsInfiniteAndHasNoGradientWhenTheTrajectoryLeavesTheRange) {
  // Grows so fast that a step of 0.1 along any direction overflows.
  class Wall final : public Objective {
   public:
    Index dimension() const override { return 2; }
    double value_and_gradient(const Vector& x, Vector& grad) override {
      grad.setConstant(1.0);
      return x.norm() > 1e-12 ? std::numeric_limits<double>::infinity() : 0.0;
    }
  };
  const TrainingProblem problem{.objective = std::make_shared<Wall>(),
                                .start = Vector::Zero(2),
                                .first_step = 0.0,
                                .minimum = 0.0,
                                .reference_gaps = {}};
  const RecurrentNetwork model(RecurrentKind::kL2lGd, random_theta(RecurrentKind::kL2lGd, 5));
  Vector d_theta = Vector::Constant(model.theta().size(), 3.0);
  const UnrolledLoss loss =
      RecurrentUnroller().loss_and_gradient(problem, model, {.iterations = 4, .window = 2}, d_theta);
  EXPECT_EQ(loss.loss, std::numeric_limits<double>::infinity());
  EXPECT_EQ(d_theta, Vector::Constant(model.theta().size(), 3.0));
}

// Of so many weights every 37th is differentiated; that is a part of every block. The stored gradients of PyTorch say
// the rest.
Vector some_of(const Vector& v) {
  Vector some((v.size() + 36) / 37);
  for (Index i = 0; i < some.size(); ++i) some(i) = v(37 * i);
  return some;
}

Vector some_differences(const std::function<double()>& value, Vector& theta) {
  Vector some = some_of(theta);
  const auto at = [&] {
    for (Index i = 0; i < some.size(); ++i) theta(37 * i) = some(i);
    return value();
  };
  const Vector differences = central_differences(at, some);
  at();
  return differences;
}

// --- the gradient ----------------------------------------------------------------------------------------------------

TEST(RecurrentUnrolledGradient, OfOneWholeWindowAgreesWithDifferences) {
  for (const RecurrentKind kind : kKinds) {
    for (const RecurrentLoss loss : {RecurrentLoss::kObjective, RecurrentLoss::kAgainstBfgs}) {
      TrainingProblem problem = mild_recurrent_quadratic(3, 6);
      problem.reference_gaps = {1.0, 0.7, 0.5, 0.3};
      const RecurrentUnrollOptions options{.iterations = 4, .window = 4, .loss = loss, .through_gradient = true};
      Vector theta = random_theta(kind, 7);
      Vector d_theta = Vector::Zero(theta.size());
      RecurrentUnroller unroller;
      unroller.loss_and_gradient(problem, RecurrentNetwork(kind, theta), options, d_theta);
      const Vector expected =
          some_differences([&] { return unroller.loss(problem, RecurrentNetwork(kind, theta), options).loss; }, theta);
      EXPECT_LT(relative_error(some_of(d_theta), expected), 1e-6) << name(kind);
    }
  }
}

// The trajectory with theta0, and the windows from its states with another theta and, unless `through`, the gradients
// that theta0 met.
struct Windows {
  const TrainingProblem& problem;
  RecurrentKind kind;
  int num_windows, window;

  double loss(const Vector& theta0, const Vector& theta) const {
    const RecurrentNetwork frozen(kind, theta0), moving(kind, theta);
    const Index n = problem.start.size();
    Vector grad(n), x0;
    problem.objective->value_and_gradient(problem.start, grad);
    x0 = problem.start - problem.first_step * grad;
    Matrix hidden0 = Matrix::Zero(n, RecurrentNetwork::kNumHidden);
    Vector m = Vector::Zero(n), v = Vector::Zero(n);
    double power = 1.0, sum = 0.0;
    for (int w = 0; w < num_windows; ++w) {
      Vector x = x0;
      Matrix hidden = hidden0;
      for (int k = 0; k < window; ++k) {
        problem.objective->value_and_gradient(x0, grad);
        m = 0.95 * m + 0.05 * grad;
        v = 0.95 * v + 0.05 * grad.cwiseAbs2();
        power *= 0.95;
        Input input;
        input.covectors = {grad, m, v};
        input.bias_correction = 1.0 - power;
        Prediction prediction;
        input.hidden = hidden;
        moving.predict(input, prediction);
        x += 0.1 * prediction.y;
        hidden = prediction.hidden;
        input.hidden = hidden0;
        frozen.predict(input, prediction);
        x0 += 0.1 * prediction.y;
        hidden0 = prediction.hidden;
        Vector unused(n);
        sum += problem.objective->value_and_gradient(x, unused);
      }
    }
    return sum / (num_windows * window);
  }
};

TEST(RecurrentUnrolledGradient, OfDetachedWindowsAndConstantGradientsAgreesWithDifferences) {
  for (const RecurrentKind kind : kKinds) {
    const TrainingProblem problem = mild_recurrent_quadratic(3, 8);
    const Windows windows{problem, kind, 3, 2};
    const Vector theta0 = random_theta(kind, 9);
    Vector theta = theta0, d_theta = Vector::Zero(theta.size());
    const UnrolledLoss loss = RecurrentUnroller().loss_and_gradient(problem, RecurrentNetwork(kind, theta0),
                                                                    {.iterations = 6, .window = 2}, d_theta);
    EXPECT_NEAR(loss.loss, windows.loss(theta0, theta0), 1e-12);
    const Vector expected = some_differences([&] { return windows.loss(theta0, theta); }, theta);
    EXPECT_LT(relative_error(some_of(d_theta), expected), 1e-6) << name(kind);
  }
}

TEST(RecurrentUnroller, WhatAnEarlierTrajectoryLeftBehindDoesNotMatter) {
  RecurrentUnroller used;
  for (const RecurrentKind kind : kKinds) {
    for (const Index n : {11, 3}) {
      const TrainingProblem problem = mild_recurrent_quadratic(n, 10);
      const RecurrentNetwork model(kind, random_theta(kind, 11));
      const RecurrentUnrollOptions options{.iterations = 8, .window = 4, .through_gradient = n == 3};
      Vector a = Vector::Zero(model.theta().size()), b = a;
      used.loss_and_gradient(problem, model, options, a);
      RecurrentUnroller().loss_and_gradient(problem, model, options, b);
      EXPECT_TRUE(test::same_bits(a, b)) << name(kind) << " " << n;
    }
  }
}

// --- problems --------------------------------------------------------------------------------------------------------

TEST(TrainingProblems, GaussianOnesHaveTheirDerivativesAndMinimum) {
  TrainingOptions o = training_preset("rnnprop");
  o.functions = 3;
  o.unroll.starts = 2;
  for (const TrainingProblem& problem : problem_set(o, ProblemSet::kTraining)) {
    Vector x = problem.start, grad(x.size()), product(x.size()), unused(x.size());
    problem.objective->value_and_gradient(x, grad);
    const auto f = [&] { return problem.objective->value_and_gradient(x, unused); };
    EXPECT_LT(relative_error(grad, central_differences(f, x)), 1e-6);
    // Exact for a quadratic: one Newton step along the gradient's own ray stays above the minimum, f is convex.
    problem.objective->hessian_vector(x, grad, product);
    Vector grad_at(x.size());
    problem.objective->value_and_gradient(x - 1e-3 * problem.first_step * grad, grad_at);
    EXPECT_LT(relative_error((grad - grad_at) / (1e-3 * problem.first_step), product), 1e-6);
    // The first step is stable: f falls.
    EXPECT_LT(problem.objective->value_and_gradient(x - problem.first_step * grad, grad_at), f());
    EXPECT_EQ(problem.minimum, 0.0);
  }
}

TEST(TrainingProblems, EachStartHasItsOwnScaling) {
  TrainingOptions o = training_preset("rnnprop");
  o.functions = 1;
  o.unroll.starts = 2;
  const auto problems = problem_set(o, ProblemSet::kTraining);
  Vector a(o.unroll.dimension), b(o.unroll.dimension);
  problems[0].objective->value_and_gradient(Vector::Zero(o.unroll.dimension), a);
  problems[1].objective->value_and_gradient(Vector::Zero(o.unroll.dimension), b);
  const Vector ratio = a.cwiseQuotient(b);
  EXPECT_GT(ratio.maxCoeff() / ratio.minCoeff(), 1.5);
  EXPECT_LE(ratio.maxCoeff(), std::exp(6.0));
  EXPECT_GE(ratio.minCoeff(), std::exp(-6.0));
}

}  // namespace
}  // namespace loa
