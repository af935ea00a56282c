// Would catch: a wrong psi, a filter with another pair than that of the step before, one that survives a restart, one
// that takes the curvature, a product with B that belongs to the unfiltered pair, a state that does not keep all of it,
// units, coordinates, a slice that decides alone, an allocation.
#include "oracle/filtered_secant.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/last_step.h"
#include "loa/minimize.h"
#include "loa/principle.h"
#include "loa/quasi_newton_input.h"
#include "model/classical_models.h"
#include "oracle/oracles.h"
#include "storage/storages.h"
#include "support/allocation_count.h"
#include "support/objectives.h"
#include "update/updates.h"

namespace loa {
namespace {

using test::ChainedRosenbrock;
using test::kInf;
using test::kNaN;
using test::random_vector;
using test::same_bits;

TEST(FilterWeight, IsThatOfFordAndMoghrabi) {
  EXPECT_NEAR(filter_weight(3.0, 3.0, 1.0), 1.0 / 3.0, 1e-15);
  EXPECT_NEAR(filter_weight(4.0, 1.0, 1.0), 4.0 / 5.0, 1e-15);
  EXPECT_NEAR(filter_weight(1.0, 4.0, 0.5), 0.5 * 0.25 / 2.0, 1e-15);
}

// The same combination of the differences of any p(t) = a + b t + c t^2 is a multiple of p'(t_2), with the same factor.
TEST(FilterWeight, GivesTheTangentOfAParabola) {
  for (const double delta : {0.2, 1.0, 3.0}) {
    const double weight = filter_weight(delta * delta, 1.0, 1.0), end = 1.0 + delta;
    for (const double c : {-2.0, 0.0, 5.0}) {
      const auto p = [c](double t) { return 1.5 * t + c * t * t; };
      const double combination = p(end) - p(1.0) - weight * (p(1.0) - p(0.0));
      EXPECT_NEAR(combination / (delta - weight), 1.5 + 2.0 * c * end, 1e-12) << delta << ' ' << c;
    }
  }
}

TEST(FilterWeight, IsZeroWithoutAStepBefore) {
  for (const double none : {0.0, -1.0, kNaN, kInf}) {
    EXPECT_EQ(filter_weight(1.0, none, 1.0), 0.0) << none;
    EXPECT_EQ(filter_weight(none, 1.0, 1.0), 0.0) << none;
  }
}

TEST(FilterPair, TakesTheMultipleOfBothOut) {
  const Matrix H = test::random_spd(5, 10.0, 1);
  Vector d = random_vector(5, 2);
  const Vector before = random_vector(5, 3), given = d, H_before = H * before;
  Vector delta_g = H * d;
  ASSERT_TRUE(filter_pair({before, H_before}, 0.3, Reduction::serial(), d, delta_g));
  EXPECT_LT((d - (given - 0.3 * before)).norm(), 1e-15);
  EXPECT_LT((delta_g - H * d).norm(), 1e-13);
}

TEST(FilterPair, LeavesThePairAloneWhereItsCurvatureWouldGo) {
  const Vector d0{{1.0, 0.0}}, g0{{1.0, 0.0}};
  const auto is_filtered = [&](const Vector& before, const Vector& g_before, double weight) {
    Vector d = d0, g = g0;
    const bool filtered = filter_pair({before, g_before}, weight, Reduction::serial(), d, g);
    EXPECT_EQ(filtered, !same_bits(d, d0));
    return filtered;
  };
  EXPECT_TRUE(is_filtered(d0, g0, 0.7));    // 0.09 of the curvature is left
  EXPECT_FALSE(is_filtered(d0, g0, 0.8));   // 0.04
  EXPECT_FALSE(is_filtered(d0, -g0, 1.5));  // a negative part
  EXPECT_FALSE(is_filtered(d0, g0, 0.0));
  EXPECT_FALSE(is_filtered(d0, g0, kNaN));
  EXPECT_FALSE(is_filtered(kNaN * d0, g0, 0.5));
}

enum class Operator { kDense, kLimitedMemory };

std::shared_ptr<const Storage> inner_storage(const HyperParameters& h, Operator kind) {
  if (kind == Operator::kDense) return quasi_newton_storage(h);
  return quasi_newton_storage(h, limited_memory({.memory = 4}, PairsKept::kTriple));
}

struct Variant {
  const char* name;
  Operator kind;
  SecantEquation equation;
  bool sr1;

