// Would catch: a place in l-bfgs+ that still takes the identity for B_0 when the user gave an H_0, products with H_0 of
// a slice instead of the whole, an H_0 that is dropped by a resumed run or by a restart, an H_0 that another algorithm
// silently ignores, and an observer that pays for an all-reduce although it needs none.
#include <gmock/gmock.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>
#include <memory>
#include <utility>

#include "support/slices.h"

namespace loa {
namespace {

using namespace test;
using testing::HasSubstr;

constexpr Index kSize = 13;

// A matrix C with condition number 30, H_0 = C C^T.
Matrix factor_of_H0() { return Matrix(random_spd(kSize, 30.0, 8)); }

LinearOperator product_with(Matrix H) {
  return [H = std::move(H)](const Vector& v, Vector& out) { out.noalias() = H * v; };
}

// f(C z).
Function in_coordinates_of(std::shared_ptr<Objective> f, const Matrix& C) {
  return [f, C](const Vector& z, Vector& grad) {
    const Vector x = C * z;
    Vector grad_x(x.size());
    const double value = f->value_and_gradient(x, grad_x);
    grad.noalias() = C.transpose() * grad_x;
    return value;
  };
}

Options with_H0(LinearOperator H0) {
  Options options;
  options.initial_inverse_hessian = std::move(H0);
  options.keep_trace = true;
  options.gtol = 1e-8;
  return options;
}

// With x = C z and H_0 = C C^T the run on f(x) with H_0 is the run on f(C z) without, but for the first length and the
// test for convergence. The first step is given, and rounding is what remains. f is not convex at the start of the
// first problem, so that updates are skipped and the run begins again there.
TEST(InitialInverseHessian, IsTheRunInOtherCoordinates) {
  const Matrix C = factor_of_H0();
  for (const std::string name : {"rosenbrock", "quadratic", "logistic"}) {
    SCOPED_TRACE(name);
    const TestProblem& p = problem(name);
    const std::shared_ptr<Objective> f = p.whole(kSize);
    Options options = with_H0(product_with(C * C.transpose()));
    options.first_step = 1e-4;
    options.gtol = 0.0;
    options.max_iterations = 15;
    Options other = options;
    other.algorithm = "l-bfgs+";
    other.initial_inverse_hessian = {};
    const Vector x0 = p.start(kSize), z0 = C.ldlt().solve(x0);
    const Summary run = minimize(*f, x0, options), in_z = minimize(in_coordinates_of(f, C), z0, other);
    ASSERT_EQ(run.trace.size(), in_z.trace.size());
    for (std::size_t k = 0; k < run.trace.size(); ++k) {
      EXPECT_LT(relative_difference(run.trace[k].f, in_z.trace[k].f), 1e-9) << "iterate " << k;
      EXPECT_EQ(run.trace[k].evaluations, in_z.trace[k].evaluations) << "iterate " << k;
    }
    EXPECT_EQ(run.fallbacks, in_z.fallbacks);
    EXPECT_LT((run.x - C * in_z.x).norm(), 1e-8 * run.x.norm());
  }
}

// A useless direction is replaced by -scale H_0 g: at x_5 f is known in that direction alone.
TEST(InitialInverseHessian, StaysAfterRestarts) {
  constexpr double kParallel = 1.0 - 1e-10;
  const Matrix C = factor_of_H0(), H0 = C * C.transpose();
  const TestProblem& p = problem("rosenbrock");
  const std::unique_ptr<Objective> f = p.whole(kSize);
  Vector x, H0_grad;
  std::int64_t iteration = -1;
  Options options = with_H0(product_with(H0));
  options.max_iterations = 8;
  options.observer = [&](const Progress& progress) {
    iteration = progress.iteration;
    x = progress.x;
    H0_grad = H0 * progress.grad;
    return Continue::kYes;
  };
  const auto known_in_one_direction = [&](const Vector& point, Vector& grad) {
    const double value = f->value_and_gradient(point, grad);
    const bool is_known = iteration != 5 || cosine(point - x, H0_grad) < -kParallel;
    return is_known ? value : std::numeric_limits<double>::quiet_NaN();
  };
  const Summary run = minimize(known_in_one_direction, p.start(kSize), options);
  EXPECT_EQ(run.fallbacks.restart, 1);
  EXPECT_EQ(run.iterations, 8);
}

// With the exact inverse of the Hessian a quadratic takes next to no iterations, whatever its condition.
TEST(InitialInverseHessian, OfTheProblemItselfSolvesIt) {
  const Matrix A = random_spd(40, 1e6, 3);
  Quadratic f(A, random_vector(40, 4), 1.0);
  Options options = with_H0(product_with(A.inverse()));
  const Summary run = minimize(f, random_vector(40, 5), options);
  EXPECT_TRUE(run.success());
  EXPECT_LE(run.iterations, 5);
  options.initial_inverse_hessian = {};
  options.algorithm = "l-bfgs+";
  EXPECT_GT(minimize(f, random_vector(40, 5), options).iterations, 50);
}

// auto is then l-bfgs+, and what cannot begin with an H_0 says so.
TEST(InitialInverseHessian, IsForAlgorithmsWithAMatrixOrConjugatedPairs) {
  const TestProblem& p = problem("rosenbrock");
  const std::unique_ptr<Objective> f = p.whole(kSize);
  Options options = with_H0(product_with(Matrix::Identity(kSize, kSize)));
  EXPECT_EQ(minimize(*f, p.start(kSize), options).state.algorithm, "l-bfgs+");
  for (const AlgorithmInfo& info : algorithms()) {
    options.algorithm = info.name;
    if (const Algorithm made = make_algorithm(info.name); made.storage->takes_initial_inverse_hessian()) {
      EXPECT_FALSE(info.name == "l-bfgs" || info.name == "newton" || info.name == "adam") << info.name;
      minimize(*f, p.start(kSize), options);
      continue;
    }
    try {
      minimize(*f, p.start(kSize), options);
      ADD_FAILURE() << info.name;
    } catch (const std::invalid_argument& exception) {
      EXPECT_THAT(exception.what(), HasSubstr("'" + info.name + "'"));
    }
  }
}

TEST(InitialInverseHessian, OfTheIdentityIsNone) {
  const TestProblem& p = problem("rosenbrock");
  const std::unique_ptr<Objective> f = p.whole(kSize);
  Options options = with_H0([](const Vector& v, Vector& out) { out = v; });
  Options without = options;
  without.algorithm = "l-bfgs+";
  without.initial_inverse_hessian = {};
  const Summary run = minimize(*f, p.start(kSize), options), plain = minimize(*f, p.start(kSize), without);
  ASSERT_GE(run.trace.size(), 20u);
  for (std::size_t k = 0; k < 20; ++k)
    EXPECT_LT(relative_difference(run.trace[k].f, plain.trace[k].f), 1e-9) << "iterate " << k;
}

TEST(InitialInverseHessian, ResumesBitForBit) {
  const Matrix C = factor_of_H0();
  const TestProblem& p = problem("rosenbrock");
  const std::unique_ptr<Objective> f = p.whole(kSize);
  Options options = with_H0(product_with(C * C.transpose()));
  const Summary whole = minimize(*f, p.start(kSize), options);
  options.max_iterations = 9;
  const Summary first = minimize(*f, p.start(kSize), options);
  State state;
  ASSERT_FALSE(state_from_bytes(state_bytes(first.state), state));
  options.max_iterations = 100000;
  const Summary second = resume(*f, state, options);
  EXPECT_TRUE(same_bits(second.x, whole.x));
  EXPECT_EQ(second.evaluations, whole.evaluations);
  options.initial_inverse_hessian = {};
  EXPECT_THROW(resume(*f, state, options), std::invalid_argument);
}

// H_0 is diagonal here, so that each process has its part.
TEST(InitialInverseHessian, RunsOnSlices) {
  const Vector diagonal = random_vector(kSize, 21).array().abs() + 0.5;
  const auto part_of = [](const Vector& part) -> LinearOperator {
    return [part](const Vector& v, Vector& out) { out = part.cwiseProduct(v); };
  };
  const TestProblem& p = problem("quadratic");
  const Options options = with_H0(part_of(diagonal));
  const Result serial = minimize_whole(p, kSize, options);
  for (const Slicing& slicing : {Slicing{7, 6}, Slicing{6, 0, 7}}) {
    SCOPED_TRACE(name_of(slicing));
    const std::vector<Result> runs = results_of(minimize_slices(p, slicing, options, [&](int rank, Call& call) {
      call.options.initial_inverse_hessian = part_of(slice_of(diagonal, slicing, rank));
    }));
    ASSERT_FALSE(runs.empty());
    expect_agreement(runs);
    EXPECT_EQ(name(runs[0].status), name(serial.status));
    for (std::size_t k = 0; k < std::min<std::size_t>({11, runs[0].trace.size(), serial.trace.size()}); ++k)
      EXPECT_LT(relative_difference(runs[0].trace[k].f, serial.trace[k].f), 1e-9) << "iterate " << k;
    EXPECT_LT((joined(runs, &Result::x) - serial.x).norm(), 1e-6);
  }
}

// ---- Observers whose answers agree.

// Two all-reduces an iteration, with an observer that sees the 2-norm of the whole gradient.
TEST(AgreeingObservers, TakeNoAllReduce) {
  for (const std::string algorithm : {"l-bfgs", "l-bfgs+", "l-bfgs+d"}) {
    SCOPED_TRACE(algorithm);
    const TestProblem& p = problem("rosenbrock");
    const Slicing slicing = {20, 11, 9};
    const ProcessesOutcome outcome = run_processes(3, [&](const ProcessReduction& reduction) {
      Gathered f(p.whole(40), reduction, slicing);
      Options options;
      options.algorithm = algorithm;
      options.max_iterations = 60;
      options.gtol = 1e-3;
      options.reduction = &reduction;
      options.observer_answers = ObserverAnswers::kAgree;
      double largest_error = 0.0;
      std::int64_t calls = 0, evaluations = 0, largest = 0, observed = 0;
      options.observer = [&](const Progress& progress) {
        // Beside the algorithm, so that the check is not counted.
        double squares = progress.grad.squaredNorm();
        reduction.exchange({&squares, 1});
        largest_error = std::max(largest_error, relative_difference(progress.grad_norm, std::sqrt(squares)));
        ++observed;
        return progress.iteration < 50 ? Continue::kYes : Continue::kNo;
      };
      const auto counted = [&](const Vector& x, Vector& grad) {
        const std::int64_t new_calls = reduction.num_calls() - std::exchange(calls, reduction.num_calls());
        if (++evaluations > 5) largest = std::max(largest, new_calls);
        return f.value_and_gradient(x, grad);
      };
      const Summary run = minimize(counted, slice_of(p.start(40), slicing, reduction.rank()), options);
      Packer pack;
      pack(largest);
      pack(observed);
      pack(largest_error);
      pack(run.iterations);
      return pack.bytes();
    });
    ASSERT_EQ(outcome.failure, "");
    for (const ProcessOutcome& process : outcome.processes) {
      ASSERT_FALSE(process.threw()) << process.bytes;
      std::int64_t largest = 0, observed = 0, iterations = 0;
      double largest_error = 1.0;
      Unpacker unpack(process.bytes);
      unpack(largest);
      unpack(observed);
      unpack(largest_error);
      unpack(iterations);
      EXPECT_LE(largest, 2);
      EXPECT_GE(observed, 20);
      EXPECT_LE(iterations, 50);
      EXPECT_LT(largest_error, 1e-13);
    }
  }
}

TEST(AgreeingObservers, SeeTheNormOfTheGradient) {
  const TestProblem& p = problem("rosenbrock");
  Options options;
  options.max_iterations = 5;
  int observed = 0;
  options.observer = [&](const Progress& progress) {
    EXPECT_NEAR(progress.grad_norm, progress.grad.norm(), 1e-13 * progress.grad.norm());
    ++observed;
    return Continue::kYes;
  };
  const std::unique_ptr<Objective> f = p.whole(kSize);
  minimize(*f, p.start(kSize), options);
  EXPECT_EQ(observed, 6);
}

}  // namespace
}  // namespace loa
