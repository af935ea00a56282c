// Would catch: a warm start whose B is that of a slice alone, processes that decide differently about it, one process
// whose warm start is refused while the others wait, and a matrix that is taken for pairs.
#include <gmock/gmock.h>

#include "loa/warm_start.h"
#include "support/slices.h"

namespace loa {
namespace {

using namespace test;
using testing::HasSubstr;

constexpr Index kSlicedN = 13;

// Two second_of_twos: the second one has a slightly stiffer diagonal, and another minimizer. So well conditioned that
// the last digits of sums have not grown much when the first run ends.
std::unique_ptr<Objective> first_of_two(Index n) {
  return std::make_unique<Quadratic>(random_spd(n, 20.0, 3), random_vector(n, 4), 1.0);
}
std::unique_ptr<Objective> second_of_two(Index n) {
  const Matrix H = random_spd(n, 20.0, 3) + Matrix(0.02 * Matrix::Identity(n, n));
  return std::make_unique<Quadratic>(H, random_vector(n, 14), 1.0);
}

Vector start_of_both() { return random_vector(kSlicedN, 5); }

Options options_of(const std::string& algorithm) {
  Options options;
  options.algorithm = algorithm;
  options.gtol = 1e-6;
  options.max_iterations = 500;
  options.keep_trace = true;
  return options;
}

// Two runs in a row on every slice: the first of two, then `second` warm from the State of the first.
ProcessesOutcome warm_slices(const Slicing& slicing, const std::string& algorithm,
                             const std::function<std::unique_ptr<Objective>(Index)>& second,
                             const std::function<void(int rank, Options&)>& change = {}) {
  return run_processes(static_cast<int>(slicing.size()), [&](const ProcessReduction& reduction) {
    const Vector x0 = slice_of(start_of_both(), slicing, reduction.rank());
    Options options = options_of(algorithm);
    options.reduction = &reduction;
    Gathered first(first_of_two(kSlicedN), reduction, slicing);
    options.warm = WarmStart(minimize(first, x0, options).state);
    if (change) change(reduction.rank(), options);
    Gathered f(second(kSlicedN), reduction, slicing);
    return packed(result_of(minimize(f, x0, options)));
  });
}

class DistributedWarmStart : public testing::TestWithParam<std::string> {
 protected:
  static Result serial(const std::function<std::unique_ptr<Objective>(Index)>& second, bool is_warm) {
    Options options = options_of(GetParam());
    if (is_warm) options.warm = WarmStart(minimize(*first_of_two(kSlicedN), start_of_both(), options).state);
    return result_of(minimize(*second(kSlicedN), start_of_both(), options));
  }
};

TEST_P(DistributedWarmStart, FromSlicesOfAStateIsTheSerialOne) {
  const Result whole = serial(second_of_two, true), cold = serial(second_of_two, false);
  ASSERT_EQ(whole.fallbacks.warm, 0);
  ASSERT_LT(whole.trace[0].f, cold.trace[0].f);  // B is used
  // Measured: 5e-9 at the first iterate, which the end of the first run decides, and less from there on.
  for (const Slicing& slicing : {Slicing{7, 6}, Slicing{13, 0}, Slicing{6, 0, 7}}) {
    SCOPED_TRACE(name_of(slicing));
    const std::vector<Result> runs = results_of(warm_slices(slicing, GetParam(), second_of_two));
    ASSERT_FALSE(runs.empty());
    expect_agreement(runs);
    EXPECT_EQ(name(runs[0].status), name(whole.status));
    EXPECT_EQ(runs[0].fallbacks, whole.fallbacks);
    for (std::size_t k = 0; k < std::min<std::size_t>({8, runs[0].trace.size(), whole.trace.size()}); ++k) {
      EXPECT_LT(relative_difference(runs[0].trace[k].f, whole.trace[k].f), 1e-7) << "iterate " << k;
      EXPECT_EQ(runs[0].trace[k].evaluations, whole.trace[k].evaluations) << "iterate " << k;
    }
    EXPECT_NEAR(static_cast<double>(runs[0].evaluations.value), static_cast<double>(whole.evaluations.value), 2.0);
    EXPECT_LT((joined(runs, &Result::x) - whole.x).norm(), 1e-5);
  }
}

// The second run has bounds, on some of the slices alone, which hold coordinates; the B of the first one goes on.
TEST_P(DistributedWarmStart, InBoundsIsTheSerialOne) {
  Vector lower = Vector::Constant(kSlicedN, -kInf), upper = Vector::Constant(kSlicedN, kInf);
  lower.tail(7).setConstant(-0.02);
  upper.tail(7).setConstant(0.03);
  Options options = options_of(GetParam());
  options.warm = WarmStart(minimize(*first_of_two(kSlicedN), start_of_both(), options).state);
  options.lower = lower;
  options.upper = upper;
  const Summary summary = minimize(*second_of_two(kSlicedN), start_of_both(), options);
  ASSERT_GT(summary.bounds->num_active, 2);
  const Result whole = result_of(summary);
  ASSERT_EQ(whole.fallbacks.warm, 0);
  for (const Slicing& slicing : {Slicing{7, 6}, Slicing{13, 0}, Slicing{6, 0, 7}}) {
    SCOPED_TRACE(name_of(slicing));
    const std::vector<Result> runs =
        results_of(warm_slices(slicing, GetParam(), second_of_two, [&](int rank, Options& of_slice) {
          of_slice.lower = slice_of(lower, slicing, rank);
          of_slice.upper = slice_of(upper, slicing, rank);
        }));
    ASSERT_FALSE(runs.empty());
    expect_agreement(runs);
    EXPECT_EQ(name(runs[0].status), name(whole.status));
    EXPECT_EQ(runs[0].fallbacks, whole.fallbacks);
    EXPECT_LT(relative_difference(runs[0].trace[0].f, whole.trace[0].f), 1e-7);
    EXPECT_LT((joined(runs, &Result::x) - whole.x).norm(), 1e-5);
  }
}

// Rosenbrock's function knows nothing of the quadratic: all processes give the warm start up, and begin again at x0.
TEST_P(DistributedWarmStart, ThatMisleadsIsGivenUpByAll) {
  const auto other = [](Index n) -> std::unique_ptr<Objective> { return std::make_unique<ChainedRosenbrock>(n); };
  const Result whole = serial(other, true);
  ASSERT_EQ(whole.fallbacks.warm, 1);
  for (const Slicing& slicing : {Slicing{7, 6}, Slicing{6, 0, 7}}) {
    SCOPED_TRACE(name_of(slicing));
    const std::vector<Result> runs = results_of(warm_slices(slicing, GetParam(), other));
    ASSERT_FALSE(runs.empty());
    expect_agreement(runs);
    EXPECT_EQ(runs[0].fallbacks.warm, 1);
    EXPECT_EQ(name(runs[0].status), name(whole.status));
  }
}

// A mistake on one process is an exception on all of them: nobody waits.
TEST_P(DistributedWarmStart, OfAnotherLengthOnOneProcessEndsAll) {
  expect_exceptions(warm_slices({7, 6}, GetParam(), second_of_two, [](int rank, Options& options) {
    if (rank == 1) options.warm = options.warm.at(Vector::Zero(3));
  }));
  expect_exceptions(warm_slices({7, 6}, GetParam(), second_of_two, [](int rank, Options& options) {
    if (rank == 0) options.warm = {};
  }));
}

// The matrices of a slice would be a block of the whole one at best.
TEST_P(DistributedWarmStart, FromAMatrixIsRefused) {
  const ProcessesOutcome outcome = warm_slices({7, 6}, GetParam(), second_of_two, [](int, Options& options) {
    const Vector x = options.warm.x();
    options.warm = WarmStart(x, Matrix(Matrix::Identity(x.size(), x.size())));
  });
  expect_exceptions(outcome);
  for (const ProcessOutcome& process : outcome.processes) EXPECT_THAT(process.bytes, HasSubstr("found a matrix"));
}

// An algorithm with a matrix refuses slices, whatever it is to begin from.
TEST_P(DistributedWarmStart, ForAnAlgorithmWithAMatrixIsRefused) {
  for (const char* algorithm : {"bfgs", "bfgs+d"}) {
    const ProcessesOutcome outcome =
        warm_slices({7, 6}, GetParam(), second_of_two, [&](int, Options& options) { options.algorithm = algorithm; });
    expect_exceptions(outcome);
    for (const ProcessOutcome& process : outcome.processes) {
      EXPECT_EQ(process.kind, ProcessOutcome::Kind::kInvalidArgument);
      EXPECT_THAT(process.bytes, HasSubstr("'" + std::string(algorithm) + "'"));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(LimitedMemory, DistributedWarmStart, testing::Values("l-bfgs", "l-bfgs+", "l-bfgs+d"),
                         algorithm_test_name);

}  // namespace
}  // namespace loa
