// The unrolled loss: log 2 where the model is BFGS, and its gradient against differences. Where windows are detached
// the derivative is not that of one function; the reference is then an implementation of the windows in this file, with
// the dense B, whose starting states are frozen while theta moves.
#include "train/unroll.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "model/classical_models.h"
#include "model/pooled_network.h"
#include "support/allocation_count.h"
#include "support/differences.h"
#include "support/objectives.h"
#include "train/training_problems.h"

namespace loa {
namespace {

using test::central_differences;
using test::relative_error;

TrainingProblem quadratic(Index n, std::uint64_t seed, const UnrollOptions& options) {
  TrainingOptions drawn;
  drawn.unroll.dimension = n;
  TrainingProblem problem = training_quadratic(drawn, seed, 0);
  problem.reference_gaps = Unroller().reference_gaps(problem, options);
  return problem;
}

// A quadratic that is not solved within a few iterations, and whose derivatives are of moderate size.
TrainingProblem mild_quadratic(Index n, std::uint64_t seed, const UnrollOptions& options) {
  TrainingProblem problem{
      .objective = std::make_shared<test::Quadratic>(test::random_spd(n, 30.0, seed), test::random_vector(n, seed + 1)),
      .start = 5.0 * test::random_vector(n, seed + 2),
      .first_step = 0.5 / 30.0,
      .minimum = 0.0,
      .reference_gaps = {}};
  problem.reference_gaps = Unroller().reference_gaps(problem, options);
  return problem;
}

// Near BFGS, with every layer in play.
Vector moderate_theta(std::uint64_t seed) {
  Vector theta = PooledNetwork::random_start(seed);
  theta.tail(18) *= 0.2;
  theta(214) += 1.0;
  return theta;
}

Vector gradient(const TrainingProblem& problem, const Vector& theta, const UnrollOptions& options) {
  Vector d_theta = Vector::Zero(theta.size());
  Unroller().loss_and_gradient(problem, PooledNetwork(theta), options, d_theta);
  return d_theta;
}

// --- the loss --------------------------------------------------------------------------------------------------------

TEST(UnrolledLoss, AtTheBfgsLikeStartIsLogTwoOnEveryProblem) {
  const UnrollOptions options;
  Unroller unroller;
  for (const Index n : {20, 37, 100}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const TrainingProblem problem = quadratic(n, seed, options);
      const PooledNetwork model(PooledNetwork::bfgs_like_start(seed));
      Vector d_theta = Vector::Zero(PooledNetwork::kNumParameters);
      for (const UnrolledLoss& found :
           {unroller.loss(problem, model, options), unroller.loss_and_gradient(problem, model, options, d_theta)}) {
        EXPECT_NEAR(found.loss, std::numbers::ln2, 1e-12) << "n = " << n << ", seed " << seed;
        ASSERT_EQ(found.losses.size(), 8u);
        for (const double loss : found.losses) EXPECT_NEAR(loss, std::numbers::ln2, 1e-12) << n << ' ' << seed;
      }
      EXPECT_TRUE(d_theta.allFinite() && d_theta.norm() > 0.0) << "nothing to learn from, n = " << n;
    }
  }
}

// The reference once more, by the update of textbooks.
TEST(UnrolledLoss, ReferenceGapsAreThoseOfBfgs) {
  const UnrollOptions options{.iterations = 15};
  const TrainingProblem problem = quadratic(20, 3, options);
  Vector x_prev = problem.start, g_prev(20), g(20);
  problem.objective->value_and_gradient(x_prev, g_prev);
  Vector x = x_prev - problem.first_step * g_prev;
  double f = problem.objective->value_and_gradient(x, g);
  Matrix B;
  const Matrix I = Matrix::Identity(20, 20);
  for (int k = 0; k < 15; ++k) {
    const Vector s = x - x_prev, y = g - g_prev;
    if (k == 0) B = 0.8 * s.dot(y) / y.squaredNorm() * I;
    const double rho = 1.0 / s.dot(y);
    B = (I - rho * s * y.transpose()) * B * (I - rho * y * s.transpose()) + rho * s * s.transpose();
    x_prev = x;
    g_prev = g;
    x -= B * g;
    f = problem.objective->value_and_gradient(x, g);
    if (k % 5 != 4) continue;
    const double expected = problem.reference_gaps[static_cast<std::size_t>(k / 5)];
    EXPECT_NEAR(f, expected, 1e-9 * expected) << "iteration " << k + 1;
  }
}

TEST(UnrolledLoss, DoesNotDependOnWhatTheWorkspaceDidBefore) {
  const UnrollOptions options{.iterations = 20}, whole{.iterations = 20, .window = 20},
      attached{.iterations = 20, .detach_B = false, .detach_x = false, .detach_gradient = false};
  const PooledNetwork model(moderate_theta(1));
  Unroller used;
  for (const Index n : {12, 30, 12}) {
    for (const UnrollOptions& o : {options, whole, attached, options}) {
      const TrainingProblem problem = mild_quadratic(n, 5, o);
      Vector fresh = Vector::Zero(model.theta().size()), again = fresh;
      const double expected = Unroller().loss_and_gradient(problem, model, o, fresh).loss;
      EXPECT_TRUE(test::same_bits(used.loss_and_gradient(problem, model, o, again).loss, expected));
      EXPECT_TRUE(test::same_bits(again, fresh)) << "n = " << n;
      // Where B is not detached the terms are added to it in another order.
      EXPECT_NEAR(used.loss(problem, model, o).loss, expected, o.detach_B ? 0.0 : 1e-12) << "n = " << n;
    }
  }
}

TEST(UnrolledLoss, GradientIsAdded) {
  const UnrollOptions options{.iterations = 10};
  const TrainingProblem problem = mild_quadratic(12, 5, options);
  const PooledNetwork model(moderate_theta(1));
  const Vector before = test::random_vector(model.theta().size(), 3);
  Vector added = before;
  Unroller().loss_and_gradient(problem, model, options, added);
  EXPECT_LT(relative_error(added, before + gradient(problem, model.theta(), options)), 1e-15);
}

TEST(UnrolledLoss, RefusesIterationsThatAreNotWholeWindows) {
  const UnrollOptions options{.iterations = 10};
  TrainingProblem problem = mild_quadratic(12, 5, options);
  const PooledNetwork model(moderate_theta(1));
  EXPECT_THROW(Unroller().loss(problem, model, {.iterations = 12, .window = 5}), std::invalid_argument);
  problem.reference_gaps.pop_back();
  EXPECT_THROW(Unroller().loss(problem, model, options), std::invalid_argument);
}

TEST(UnrolledLoss, RefusesAWindowOfZero) {
  const TrainingProblem problem = mild_quadratic(12, 5, {.iterations = 10});
  EXPECT_THROW(Unroller().loss(problem, PooledNetwork(moderate_theta(1)), {.iterations = 10, .window = 0}),
               std::invalid_argument);
}

// --- true gradients --------------------------------------------------------------------------------------------------

void expect_true_gradient(const UnrollOptions& options, Index n) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const TrainingProblem problem = mild_quadratic(n, 10 * seed, options);
    Vector theta = moderate_theta(seed);
    const auto value = [&] { return Unroller().loss(problem, PooledNetwork(theta), options).loss; };
    const Vector found = gradient(problem, theta, options);
    EXPECT_LT(relative_error(found, central_differences(value, theta, 1e-6)), 1e-5)
        << "n = " << n << ", seed " << seed << ", window " << options.window;
  }
}

