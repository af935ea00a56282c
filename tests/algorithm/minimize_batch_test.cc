// Would catch: results out of order, a failure that spreads, a batch that differs from single runs, a choice between
// dense and limited memory on the wrong side.
#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "loa/minimize.h"
#include "loa/threads.h"
#include "support/objectives.h"

namespace loa {
namespace {

using test::same_bits;

// sum_i w_i (x_i - c)^2/2 with different weights.
FunctionObjective bowl(Index n, double centre) {
  return FunctionObjective(n, [centre](const Vector& x, Vector& grad) {
    double value = 0.0;
    for (Index i = 0; i < x.size(); ++i) {
      const double weight = 1.0 + static_cast<double>(i);
      grad[i] = weight * (x[i] - centre);
      value += 0.5 * weight * (x[i] - centre) * (x[i] - centre);
    }
    return value;
  });
}

struct Batch {
  std::vector<std::unique_ptr<FunctionObjective>> objectives;
  std::vector<BatchProblem> problems;

  void add(FunctionObjective f) {
    objectives.push_back(std::make_unique<FunctionObjective>(std::move(f)));
    problems.push_back({objectives.back().get(), Vector::Zero(objectives.back()->dimension())});
  }
};

TEST(MinimizeBatch, IsWhatSingleRunsGiveForAnyNumberOfThreads) {
  for (const int threads : {1, 2, 7}) {
    set_num_threads(threads);
    Batch batch;
    for (int i = 0; i < 40; ++i) batch.add(bowl(1 + i % 9, static_cast<double>(i + 1)));
    const std::vector<BatchResult> results = minimize_batch(batch.problems);
    set_num_threads(0);
    ASSERT_EQ(results.size(), 40u);
    for (std::size_t i = 0; i < results.size(); ++i) {
      const Summary alone = minimize(*batch.objectives[i], batch.problems[i].x0);
      EXPECT_EQ(results[i].error, nullptr);
      EXPECT_TRUE(same_bits(results[i].summary.x, alone.x)) << i;
      EXPECT_EQ(results[i].summary.evaluations.value, alone.evaluations.value);
      EXPECT_NEAR(results[i].summary.x[0], static_cast<double>(i + 1), 1e-4);
    }
  }
}

// f notes calls outside; starts are inside, at and outside of the bounds.
TEST(MinimizeBatch, CallsNoFunctionOutsideOfTheBounds) {
  constexpr Index kNumVariables = 6;
  Options options;
  options.lower = Vector::Constant(kNumVariables, -0.5);
  options.upper = Vector::LinSpaced(kNumVariables, 0.5, 3.0);
  for (const std::string algorithm : {"auto", "l-bfgs+d", "bfgs"})
    for (const int threads : {1, 3}) {
      set_num_threads(threads);
      options.algorithm = algorithm;
      std::atomic<std::int64_t> num_calls = 0, num_outside = 0;
      const auto watched = [&](FunctionObjective inner) {
        return FunctionObjective(kNumVariables, [&, inner](const Vector& x, Vector& grad) mutable {
          ++num_calls;
          num_outside += !((x.array() >= options.lower.array()).all() && (x.array() <= options.upper.array()).all());
          return inner.value_and_gradient(x, grad);
        });
      };
      Batch batch;
      for (int i = 0; i < 24; ++i) {
        batch.add(watched(bowl(kNumVariables, 0.25 * i - 2.0)));
        batch.problems.back().x0.setConstant(i % 3 == 0 ? 0.1 : i % 3 == 1 ? 0.5 : -40.0);
      }
      const std::vector<BatchResult> results = minimize_batch(batch.problems, options);
      set_num_threads(0);
      EXPECT_EQ(num_outside, 0) << algorithm;
      std::int64_t counted = 0;
      for (std::size_t i = 0; i < results.size(); ++i) {
        ASSERT_EQ(results[i].error, nullptr);
        const Summary& run = results[i].summary;
        counted += run.evaluations.value;
        EXPECT_TRUE(run.success()) << i << " " << run.message;
        ASSERT_TRUE(run.bounds.has_value());
        EXPECT_EQ(run.bounds->num_projected, i % 3 == 2 ? kNumVariables : 0) << i;
        const Vector expected = Vector::Constant(kNumVariables, 0.25 * static_cast<double>(i) - 2.0)
                                    .cwiseMax(options.lower)
                                    .cwiseMin(options.upper);
        EXPECT_LT((run.x - expected).lpNorm<Eigen::Infinity>(), 1e-4) << i;
      }
      EXPECT_EQ(num_calls, counted);
    }
}

TEST(MinimizeBatch, OneFailureDoesNotTouchTheOthers) {
  Batch batch;
  batch.add(bowl(3, 1.0));
  batch.add(FunctionObjective(2, [](const Vector&, Vector&) -> double { throw std::runtime_error("no value"); }));
  batch.add(FunctionObjective(2, [](const Vector&, Vector& grad) {
    grad.setConstant(std::numeric_limits<double>::quiet_NaN());
    return std::numeric_limits<double>::quiet_NaN();
  }));
  batch.add(bowl(3, 2.0));
  batch.problems.push_back({batch.objectives[0].get(), Vector::Zero(5)});  // a start of the wrong length
  const std::vector<BatchResult> results = minimize_batch(batch.problems);
  EXPECT_TRUE(is_success(results[0].summary.status));
  EXPECT_THROW(std::rethrow_exception(results[1].error), std::runtime_error);
  EXPECT_EQ(results[2].error, nullptr);
  EXPECT_EQ(results[2].summary.status, Status::kStartIsNotFinite);
  EXPECT_TRUE(is_success(results[3].summary.status));
  EXPECT_NEAR(results[3].summary.x[1], 2.0, 1e-4);
  EXPECT_THROW(std::rethrow_exception(results[4].error), std::invalid_argument);
}

TEST(MinimizeBatch, EmptyAndUnknown) {
  EXPECT_TRUE(minimize_batch({}).empty());
  Batch batch;
  batch.add(bowl(2, 1.0));
  Options options;
  options.algorithm = "nonsense";
  EXPECT_THROW(minimize_batch(batch.problems, options), std::invalid_argument);
}

TEST(Auto, IsDenseForFewVariablesAndLimitedForMany) {
  Options options;
  EXPECT_EQ(options.algorithm, "auto");
  EXPECT_EQ(algorithm_for(options, kLargestDense), "bfgs+d");
  EXPECT_EQ(algorithm_for(options, kLargestDense + 1), "l-bfgs+d");
  options.safeguard = Safeguard::kSpectrum;
  EXPECT_EQ(algorithm_for(options, kLargestDense + 1), "bfgs");
  options.algorithm = "sr1";
  EXPECT_EQ(algorithm_for(options, 1000000), "sr1");
}

TEST(Auto, SaysInTheStateWhatItTookAndResumesIt) {
  for (const Index n : {Index{5}, kLargestDense + 1}) {
    FunctionObjective f = bowl(n, 1.0);
    Options options;
    const Summary whole = minimize(f, Vector::Zero(n), options);
    EXPECT_EQ(whole.state.algorithm, algorithm_for(options, n));
    options.max_iterations = 2;
    const Summary part = minimize(f, Vector::Zero(n), options);
    options.max_iterations = 100000;
    EXPECT_TRUE(same_bits(resume(f, part.state, options).x, whole.x));
  }
}

}  // namespace
}  // namespace loa
