// Would catch: an absolute constant in any part, guard or line search (scalings by 2^k stop being exact), a model that
// is not y = d at its BFGS-like start, a controller that is not idle at theta = 0, features in another order, hidden
// state that makes equal calls differ.
#include <gtest/gtest.h>

#include <limits>

#include "algorithm/stopping.h"
#include "linalg/refreshed_inverse_hessian.h"
#include "loa/minimize.h"
#include "loa/problem.h"
#include "model/architecture.h"
#include "model/invariant_controller.h"
#include "model/pooled_network.h"
#include "support/algorithms.h"
#include "support/objectives.h"

namespace loa {
namespace {

using test::ChainedRosenbrock;
using test::Quadratic;
using test::same_bits;
using test::Scaled;

// A nonlinear function without any scale of its own in its derivatives: sum of log cosh of a linear map, plus a bowl.
class LogCosh final : public Objective {
 public:
  explicit LogCosh(Index n) : A_(test::random_spd(n, 30.0, 5)) {}
  Index dimension() const override { return A_.cols(); }
  double value_and_gradient(const Vector& x, Vector& grad) override {
    const Vector z = A_ * (x.array() - 0.5).matrix();
    grad = A_ * z.array().tanh().matrix() + 0.125 * x;
    return z.array().cosh().log().sum() + 0.0625 * x.squaredNorm();
  }
  bool hessian(const Vector& x, Matrix& hessian) override {
    const Vector z = A_ * (x.array() - 0.5).matrix();
    const Vector weights = 1.0 - z.array().tanh().square();
    hessian = A_ * weights.asDiagonal() * A_;
    hessian.diagonal().array() += 0.125;
    return true;
  }
  bool hessian_vector(const Vector& x, const Vector& v, Vector& out) override {
    Matrix H;
    hessian(x, H);
    out = H * v;
    return true;
  }