TEST(UnrolledGradient, OfOneWindowAgreesWithDifferences) {
  for (const Index n : {3, 12}) {
    expect_true_gradient({.iterations = 1, .window = 1}, n);
    expect_true_gradient({.iterations = 5, .window = 5}, n);
  }
  expect_true_gradient({.iterations = 10, .window = 10}, 12);
}

TEST(UnrolledGradient, WithoutDetachingAgreesWithDifferences) {
  for (const int window : {1, 2, 5})
    expect_true_gradient(
        {.iterations = 10, .window = window, .detach_B = false, .detach_x = false, .detach_gradient = false}, 12);
}

// At gamma = 1 several factors of gamma cannot be told apart.
TEST(UnrolledGradient, HoldsForOtherStepSizes) {
  for (const double gamma : {0.5, 0.8}) {
    expect_true_gradient({.iterations = 5, .window = 5, .gamma = gamma}, 12);
    expect_true_gradient(
        {.iterations = 10, .window = 5, .gamma = gamma, .detach_B = false, .detach_x = false, .detach_gradient = false},
        12);
  }
}

// An objective whose Hessian is not constant.
TEST(UnrolledGradient, HoldsWhereTheHessianDependsOnX) {
  const UnrollOptions options{.iterations = 5};
  TrainingProblem problem{.objective = std::make_shared<test::ChainedRosenbrock>(6),
                          .start = Vector::Ones(6) + 0.05 * test::random_vector(6, 1),
                          .first_step = 1e-4,
                          .minimum = -1.0,
                          .reference_gaps = {1.0}};
  Vector theta = moderate_theta(2);
  const auto value = [&] { return Unroller().loss(problem, PooledNetwork(theta), options).loss; };
  EXPECT_LT(relative_error(gradient(problem, theta, options), central_differences(value, theta, 1e-6)), 1e-5);
}

// --- detached windows, against a plain implementation
// -----------------------------------------------------------------