  Algorithm make(const HyperParameters& h = {}) const {
    Algorithm algorithm = make_algorithm(sr1 ? "sr1" : "bfgs", h);
    algorithm.name = name;
    algorithm.oracle = quasi_newton_oracle(h, SecantOptions{.equation = equation, .filter = 1.0});
    algorithm.storage = filtered_storage(h, inner_storage(h, kind));
    return algorithm;
  }
};

void PrintTo(const Variant& variant, std::ostream* os) { *os << variant.name; }

class Filtered : public testing::TestWithParam<Variant> {};

// x_k, g_k and all pairs of a run, and what the oracle makes of them.
TEST_P(Filtered, PairsAreThoseOfTheFormula) {
  constexpr Index n = 6;
  constexpr double kGamma = 0.7;
  const Algorithm algorithm = GetParam().make({.step_size = kGamma});
  ChainedRosenbrock f(n);
  State state = minimize(f, ChainedRosenbrock::start(n), algorithm, {.max_iterations = 0}).state;
  Vector d_before = Vector::Zero(n), g_before = d_before;
  double length_before = 0.0;
  int num_filtered = 0;
  for (int k = 0; k < 20; ++k) {
    SCOPED_TRACE(k);
    Vector d = state.x - state.x_prev, delta_g = state.grad - state.grad_prev;
    // <d, B^-1 d> with B^-1 d = -step gamma g_{k-1}, d = step p.
    const double step = d.norm() / state.direction_prev.norm();
    const double length = -step * kGamma * state.grad_prev.dot(d);
    if (GetParam().equation == SecantEquation::kValuesToo)
      d /= curvature_ratio({state.f_prev, state.f, state.grad_prev.dot(d), state.grad.dot(d)});
    const Vector d_plain = d, g_plain = delta_g;
    if (k > 0) {
      const double delta = std::sqrt(length / length_before), psi = delta * delta / (1.0 + 2.0 * delta);
      const Vector r = d - psi * d_before, w = delta_g - psi * g_before;
      if (r.dot(w) >= 0.05 * d.dot(delta_g)) {
        d = r;
        delta_g = w;
        ++num_filtered;
      }
    }
    Matrix B(n, n);
    Input input;
    algorithm.oracle->observe(f, state, input);
    EXPECT_LT((input.vectors[kD] - d).norm(), 1e-11 * d.norm());
    EXPECT_LT((input.covectors[kDeltaG] - delta_g).norm(), 1e-11 * delta_g.norm());
    if (GetParam().kind == Operator::kDense) {
      lower_triangle(*state.B, B);
      B.triangularView<Eigen::StrictlyUpper>() = B.transpose();
      EXPECT_LT((input.vectors[kBDeltaG] - B * delta_g).norm(), 1e-11 * B.norm() * delta_g.norm());
      EXPECT_LT((input.vectors[kMinusGammaBGrad] + kGamma * B * state.grad).norm(),
                1e-11 * B.norm() * state.grad.norm());
    }
    d_before = d_plain;
    g_before = g_plain;
    length_before = length;
    const Summary next = resume(f, State(state), algorithm, {.gtol = 0.0, .max_iterations = k + 1});
    ASSERT_EQ(next.iterations, k + 1);
    ASSERT_EQ(next.fallbacks.restart, 0);
    state = next.state;
  }
  EXPECT_GT(num_filtered, 5);
}

TEST_P(Filtered, ResumedRunsAreTheSame) {
  ChainedRosenbrock f(8);
  const Algorithm algorithm = GetParam().make();
  Options o{.gtol = 0.0, .max_iterations = 30};
  const Summary whole = minimize(f, ChainedRosenbrock::start(8), algorithm, o);
  for (const std::int64_t k : {1, 2, 5, 13}) {
    o.max_iterations = k;
    const std::string bytes = state_bytes(minimize(f, ChainedRosenbrock::start(8), algorithm, o).state);
    State state;
    ASSERT_EQ(state_from_bytes(bytes, state), "");
    o.max_iterations = 30;
    const Summary rest = resume(f, std::move(state), algorithm, o);
    EXPECT_TRUE(same_bits(rest.x, whole.x)) << k;
    EXPECT_EQ(rest.evaluations, whole.evaluations);
    EXPECT_EQ(state_bytes(rest.state), state_bytes(whole.state));
  }
}

TEST_P(Filtered, SolvesRosenbrock) {
  ChainedRosenbrock f(4);
  const Summary s = minimize(f, ChainedRosenbrock::start(4), GetParam().make(), {.gtol = 1e-8});
  EXPECT_EQ(s.status, Status::kGradientIsSmall);
}

TEST_P(Filtered, AllPrinciplesHold) {
  PrincipleOptions options;
  options.dimensions = {1, 10};
  const CheckedAlgorithm checked{GetParam().name, [](const HyperParameters& h) { return GetParam().make(h); }};
  const PrincipleRow row = check_principles({checked}, options).front();
  for (const Principle principle : kPrinciples)
    EXPECT_EQ(row.at(principle).verdict, Verdict::kHolds)
        << loa::name(principle) << ' ' << row.at(principle).deviation << ' ' << row.at(principle).worst.problem;
}

TEST_P(Filtered, AllocatesNothingOnceItsBuffersExist) {
  if (!can_count_allocations()) GTEST_SKIP() << "allocations cannot be counted in this build";
  ChainedRosenbrock f(40);
  std::int64_t after_second = -1, last = -1;
  Options o{.gtol = 0.0, .max_iterations = 20};
  o.observer = [&](const Progress& p) {
    last = allocation_count();
    if (p.iteration == 2) after_second = last;
    return Continue::kYes;
  };
  minimize(f, ChainedRosenbrock::start(40), GetParam().make(), o);
  EXPECT_EQ(last, after_second);
}

constexpr SecantEquation kGradients = SecantEquation::kGradients, kValuesToo = SecantEquation::kValuesToo;
INSTANTIATE_TEST_SUITE_P(Variants, Filtered,
                         testing::Values(Variant{"filtered-bfgs", Operator::kDense, kGradients, false},
                                         Variant{"filtered-sr1", Operator::kDense, kGradients, true},
                                         Variant{"filtered-values", Operator::kDense, kValuesToo, false},
                                         Variant{"filtered-l-sr1", Operator::kLimitedMemory, kGradients, true}),
                         [](const auto& param_info) { return test::test_name(param_info.param.name); });

State after_two_steps(const Algorithm& algorithm) {
  ChainedRosenbrock f(5);
  return minimize(f, ChainedRosenbrock::start(5), algorithm, {.gtol = 0.0, .max_iterations = 2}).state;
}

const Variant kPlain{"filtered-bfgs", Operator::kDense, kGradients, false};

TEST(FilteredStorage, ForgetsThePairInARestart) {
  const Algorithm algorithm = kPlain.make();
  State state = after_two_steps(algorithm);
  EXPECT_GT(state.scalars[kKeptSquaredLength], 0.0);
  ChainedRosenbrock f(5);
  Input input;
  algorithm.oracle->observe(f, state, input);
  EXPECT_FALSE(same_bits(input.vectors[kD], state.x - state.x_prev));
  Step step;
  step.kind = UpdateKind::kRestart;
  algorithm.storage->store(input, step, state);
  EXPECT_EQ(state.scalars[kKeptSquaredLength], 0.0);
  algorithm.oracle->observe(f, state, input);
  EXPECT_TRUE(same_bits(input.vectors[kD], state.x - state.x_prev));
  EXPECT_TRUE(same_bits(input.covectors[kDeltaG], state.grad - state.grad_prev));
}

// Two equal slices.
class Twice final : public Reduction {
 public:
  void reduce(std::span<double> values, std::span<double>) const override {
    for (double& value : values) value *= 2.0;
  }
};

TEST(FilteredOracle, DecidesForAllSlices) {
  const Algorithm algorithm = kPlain.make();
  ChainedRosenbrock f(5);
  State state = after_two_steps(algorithm);
  Input alone, both;
  algorithm.oracle->observe(f, state, alone);
  const Twice twice;
  state.reduction = &twice;
  state.scalars[kKeptSquaredLength] *= 2.0;
  algorithm.oracle->observe(f, state, both);
  EXPECT_TRUE(same_bits(both.vectors[kD], alone.vectors[kD]));
  EXPECT_TRUE(same_bits(both.covectors[kDeltaG], alone.covectors[kDeltaG]));
}

TEST(FilteredOracle, RefusesAStateWithoutThePair) {
  Algorithm algorithm = kPlain.make();
  algorithm.storage = quasi_newton_storage({});
  ChainedRosenbrock f(5);
  EXPECT_THROW(minimize(f, ChainedRosenbrock::start(5), algorithm, {}), std::invalid_argument);
}

}  // namespace
}  // namespace loa