 private:
  Matrix A_;
};

std::unique_ptr<Objective> make_objective(const std::string& name) {
  if (name == "rosenbrock") return std::make_unique<ChainedRosenbrock>(6);
  if (name == "quadratic") return std::make_unique<Quadratic>(test::random_spd(9, 100.0, 3), test::random_vector(9, 4));
  return std::make_unique<LogCosh>(7);
}

Vector start_of(const std::string& name) {
  if (name == "rosenbrock") return ChainedRosenbrock::start(6);
  return name == "quadratic" ? Vector(Vector::Ones(9)) : Vector(Vector::Constant(7, 1.5));
}

// loa-bfgs with weights of our own.
Algorithm learned(const Vector& theta) {
  Algorithm algorithm = make_algorithm("bfgs");
  algorithm.name = "loa-bfgs";
  algorithm.model = std::make_shared<PooledNetwork>(theta);
  return algorithm;
}

// loa with weights of our own.
Algorithm controlled(const Vector& theta) {
  return make_algorithm("loa", {}, make_weights(architecture_for("loa"), theta));
}

// Weights that use all three outputs, on both sides of their zones.
Vector random_controller() { return 0.4 * test::random_vector(InvariantController::kNumParameters, 12); }

Algorithm algorithm_of(const std::string& name) {
  if (name == "loa-random") return learned(PooledNetwork::random_start(3));
  if (name == "loa-controlled") return controlled(random_controller());
  return make_algorithm(name);
}

void expect_equal(const Summary& a, const Summary& b) {
  EXPECT_TRUE(same_bits(a.x, b.x)) << (a.x - b.x).norm();
  EXPECT_TRUE(same_bits(a.f, b.f)) << a.f - b.f;
  EXPECT_TRUE(same_bits(a.grad, b.grad));
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.iterations, b.iterations);
  EXPECT_EQ(a.evaluations, b.evaluations);
}

// --- LOA-BFGS at its start is BFGS -----------------------------------------------------------------------------------

struct LikeBfgs {
  std::string problem, line_search;
  Safeguard safeguard;
};

void PrintTo(const LikeBfgs& c, std::ostream* os) { *os << c.problem << ' ' << c.line_search; }

class LearnedAtItsStart : public testing::TestWithParam<LikeBfgs> {};

TEST_P(LearnedAtItsStart, IsBfgsBitForBit) {
  const auto f = make_objective(GetParam().problem), g = make_objective(GetParam().problem);
  Options o;
  o.line_search = GetParam().line_search;
  o.safeguard = GetParam().safeguard;
  o.max_iterations = 120;
  o.gtol = 1e-9;
  o.algorithm = "bfgs";
  const Summary bfgs = minimize(*f, start_of(GetParam().problem), o);
  o.algorithm = "loa-bfgs";
  o.weights = "bfgs-like";
  const Summary loa = minimize(*g, start_of(GetParam().problem), o);
  expect_equal(bfgs, loa);
  EXPECT_EQ(bfgs.fallbacks, loa.fallbacks);
  EXPECT_GT(bfgs.iterations, 0);
  // Any seed of the hidden layers will do.
  for (const std::uint64_t seed : {1u, 2u})
    expect_equal(bfgs, minimize(*g, start_of(GetParam().problem), learned(PooledNetwork::bfgs_like_start(seed)), o));
}

std::vector<LikeBfgs> like_bfgs_cases() {
  std::vector<LikeBfgs> cases;
  for (const char* problem : {"rosenbrock", "quadratic", "logcosh"})
    for (const char* line_search : {"fixed", "paper", "more-thuente", "hager-zhang", "weak-wolfe", "exact"})
      for (const Safeguard safeguard : {Safeguard::kOff, Safeguard::kOn})
        cases.push_back({problem, line_search, safeguard});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Cases, LearnedAtItsStart, testing::ValuesIn(like_bfgs_cases()), [](const auto& param_info) {
  const LikeBfgs& c = param_info.param;
  return test::test_name(c.problem + "_" + c.line_search + (c.safeguard == Safeguard::kOn ? "_on" : "_off"));
});

// --- loa with theta = 0 is bfgs+d ------------------------------------------------------------------------------------

TEST_P(LearnedAtItsStart, TheControllerIsBfgsPlusDBitForBit) {
  const auto f = make_objective(GetParam().problem), g = make_objective(GetParam().problem);
  Options o;
  o.line_search = GetParam().line_search;
  o.safeguard = GetParam().safeguard;
  o.max_iterations = 120;
  o.gtol = 1e-9;
  o.algorithm = "bfgs+d";
  const Summary plain = minimize(*f, start_of(GetParam().problem), o);
  const Vector zero = Vector::Zero(InvariantController::kNumParameters);
  const Summary idle = minimize(*g, start_of(GetParam().problem), controlled(zero), o);
  expect_equal(plain, idle);
  EXPECT_EQ(plain.fallbacks, idle.fallbacks);
  EXPECT_GT(plain.iterations, 0);
  // And that is not because the controller does nothing at all.
  EXPECT_FALSE(same_bits(plain.x, minimize(*g, start_of(GetParam().problem), controlled(random_controller()), o).x));
}

class LongRun : public testing::TestWithParam<std::string> {};

// With enough pairs for B to become a matrix, and with every line search that loa may be given.
TEST_P(LongRun, OfLoaWithThetaZeroIsThatOfBfgsPlusD) {
  bool became_a_matrix = false;
  for (const char* line_search : {"", "more-thuente", "hager-zhang", "paper"}) {
    SCOPED_TRACE(line_search);
    Problem problem;
    ASSERT_EQ(make_problem(GetParam(), problem).message(), "");
    Options o;
    o.algorithm = "bfgs+d";
    o.line_search = line_search;
    o.gtol = 0.0;
    o.max_iterations = 180;
    const Summary plain = minimize(*problem.objective, problem.start, o);
    const Vector zero = Vector::Zero(InvariantController::kNumParameters);
    const Summary idle = minimize(*problem.objective, problem.start, controlled(zero), o);
    expect_equal(plain, idle);
    EXPECT_EQ(plain.fallbacks, idle.fallbacks);
    EXPECT_EQ(idle.state.next_scale, 1.0);
    const auto* B = dynamic_cast<const RefreshedInverseHessian*>(idle.state.B.get());
    ASSERT_NE(B, nullptr);
    became_a_matrix |= B->is_matrix();
  }
  EXPECT_TRUE(became_a_matrix) << "too short a run";
}

INSTANTIATE_TEST_SUITE_P(Problems, LongRun,
                         testing::Values("chained-rosenbrock:n=50", "chained-rosenbrock:n=80", "mgh:penalty-2"),
                         [](const auto& param_info) { return test::test_name(param_info.param); });

// --- Principles 4 and 5, bit for bit ---------------------------------------------------------------------------------

struct ScalingCase {
  std::string algorithm, problem, line_search;
};

void PrintTo(const ScalingCase& c, std::ostream* os) { *os << c.algorithm << ' ' << c.problem << ' ' << c.line_search; }

struct Exponents {
  int x, f;
};

constexpr Exponents kExponents[] = {{0, 1}, {0, -40}, {0, 60}, {3, 0}, {-35, 0}, {50, 0}, {-20, 33}};

class ScaledByPowersOfTwo : public testing::TestWithParam<ScalingCase> {
 protected:
  Options options() const {
    Options options;
    options.line_search = GetParam().line_search;
    options.gtol = 0.0;
    options.max_iterations = 20;  // loa with fixed steps on rosenbrock diverges: after 23 squares overflow
    return options;
  }