// What one window hands to the next. Each part exists twice: as it really is, and frozen at the theta at which the
// derivative is wanted.
struct Carried {
  Vector x, x_prev, g_prev, B_g_prev;
  Matrix B;
};

struct NaiveWindows {
  const TrainingProblem& problem;
  const UnrollOptions& options;

  Carried start() const {
    const Index n = problem.start.size();
    Carried c;
    c.x_prev = problem.start;
    c.g_prev.resize(n);
    problem.objective->value_and_gradient(c.x_prev, c.g_prev);
    c.x = c.x_prev - problem.first_step * c.g_prev;
    Vector g(n);
    problem.objective->value_and_gradient(c.x, g);
    const Vector d = c.x - c.x_prev, delta_g = g - c.g_prev;
    c.B = 0.8 * delta_g.dot(d) / delta_g.squaredNorm() * Matrix::Identity(n, n);
    c.B_g_prev = c.B * c.g_prev;
    return c;
  }

  // The window's iterations; returns its loss.
  double run(const Vector& theta, std::size_t w, Carried& c) const {
    const PooledNetwork model(theta);
    Vector g(c.x.size());
    double f = problem.objective->value_and_gradient(c.x, g);
    for (int k = 0; k < options.window; ++k) {
      const Vector d = c.x - c.x_prev, delta_g = g - c.g_prev, B_g = c.B * g;
      Input input;
      input.gamma = options.gamma;
      input.vectors = {B_g - c.B_g_prev, d, -options.gamma * B_g};
      Prediction prediction;
      model.predict(input, prediction);
      const Vector& y = prediction.y;
      const Vector r = d - input.vectors[0];
      const double delta_g_y = delta_g.dot(y);
      c.B += (r * y.transpose() + y * r.transpose()) / delta_g_y -
             delta_g.dot(r) / (delta_g_y * delta_g_y) * y * y.transpose();
      c.x_prev = c.x;
      c.g_prev = g;
      c.B_g_prev = c.B * g;
      c.x -= options.gamma * c.B_g_prev;
      f = problem.objective->value_and_gradient(c.x, g);
    }
    return std::log1p((f - problem.minimum) / problem.reference_gaps[w]);
  }

  // The loss as a function of `theta` whose derivative at `center` the options ask for: at the start of each window
  // what is detached is that of `center`.
  double loss(const Vector& theta, const Vector& center) const {
    Carried moving = start(), frozen = moving;
    double sum = 0.0;
    for (std::size_t w = 0; w < problem.reference_gaps.size(); ++w) {
      if (options.detach_B) moving.B = frozen.B;
      if (options.detach_x) {
        moving.x = frozen.x;
        moving.x_prev = frozen.x_prev;
      }
      if (options.detach_gradient) {
        moving.g_prev = frozen.g_prev;
        moving.B_g_prev = frozen.B_g_prev;
      } else {
        moving.B_g_prev = moving.B * moving.g_prev;
      }
      sum += run(theta, w, moving);
      run(center, w, frozen);
    }
    return sum / static_cast<double>(problem.reference_gaps.size());
  }
};

void expect_gradient_of_windows(const UnrollOptions& options) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const TrainingProblem problem = mild_quadratic(8, 10 * seed, options);
    const Vector center = moderate_theta(seed);
    Vector theta = center;
    const NaiveWindows naive{problem, options};
    ASSERT_NEAR(naive.loss(center, center), Unroller().loss(problem, PooledNetwork(center), options).loss, 1e-10);
    const auto value = [&] { return naive.loss(theta, center); };
    const Vector expected = central_differences(value, theta, 1e-6);
    EXPECT_LT(relative_error(gradient(problem, center, options), expected), 1e-5)
        << "seed " << seed << ", detached:" << (options.detach_B ? " B" : "") << (options.detach_x ? " x" : "")
        << (options.detach_gradient ? " gradient" : "");
  }
}

TEST(UnrolledGradient, OfDetachedWindowsAgreesWithDifferencesFromFrozenStates) {
  expect_gradient_of_windows({.iterations = 15, .window = 5});
  expect_gradient_of_windows({.iterations = 6, .window = 2, .gamma = 0.7});
}

TEST(UnrolledGradient, OfPartlyDetachedWindowsToo) {
  for (const bool detach_B : {false, true})
    for (const bool detach_x : {false, true})
      for (const bool detach_gradient : {false, true})
        expect_gradient_of_windows({.iterations = 9,
                                    .window = 3,
                                    .gamma = 0.9,
                                    .detach_B = detach_B,
                                    .detach_x = detach_x,
                                    .detach_gradient = detach_gradient});
}

