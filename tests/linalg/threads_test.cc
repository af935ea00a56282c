// Would catch: a sum whose order depends on the number of threads, a piece that is left out or taken twice.
#include "loa/threads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/parallel.h"
#include "linalg/dense_inverse_hessian.h"
#include "linalg/limited_memory_inverse_hessian.h"
#include "linalg/pass.h"
#include "loa/minimize.h"
#include "loa/problem.h"
#include "loa/reduction.h"
#include "support/algorithms.h"
#include "support/objectives.h"

namespace loa {
namespace {

using test::random_vector;
using test::same_bits;

struct RestoreThreads {
  ~RestoreThreads() { set_num_threads(0); }
};

// What make() returns must have the same bits with one thread, two and five.
template <typename Make>
Vector same_for_all_threads(const Make& make) {
  const RestoreThreads restore;
  set_num_threads(1);
  const Vector serial = make();
  for (const int threads : {2, 5}) {
    set_num_threads(threads);
    EXPECT_TRUE(same_bits(make(), serial)) << threads << " threads";
  }
  return serial;
}

TEST(Threads, RefusesANegativeNumber) { EXPECT_THROW(set_num_threads(-1), std::invalid_argument); }

TEST(Threads, OneInsideASerialScope) {
  const RestoreThreads restore;
  set_num_threads(3);
  const int outside = num_threads();
  {
    const SerialScope scope;
    EXPECT_EQ(num_threads(), 1);
  }
  EXPECT_EQ(num_threads(), outside);
}

TEST(Pass, VisitsEveryCoordinateOnce) {
  const RestoreThreads restore;
  for (const Index n : {Index{0}, Index{1}, kBlockSize, kBlockSize + 1, 2 * kSmallestPiece + 5, 100 * kSmallestPiece}) {
    for (const int threads : {1, 3}) {
      set_num_threads(threads);
      Vector visits = Vector::Zero(n);
      pass(n, [&](const Block& block) { block.of(visits).array() += 1.0; });
      EXPECT_TRUE((visits.array() == 1.0).all()) << n;
      const auto count = summing_pass<1>(n, [](const Block& b, auto& sum) { sum[0] += static_cast<double>(b.size); });
      EXPECT_EQ(count[0], static_cast<double>(n));
    }
  }
}

TEST(Reductions, AreTheSameForAnyNumberOfThreads) {
  const Index n = 5 * kSmallestPiece + 77;
  Vector a = random_vector(n, 1);
  const Vector b = random_vector(n, 2);
  const Vector values = same_for_all_threads([&] {
    return Vector{{dot(a, b), norm(a), distance(a, b), inf_norm(a), cosine(a, b)}};
  });
  EXPECT_NEAR(values[0], a.dot(b), 1e-12 * a.norm() * b.norm());
  EXPECT_NEAR(values[1], a.norm(), 1e-13 * a.norm());
  EXPECT_NEAR(values[2], (a - b).norm(), 1e-13 * a.norm());
  EXPECT_EQ(values[3], a.lpNorm<Eigen::Infinity>());
  a[n - 1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(inf_norm(a)));
}

// 700 is above the size from which the sweep is cut.
TEST(DenseInverseHessian, IsTheSameForAnyNumberOfThreads) {
  for (const Index n : {100, 700, 1001}) {
    const Vector d = random_vector(n, 1), v = random_vector(n, 2), y = random_vector(n, 3);
    const auto run = [&] {
      DenseInverseHessian B(n);
      B.reset(0.5);
      Vector B_d, out;
      for (int k = 0; k < 3; ++k) {  // sweeps go forwards and backwards
        B.apply(d, B_d);
        B.update({.d = d, .delta_g = d, .B_delta_g = B_d, .y = y});
        B.apply(v, out);
      }
      return out;
    };
    same_for_all_threads(run);

    DenseInverseHessian B(n);
    B.reset(0.5);
    Vector B_d, out;
    B.apply(d, B_d);
    B.update({.d = d, .delta_g = d, .B_delta_g = B_d, .y = y});
    const Vector expected = B.reference_product(v);
    B.apply(v, out);
    const double scale = B.matrix().cwiseAbs().rowwise().sum().maxCoeff() * v.lpNorm<Eigen::Infinity>();
    EXPECT_LT((out - expected).lpNorm<Eigen::Infinity>(), 4.0 * std::numeric_limits<double>::epsilon() * scale) << n;
    EXPECT_LT((B.reference_product(v) - expected).lpNorm<Eigen::Infinity>(), 1e-15 * scale) << "the term was lost";
  }
}

// A whole run, long enough for several pieces.
TEST(Minimize, IsTheSameForAnyNumberOfThreads) {
  const test::SkipList recurrent = test::recurrent("a network for each coordinate takes most of the time");
  for (const std::string& algorithm : test::algorithms_except(test::with_matrix("n^2 numbers are too many here"))) {
    const bool is_recurrent =
        std::ranges::any_of(recurrent, [&](const test::Skipped& entry) { return entry.algorithm == algorithm; });
    const int num_iterations = is_recurrent ? 3 : 15;
    same_for_all_threads([&] {
      const Index n = 3 * kSmallestPiece;
      FunctionObjective f(n, [](const Vector& x, Vector& grad) {
        double value = 0.0;
        for (Index i = 0; i < x.size(); ++i) {
          const double weight = 1.0 + static_cast<double>(i % 50), t = x[i] - 1.0;
          value += weight * (0.5 * t * t + 0.25 * t * t * t * t);
          grad[i] = weight * (t + t * t * t);
        }
        return value;
      });
      Options options;
      options.algorithm = algorithm;
      options.max_iterations = num_iterations;
      return minimize(f, Vector::Zero(n), options).x;
    });
  }
}

// Several threads of the user, each with a run of its own.
TEST(Minimize, IsTheSameBesideOthers) {
  const RestoreThreads restore;
  const Index n = 2 * kSmallestPiece;
  const auto run = [] {
    FunctionObjective f(n, [](const Vector& x, Vector& grad) {
      grad = (x.array() - 1.0).cube();
      return 0.25 * (x.array() - 1.0).square().square().sum();
    });
    Options options;
    options.algorithm = "l-bfgs";
    options.max_iterations = 5;
    return minimize(f, Vector::LinSpaced(n, -1.0, 3.0), options).x;
  };
  set_num_threads(1);
  const Vector alone = run();
  set_num_threads(3);
  std::vector<Vector> results(4);
  {
    std::vector<std::jthread> callers;
    for (Vector& result : results) callers.emplace_back([&] { result = run(); });
  }
  for (const Vector& result : results) EXPECT_TRUE(same_bits(result, alone));
}

// A matrix of several pieces, and enough iterations for bfgs+ and loa to make one of their pairs.
TEST(Minimize, WithAMatrixIsTheSameForAnyNumberOfThreads) {
  for (const std::string& algorithm :
       test::algorithms_except(test::with_limited_memory("has no matrix") + test::first_order("has no matrix") +
                               test::recurrent("has no matrix") + test::skip({"newton"}, "needs a Hessian"))) {
    same_for_all_threads([&] {
      const Index n = 700;
      // A long valley along which all variables are coupled: no diagonal knows it.
      FunctionObjective f(n, [](const Vector& x, Vector& grad) {
        double value = 0.0;
        grad.setZero();
        for (Index i = 0; i + 1 < x.size(); ++i) {
          const double t = x[i + 1] - x[i] * x[i], rest = 1.0 - x[i];
          value += 100.0 * t * t + rest * rest;
          grad[i] -= 400.0 * t * x[i] + 2.0 * rest;
          grad[i + 1] += 200.0 * t;
        }
        return value;
      });
      Options options;
      options.algorithm = algorithm;
      options.gtol = 0.0;
      options.max_iterations = 110;
      Vector start(n);
      for (Index i = 0; i < n; ++i) start[i] = i % 2 == 0 ? -1.2 : 1.0;
      const Summary summary = minimize(f, start, options);
      EXPECT_EQ(summary.iterations, 110) << algorithm;
      return summary.x;
    });
  }
}

// Enough entries for several pieces of rows.
TEST(Objectives, AreTheSameForAnyNumberOfThreads) {
  for (const char* name : {"logistic:m=8000,n=60", "ridge:m=16000,n=60"}) {
    Problem problem;
    ASSERT_EQ(make_problem(name, problem).message(), "");
    same_for_all_threads([&] {
      Vector grad(problem.start.size()), with_value(problem.start.size() + 2);
      const double f = problem.objective->value_and_gradient(problem.start, grad);
      with_value << grad, f, problem.objective->value(problem.start);
      EXPECT_NEAR(f, problem.objective->value(problem.start), 1e-12 * std::abs(f));
      return with_value;
    });
  }
}

}  // namespace
}  // namespace loa