  static void expect_scaled(const Summary& plain, const Summary& scaled, const Exponents& k) {
    EXPECT_TRUE(same_bits(std::exp2(k.x) * plain.x, scaled.x)) << "x 2^" << k.x << " f 2^" << k.f;
    EXPECT_TRUE(same_bits(std::exp2(k.f) * plain.f, scaled.f)) << "x 2^" << k.x << " f 2^" << k.f;
    EXPECT_EQ(plain.status, scaled.status);
    EXPECT_EQ(plain.iterations, scaled.iterations);
    EXPECT_EQ(plain.evaluations, scaled.evaluations);
    EXPECT_EQ(plain.fallbacks, scaled.fallbacks);
  }
};

TEST_P(ScaledByPowersOfTwo, MinimizeFollowsBitForBit) {
  const Algorithm algorithm = algorithm_of(GetParam().algorithm);
  const auto f = make_objective(GetParam().problem);
  const Vector x0 = start_of(GetParam().problem);
  const Summary plain = minimize(*f, x0, algorithm, options());
  EXPECT_GE(plain.iterations, 1);
  for (const Exponents& k : kExponents) {
    Scaled g(*f, std::exp2(k.x), std::exp2(k.f));
    expect_scaled(plain, minimize(g, std::exp2(k.x) * x0, algorithm, options()), k);
  }
}

// The state that minimize() would have made, from two given points.
State state_from(Objective& f, const Algorithm& algorithm, const Vector& x_prev, const Vector& x) {
  State state;
  state.algorithm = algorithm.name;
  state.x_prev = x_prev;
  state.x = x;
  state.grad.resize(x.size());
  state.grad_prev.resize(x.size());
  state.f_prev = state.f_start = state.lowest_f = f.value_and_gradient(x_prev, state.grad_prev);
  state.f = f.value_and_gradient(x, state.grad);
  state.grad_inf_norm_start = state.lowest_grad_inf_norm = inf_norm(state.grad_prev);
  state.direction_prev = x - x_prev;
  note_progress(state, inf_norm(state.grad));
  algorithm.storage->initialize(state);
  return state;
}

Summary run_from(Objective& f, const Algorithm& algorithm, const Vector& x_prev, const Vector& x, const Options& o) {
  CountedObjective counted(f);
  return run(algorithm, counted, state_from(f, algorithm, x_prev, x), o);
}

TEST_P(ScaledByPowersOfTwo, RunFromTwoPointsFollowsBitForBit) {
  const Algorithm algorithm = algorithm_of(GetParam().algorithm);
  const auto f = make_objective(GetParam().problem);
  const Vector x_prev = start_of(GetParam().problem);
  const Vector x = x_prev + 1e-3 * test::random_vector(x_prev.size(), 8);
  for (const Safeguard safeguard : {Safeguard::kOff, Safeguard::kOn}) {
    Options o = options();
    o.safeguard = safeguard;
    const Summary plain = run_from(*f, algorithm, x_prev, x, o);
    for (const Exponents& k : kExponents) {
      Scaled g(*f, std::exp2(k.x), std::exp2(k.f));
      expect_scaled(plain, run_from(g, algorithm, std::exp2(k.x) * x_prev, std::exp2(k.x) * x, o), k);
    }
  }
}

// Besides the registered algorithms two with random weights, which the trained ones may be too tame to stand for.
std::vector<std::string> with_random_weights(const test::SkipList& skipped) {
  std::vector<std::string> names = test::algorithms_except(skipped);
  names.insert(names.end(), {"loa-controlled", "loa-random"});
  return names;
}

std::vector<ScalingCase> scaling_cases() {
  std::vector<ScalingCase> cases;
  for (const std::string& algorithm :
       with_random_weights(test::first_order("see below") + test::recurrent("has units")))
    for (const char* problem : {"rosenbrock", "quadratic", "logcosh"})
      for (const char* line_search : {"fixed", "paper", "more-thuente", "hager-zhang", "weak-wolfe", "exact"}) {
        const ScalingCase c{algorithm, problem, line_search};
        // Without a line search these leave for f = 1e259, 1e280 and 1e302, and how far they come depends on the range
        // of numbers.
        const bool leaves = c.algorithm == "bfgs+d" || c.algorithm == "l-bfgs+d" || c.algorithm == "ss-broyden";
        const bool diverges = leaves && c.problem == "rosenbrock" && c.line_search == "fixed";
        if (!diverges) cases.push_back(c);
      }
  // First-order methods follow where a line search takes the place of a step-size with units.
  for (const char* algorithm : {"gradient-descent", "conjugate-gradient"})
    for (const char* line_search : {"more-thuente", "hager-zhang", "weak-wolfe"})
      cases.push_back({algorithm, "rosenbrock", line_search});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Cases, ScaledByPowersOfTwo, testing::ValuesIn(scaling_cases()), [](const auto& param_info) {
  const ScalingCase& c = param_info.param;
  return test::test_name(c.algorithm + "_" + c.problem + "_" + c.line_search);
});

// --- Principles 2 and 3, up to round-off -----------------------------------------------------------------------------

class Moved final : public Objective {
 public:
  Moved(Objective& f, Vector shift, Eigen::PermutationMatrix<Eigen::Dynamic> P)
      : f_(f), shift_(std::move(shift)), P_(std::move(P)) {}
  Index dimension() const override { return f_.dimension(); }
  Vector there(const Vector& x) const { return P_ * x + shift_; }
  Vector back(const Vector& x) const { return P_.transpose() * (x - shift_); }
  double value_and_gradient(const Vector& x, Vector& grad) override {
    Vector inner(x.size());
    const double f = f_.value_and_gradient(back(x), inner);
    grad = P_ * inner;
    return f;
  }
  bool hessian(const Vector& x, Matrix& hessian) override {
    Matrix inner;
    if (!f_.hessian(back(x), inner)) return false;
    hessian = P_ * inner * P_.transpose();
    return true;
  }