TEST(UnrolledGradient, DetachingAndTheGradientOfFMatter) {
  const UnrollOptions detached{.iterations = 10},
      attached{.iterations = 10, .detach_B = false, .detach_x = false, .detach_gradient = false},
      without{.iterations = 10, .through_gradient = false};
  const TrainingProblem problem = mild_quadratic(8, 10, detached);
  const Vector theta = moderate_theta(1), usual = gradient(problem, theta, detached);
  EXPECT_GT(relative_error(gradient(problem, theta, attached), usual), 1e-3);
  EXPECT_GT(relative_error(gradient(problem, theta, without), usual), 1e-3);
}

// Without Hessian-vector products an objective that has none is enough.
TEST(UnrolledGradient, AsksForNoHessianWhenGradientsAreConstants) {
  const UnrollOptions options{.iterations = 10, .through_gradient = false};
  TrainingProblem problem = mild_quadratic(8, 10, options);
  const Vector theta = moderate_theta(1), expected = gradient(problem, theta, options);
  const std::shared_ptr<Objective> whole = problem.objective;
  problem.objective = std::make_shared<FunctionObjective>(
      8, [whole](const Vector& x, Vector& grad) { return whole->value_and_gradient(x, grad); });
  EXPECT_TRUE(test::same_bits(gradient(problem, theta, options), expected));
}

// --- what leaves the range of f
// ---------------------------------------------------------------------------------------

TEST(UnrolledLoss, ATrajectoryThatIsNotFiniteAddsNothing) {
  for (const bool detach : {true, false}) {
    const UnrollOptions options{.iterations = 20, .detach_B = detach, .detach_x = detach, .detach_gradient = detach};
    TrainingProblem problem = mild_quadratic(8, 10, options);
    const std::shared_ptr<Objective> whole = problem.objective;
    int calls = 0;
    // The third window leaves the range.
    problem.objective = std::make_shared<FunctionObjective>(8, [whole, &calls](const Vector& x, Vector& grad) {
      const double f = whole->value_and_gradient(x, grad);
      return ++calls > 14 ? test::kInf : f;
    });
    UnrollOptions without_hessian = options;
    without_hessian.through_gradient = false;
    const PooledNetwork model(moderate_theta(1));
    const Vector before = test::random_vector(model.theta().size(), 1);
    Vector d_theta = before;
    const UnrolledLoss found = Unroller().loss_and_gradient(problem, model, without_hessian, d_theta);
    EXPECT_FALSE(std::isfinite(found.loss));
    EXPECT_TRUE(test::same_bits(d_theta, before));
  }
}

TEST(UnrolledLoss, AModelThatPredictsZeroIsNotFinite) {
  const UnrollOptions options{.iterations = 10};
  const TrainingProblem problem = mild_quadratic(8, 10, options);
  const PooledNetwork model(Vector::Zero(PooledNetwork::kNumParameters));
  Vector d_theta = Vector::Zero(PooledNetwork::kNumParameters);
  EXPECT_FALSE(std::isfinite(Unroller().loss_and_gradient(problem, model, options, d_theta).loss));
  EXPECT_EQ(d_theta, Vector::Zero(PooledNetwork::kNumParameters));
}

// --- memory ----------------------------------------------------------------------------------------------------------

// With everything detached the records are those of one window: the first call allocates as often for K = 200 as for
// K = 10, up to what the objective and the list of losses take, and the second call nothing beyond these.
TEST(UnrolledLoss, MemoryDoesNotGrowWithTheIterations) {
  if (!can_count_allocations()) GTEST_SKIP() << "allocations cannot be counted in this build";
  const PooledNetwork model(moderate_theta(1));
  const auto allocations = [&](int iterations, bool second) {
    const UnrollOptions options{.iterations = iterations};
    TrainingProblem problem = mild_quadratic(40, 10, options);
    // Whether BFGS has arrived by then does not matter here.
    problem.reference_gaps.assign(problem.reference_gaps.size(), 1.0);
    Vector d_theta = Vector::Zero(model.theta().size());
    Unroller unroller;
    if (second) unroller.loss_and_gradient(problem, model, options, d_theta);
    const std::int64_t before = allocation_count();
    const double loss = unroller.loss_and_gradient(problem, model, options, d_theta).loss;
    const std::int64_t after = allocation_count();
    EXPECT_TRUE(std::isfinite(loss)) << iterations;
    return after - before;
  };
  const std::int64_t few = allocations(10, false), many = allocations(35, false);
  EXPECT_LE(many, few) << "a first call";
  const std::int64_t few_again = allocations(10, true), many_again = allocations(35, true);
  EXPECT_LE(many_again, few_again) << "a second call";
  EXPECT_LE(many_again, 8) << "a second call needs the list of losses and little more";
}

}  // namespace
}  // namespace loa