 private:
  Objective& f_;
  Vector shift_;
  Eigen::PermutationMatrix<Eigen::Dynamic> P_;
};

class MovedProblem : public testing::TestWithParam<std::string> {};

TEST_P(MovedProblem, TranslationAndPermutationCommuteWithTheRun) {
  const Algorithm algorithm = algorithm_of(GetParam());
  const auto f = make_objective("rosenbrock");
  const Index n = f->dimension();
  Eigen::PermutationMatrix<Eigen::Dynamic> reversal(n);
  for (int i = 0; i < static_cast<int>(n); ++i) reversal.indices()(i) = static_cast<int>(n) - 1 - i;
  Eigen::PermutationMatrix<Eigen::Dynamic> identity(n);
  identity.setIdentity();
  const Vector x_prev = start_of("rosenbrock"), x = x_prev + 1e-2 * test::random_vector(n, 8);
  Options o;
  o.gtol = 0.0;
  o.max_iterations = 8;
  const Summary plain = run_from(*f, algorithm, x_prev, x, o);
  EXPECT_GT((plain.x - x).norm(), 1e-3) << "nothing moved, nothing tested";
  Moved translated(*f, test::random_vector(n, 9), identity), permuted(*f, Vector::Zero(n), reversal);
  for (Moved* g : {&translated, &permuted}) {
    const Summary moved = run_from(*g, algorithm, g->there(x_prev), g->there(x), o);
    EXPECT_LT((g->back(moved.x) - plain.x).norm(), 1e-6 * plain.x.norm());
    EXPECT_EQ(moved.evaluations, plain.evaluations);
  }
}

INSTANTIATE_TEST_SUITE_P(Algorithms, MovedProblem, testing::ValuesIn(with_random_weights({})),
                         [](const auto& param_info) { return test::test_name(param_info.param); });

// --- determinism -----------------------------------------------------------------------------------------------------

TEST(Determinism, OneAlgorithmObjectServesManyRuns) {
  // The parts are const: a run in between must leave no trace.
  for (const std::string& name : with_random_weights({})) {
    const Algorithm algorithm = algorithm_of(name);
    const auto f = make_objective("rosenbrock"), other = make_objective("quadratic");
    Options o;
    o.max_iterations = 30;
    const Summary first = minimize(*f, start_of("rosenbrock"), algorithm, o);
    minimize(*other, start_of("quadratic"), algorithm, o);
    expect_equal(first, minimize(*f, start_of("rosenbrock"), algorithm, o));
  }
}

}  // namespace
}  // namespace loa
