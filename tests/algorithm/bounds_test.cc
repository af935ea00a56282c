// Bounds on variables. Would catch: one call of f outside of the bounds, by any part of a run (the first step, trials
// beyond a bound, the searches at the end of a run, the measurement of noise); a run with infinite bounds that is not
// the one without; an active set that is left or reached too late, degenerate or not; a reduced step that is made of a
// submatrix of B; a claim of convergence where a variable could still move; a scale, shift or order of the variables
// that changes the run; slices that disagree; a resumed run that is another one; a report that is not about the
// projected gradient; a fallback that nothing counts.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <set>
#include <string>

#include "loa/problem.h"
#include "support/slices.h"

namespace loa {
namespace {

using namespace test;
using testing::HasSubstr;

const std::vector<std::string> kWithBounds = {"auto", "bfgs+d",   "bfgs+",   "sr1+",  "loa",
                                              "bfgs", "l-bfgs+d", "l-bfgs+", "l-bfgs"};

struct Box {
  Vector lower, upper;

  bool contains(const Vector& x) const {
    return (x.array() >= lower.array()).all() && (x.array() <= upper.array()).all();
  }
};

Options in(const Box& box, const std::string& algorithm) {
  Options options;
  options.algorithm = algorithm;
  options.lower = box.lower;
  options.upper = box.upper;
  return options;
}

// f, which notes calls outside of the bounds.
Function watched(const Function& f, const Box& box, std::int64_t& num_outside) {
  return [&f, &box, &num_outside](const Vector& x, Vector& grad) {
    num_outside += !box.contains(x);
    return f(x, grad);
  };
}

double projected_norm(const Box& box, const Summary& run) {
  return (run.x - (run.x - run.grad).cwiseMax(box.lower).cwiseMin(box.upper)).lpNorm<Eigen::Infinity>();
}

// <x,Hx>/2 - <b,x> with minimizer `solution` in the box: every third variable at its lower bound, every third at its
// upper one, one of four of these with a multiplier of 0.
struct KnownSolution {
  Box box;
  Matrix H;
  Vector solution, multipliers, b;

  KnownSolution(Index n, double condition, std::uint64_t seed) : H(random_spd(n, condition, seed)) {
    const Vector sizes = random_vector(n, seed + 10).cwiseAbs();
    box = {Vector::Constant(n, -1.0), Vector::Constant(n, 1.0)};
    solution = 0.5 * random_vector(n, seed + 20).array().tanh();
    multipliers.setZero(n);
    for (Index i = 0; i < n; ++i) {
      if (i % 3 == 2) continue;
      solution(i) = i % 3 == 0 ? -1.0 : 1.0;
      if (i % 4 != 0) multipliers(i) = i % 3 == 0 ? sizes(i) : -sizes(i);
    }
    b = H * solution - multipliers;
  }

  Function f() const {
    return [this](const Vector& x, Vector& grad) {
      grad.noalias() = H * x;
      const double value = 0.5 * x.dot(grad) - b.dot(x);
      grad -= b;
      return value;
    };
  }
};

class Bounds_ : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Bounds, Bounds_, testing::ValuesIn(kWithBounds), [](const auto& test) {
  std::string name = test.param;
  std::ranges::replace(name, '-', '_');
  std::ranges::replace(name, '+', 'p');
  return name;
});

// gtol is 0, so that runs go on to the last searches; the starts are inside, at and far outside of the bounds.
TEST_P(Bounds_, FIsCalledInsideAlone) {
  constexpr Index kSize = 12;
  const Matrix H = random_spd(kSize, 1e3, 1);
  const std::vector<Function> functions = {
      [](const Vector& x, Vector& grad) { return ChainedRosenbrock(x.size()).value_and_gradient(x, grad); },
      [&H](const Vector& x, Vector& grad) {
        grad = H * x;
        return 0.5 * x.dot(grad);
      },
      [](const Vector& x, Vector& grad) {  // a logarithm with its pole at a bound
        grad = 1.0 - 0.1 / x.array();
        return (x.array() - 0.1 * x.array().log()).sum();
      },
      [](const Vector& x, Vector& grad) {  // linear
        for (Index i = 0; i < x.size(); ++i) grad(i) = i % 2 == 0 ? 1.0 : -2.0;
        return grad.dot(x);
      }};
  for (std::size_t which = 0; which < functions.size(); ++which)
    for (const double start : {0.5, 0.3, 1.7, -40.0})
      for (const double gtol : {0.0, 1e-6}) {
        SCOPED_TRACE(std::to_string(which) + " from " + std::to_string(start));
        Box box{Vector::Constant(kSize, 0.3), Vector::Constant(kSize, 1.7)};
        for (Index i = 0; i < kSize; i += 3) box.upper(i) = kInf;
        if (which == 3) box.upper.setConstant(1.7);
        box.lower(1) = box.upper(1) = 0.1 * std::sqrt(2.0);  // fixed
        if (which == 1) box.lower(4) = -kInf;
        std::int64_t num_outside = 0;
        Options options = in(box, GetParam());
        options.gtol = gtol;
        options.max_evaluations = 2000;
        const Summary run =
            minimize(watched(functions[which], box, num_outside), Vector::Constant(kSize, start), options);
        EXPECT_EQ(num_outside, 0);
        EXPECT_TRUE(box.contains(run.x));
        EXPECT_TRUE(run.success()) << run.message;
        EXPECT_LT(projected_norm(box, run), 1e-5);
        EXPECT_EQ(run.grad_inf_norm, projected_norm(box, run));
      }
}

TEST_P(Bounds_, FindsKnownSolutions) {
  for (const Index n : {1, 2, 7, 40, 150})
    for (const double condition : {1.0, 1e4}) {
      SCOPED_TRACE(std::to_string(n) + " variables, condition " + std::to_string(condition));
      const KnownSolution known(n, condition, 3);
      Options options = in(known.box, GetParam());
      options.gtol = 1e-8;
      options.max_evaluations = 3000;
      const Summary run = minimize(known.f(), random_vector(n, 5), options);
      EXPECT_TRUE(run.success()) << run.message;
      EXPECT_LT((run.x - known.solution).lpNorm<Eigen::Infinity>(), 1e-6);
      ASSERT_TRUE(run.bounds.has_value());
      EXPECT_LT((run.bounds->multipliers - known.multipliers).lpNorm<Eigen::Infinity>(), 1e-5);
      for (Index i = 0; i < n; ++i) {
        const int active = run.bounds->active[static_cast<std::size_t>(i)];
        if (known.multipliers(i) != 0.0) {
          EXPECT_EQ(active, known.multipliers(i) > 0.0 ? -1 : 1) << "variable " << i;
          EXPECT_EQ(run.x(i), known.solution(i)) << "variable " << i;
        } else if (i % 3 == 2) {
          EXPECT_EQ(active, 0) << "variable " << i;
        }
      }
    }
}

// All variables change from one bound to the other; a rule that lets one go at a time takes as many iterations.
TEST_P(Bounds_, ManyBoundsComeAndGoAtOnce) {
  constexpr Index kSize = 300;
  const Box box{Vector::Constant(kSize, -1.0), Vector::Constant(kSize, 1.0)};
  const Matrix H = random_spd(kSize, 100.0, 2);
  const Vector center = 5.0 * random_vector(kSize, 7);
  const Summary run = minimize(
      [&](const Vector& x, Vector& grad) {
        grad.noalias() = H * (x - center);
        return 0.5 * grad.dot(x - center);
      },
      Vector(-center.cwiseSign()), in(box, GetParam()));
  EXPECT_TRUE(run.success()) << run.message;
  EXPECT_GT(run.bounds->num_active, kSize / 3);
  EXPECT_LT(run.evaluations.value, 90);
}

TEST_P(Bounds_, InfiniteBoundsAreTheRunWithout) {
  constexpr Index kSize = 10;
  ChainedRosenbrock f(kSize);
  Options plain, infinite = in({Vector::Constant(kSize, -kInf), Vector::Constant(kSize, kInf)}, GetParam());
  plain.algorithm = GetParam();
  plain.gtol = infinite.gtol = 1e-9;
  const Summary expected = minimize(f, ChainedRosenbrock::start(kSize), plain),
                run = minimize(f, ChainedRosenbrock::start(kSize), infinite);
  EXPECT_TRUE(same_bits(run.x, expected.x));
  EXPECT_EQ(run.evaluations, expected.evaluations);
  EXPECT_EQ(state_bytes(run.state), state_bytes(expected.state));
  EXPECT_FALSE(run.bounds.has_value());
}

// Also of the algorithms that refuse others.
TEST(Bounds, InfiniteBoundsAreNone) {
  Quadratic f(random_spd(6, 100.0, 4), random_vector(6, 5));
  for (const AlgorithmInfo& info : algorithms()) {
    SCOPED_TRACE(info.name);
    Options plain;
    plain.algorithm = info.name;
    plain.max_iterations = 30;
    Options infinite = in({Vector::Constant(6, -kInf), Vector::Constant(6, kInf)}, info.name);
    infinite.max_iterations = 30;
    const Summary expected = minimize(f, random_vector(6, 6), plain), run = minimize(f, random_vector(6, 6), infinite);
    EXPECT_TRUE(same_bits(run.x, expected.x));
    EXPECT_EQ(run.evaluations, expected.evaluations);
    EXPECT_EQ(state_bytes(run.state), state_bytes(expected.state));
  }
}

// Boxes are small and far from 0: the first trial, as long as x, ends in a corner, where f may be lower or higher.
TEST_P(Bounds_, AShiftOfASmallBoxCostsNoEvaluations) {
  for (const double corner : {0.0, 1.0}) {
    std::vector<std::int64_t> evaluations;
    for (const double shift : {0.0, 0x1p10, 0x1p20, 0x1p30}) {
      const Box box{Vector::Constant(3, shift), Vector::Constant(3, shift + 1.0)};
      const Vector target = Vector::Constant(3, shift + 0.25 + corner);
      const Function f = [&](const Vector& x, Vector& grad) {
        grad = x - target;
        return 0.5 * grad.squaredNorm();
      };
      const Summary run = minimize(f, Vector::Constant(3, shift + 0.5), in(box, GetParam()));
      EXPECT_TRUE(run.success()) << run.message;
      EXPECT_LT((run.x - target.cwiseMin(box.upper)).lpNorm<Eigen::Infinity>(), 1e-5);
      evaluations.push_back(run.evaluations.value);
    }
    EXPECT_LE(std::ranges::max(evaluations), evaluations.front() + 3) << testing::PrintToString(evaluations);
  }
}

// Bounds that are never met cost nothing. In the last digits the runs differ: along a bent ray sums are made otherwise.
TEST_P(Bounds_, BoundsThatAreFarAwayCostNoEvaluations) {
  constexpr Index kSize = 10;
  ChainedRosenbrock f(kSize);
  Options plain, far = in({Vector::Constant(kSize, -1e6), Vector::Constant(kSize, 1e6)}, GetParam());
  plain.algorithm = GetParam();
  const Summary expected = minimize(f, ChainedRosenbrock::start(kSize), plain),
                run = minimize(f, ChainedRosenbrock::start(kSize), far);
  EXPECT_LE(run.evaluations.value, expected.evaluations.value + 3);  // bfgs takes fewer: it forgets old pairs
}

// The same on other problems, for all algorithms that the registry has but those that refuse bounds. Where no bound is
// met the number of evaluations is the same; 2 are allowed for runs whose last digits decide, on each problem.
TEST(Bounds, BoundsThatAreFarAwayCostNoEvaluationsOnOtherProblems) {
  const std::set<std::string> refuse = {
      "gradient-descent", "heavy-ball", "nesterov", "adam",   "newton",  "conjugate-gradient", "sr1",
      "ss-bfgs",          "ss-broyden", "l-sr1",    "l2l-gd", "rnnprop", "loa-bfgs",           "loa-l-bfgs"};
  // With bounds it keeps pairs, and forgets old ones, where it has a matrix without: another run.
  const std::set<std::string> other_runs = {"bfgs"};
  const std::vector<std::string> specs = {
      "rosenbrock", "chained-rosenbrock:n=60", "quadratic:n=40", "logistic",         "ridge", "mgh:wood",
      "mgh:beale",  "mgh:helical-valley",      "mgh:biggs-exp6", "mgh:trigonometric"};
  std::size_t num_tried = 0;
  for (const AlgorithmInfo& info : algorithms()) {
    if (refuse.contains(info.name)) continue;
    ++num_tried;
    std::int64_t with = 0, without = 0;
    for (const std::string& spec : specs) {
      SCOPED_TRACE(info.name + " on " + spec);
      Problem problem;
      ASSERT_EQ(make_problem(spec, problem).message(), "");
      const Index n = problem.start.size();
      Options plain, far = in({Vector::Constant(n, -1e6), Vector::Constant(n, 1e6)}, info.name);
      plain.algorithm = info.name;
      const Summary expected = minimize(*problem.objective, problem.start, plain),
                    run = minimize(*problem.objective, problem.start, far);
      EXPECT_TRUE(run.success()) << run.message;
      EXPECT_EQ(run.bounds->num_active, 0);
      with += run.evaluations.value;
      without += expected.evaluations.value;
      const std::int64_t most = other_runs.contains(info.name) ? far.max_evaluations : expected.evaluations.value + 2;
      EXPECT_LE(run.evaluations.value, most);
    }
    EXPECT_LE(with, without + 5) << info.name;
  }
  EXPECT_EQ(num_tried, kWithBounds.size() - 1);  // all of these but `auto`
}

// What a trace and an observer are told is about the projected gradient, in each iteration, and so is the start's.
TEST_P(Bounds_, ReportsAreAboutTheProjectedGradient) {
  constexpr Index kSize = 40;
  const KnownSolution known(kSize, 100.0, 6);
  Options options = in(known.box, GetParam());
  options.keep_trace = true;
  std::vector<double> seen;
  std::int64_t num_smaller = 0;
  options.observer = [&](const Progress& p) {
    const Vector room_below = p.x - known.box.lower, room_above = known.box.upper - p.x;
    const Vector step = p.grad.cwiseMin(room_below).cwiseMax(-room_above);  // x - P(x - g), without the rounding of x
    EXPECT_EQ(p.grad_inf_norm, step.lpNorm<Eigen::Infinity>());
    num_smaller += p.grad_inf_norm < p.grad.lpNorm<Eigen::Infinity>();
    double squares = 0.0;  // of the free gradient
    for (Index i = 0; i < kSize; ++i) {
      const bool holds =
          (p.x(i) == known.box.lower(i) && p.grad(i) >= 0.0) || (p.x(i) == known.box.upper(i) && p.grad(i) <= 0.0);
      if (!holds) squares += p.grad(i) * p.grad(i);
    }
    EXPECT_NEAR(p.grad_norm, std::sqrt(squares), 1e-12 * std::sqrt(squares));
    seen.push_back(p.grad_inf_norm);
    return Continue::kYes;
  };
  const Summary run = minimize(known.f(), random_vector(kSize, 5), options);
  EXPECT_TRUE(run.success()) << run.message;
  ASSERT_EQ(run.trace.size(), seen.size());
  for (std::size_t k = 0; k < seen.size(); ++k) EXPECT_TRUE(same_bits(run.trace[k].grad_inf_norm, seen[k])) << k;
  EXPECT_GT(num_smaller, 3);  // so that the test can fail
  EXPECT_EQ(run.grad_inf_norm, seen.back());
  EXPECT_LE(seen.back(), options.gtol);
}

// A separable quadratic whose curvatures differ by 1e14 or more leaves equations without a solution in numbers.
TEST(Bounds, StepsOfB0AloneAreCounted) {
  constexpr Index kSize = 10;
  const Box box{Vector::Constant(kSize, -0.7), Vector::Constant(kSize, 0.9)};
  std::int64_t num_bad = 0, num_good = 0;
  for (const std::string algorithm : {"bfgs", "l-bfgs", "l-bfgs+d"}) {
    for (std::uint64_t seed = 0; seed < 15; ++seed)
      for (const double spread : {0.5, 8.0}) {
        const Vector scales = (spread * random_vector(kSize, seed)).array().exp();
        Matrix A(kSize, kSize);
        for (Index i = 0; i < kSize; ++i)
          A.col(i) = scales(i) * random_vector(kSize, 100 * seed + static_cast<std::uint64_t>(i));
        Options options = in(box, algorithm);
        options.gtol = 0.0;
        options.max_evaluations = 500;
        const Summary run = minimize(
            [&](const Vector& x, Vector& grad) {
              const Vector z = A * x;
              grad.noalias() = A.transpose() * z;
              return 0.5 * z.squaredNorm();
            },
            Vector(2.0 * random_vector(kSize, seed + 50)), options);
        (spread > 1.0 ? num_bad : num_good) += run.fallbacks.box;
        State state;
        ASSERT_FALSE(state_from_bytes(state_bytes(run.state), state));
        EXPECT_EQ(state.fallbacks, run.fallbacks);
      }
  }
  EXPECT_GT(num_bad, 0);
  EXPECT_EQ(num_good, 0);
}

// f is not asked at such a start, nor by differences: NaN is outside of all bounds. An infinity that a bound holds is.
TEST_P(Bounds_, AStartThatIsNotFiniteIsNeverAsked) {
  std::int64_t num_calls = 0;
  const Function f = [&num_calls](const Vector& x, Vector& grad) {
    ++num_calls;
    grad = x;
    return 0.5 * x.squaredNorm();
  };
  const ValueFunction values = [&num_calls](const Vector& x) {
    ++num_calls;
    return 0.5 * x.squaredNorm();
  };
  Options options = in({Vector::Constant(3, -1.0), Vector::Constant(3, kInf)}, GetParam());
  options.keep_trace = true;
  for (const double bad : {kNaN, kInf}) {
    const Vector start{{-3.0, bad, 0.5}};
    for (const Summary& run : {minimize(f, start, options), minimize(values, start, options)}) {
      EXPECT_EQ(run.status, Status::kStartIsNotFinite);
      EXPECT_EQ(run.evaluations.value, 0);
      EXPECT_TRUE(std::isnan(run.f));
      ASSERT_TRUE(run.bounds.has_value());
      EXPECT_EQ(run.bounds->num_projected, 1);
      EXPECT_EQ(run.trace.size(), 1u);
    }
  }
  EXPECT_EQ(num_calls, 0);
  EXPECT_TRUE(minimize(f, Vector{{-kInf, 0.0, 0.5}}, options).success());
}

// The number of variables of the start that were outside is about the run: a resumed one reports it too, and the one
// that begins anew because the first ended before x_0.
TEST_P(Bounds_, AResumedRunKnowsHowManyVariablesWereOutside) {
  constexpr Index kSize = 12;
  const Box box{Vector::Constant(kSize, -0.7), Vector::Constant(kSize, 0.8)};
  ChainedRosenbrock f(kSize);
  Options options = in(box, GetParam());
  Vector start = Vector::Constant(kSize, 0.1);
  start.head(6).setConstant(3.0);
  const Summary whole = minimize(f, start, options);
  ASSERT_EQ(whole.bounds->num_projected, 6);
  for (const std::int64_t most : {1, 2, 5}) {
    Options part = options;
    part.max_evaluations = most;
    State state;
    ASSERT_FALSE(state_from_bytes(state_bytes(minimize(f, start, part).state), state));
    const Summary rest = resume(f, state, options);
    EXPECT_EQ(rest.bounds->num_projected, 6) << most;
    ASSERT_FALSE(state_from_bytes(state_bytes(rest.state), state));
    EXPECT_EQ(resume(f, state, options).bounds->num_projected, 6) << most;
  }
}

// No vector, infinities and -0 are other spellings of the same bounds.
TEST(Bounds, AStateIsResumedWithAnotherSpellingOfItsBounds) {
  constexpr Index kSize = 5;
  const Vector none, infinite = Vector::Constant(kSize, kInf), zero = Vector::Zero(kSize);
  ChainedRosenbrock f(kSize);
  const auto options_of = [](const Vector& lower, const Vector& upper) {
    Options options;
    options.gtol = 1e-8;
    options.lower = lower;
    options.upper = upper;
    return options;
  };
  const std::vector<std::vector<Options>> same = {
      {options_of(none, zero), options_of(-infinite, zero), options_of(-infinite, -zero)},
      {options_of(zero, none), options_of(zero, infinite), options_of(-zero, none)},
      {options_of(none, none), options_of(-infinite, none), options_of(-infinite, infinite)}};
  for (std::size_t i = 0; i < same.size(); ++i)
    for (const Options& first : same[i]) {
      Options part = first;
      part.max_iterations = 3;
      const State state = minimize(f, Vector::Constant(kSize, -0.5), part).state;
      const Summary whole = minimize(f, Vector::Constant(kSize, -0.5), first);
      for (std::size_t j = 0; j < same.size(); ++j)
        for (const Options& second : same[j]) {
          if (j != i) {
            EXPECT_THROW(resume(f, state, second), std::invalid_argument);
            continue;
          }
          const Summary rest = resume(f, state, second);
          EXPECT_EQ(rest.x, whole.x);  // 0 is -0
          EXPECT_EQ(rest.evaluations, whole.evaluations);
        }
    }
}

TEST_P(Bounds_, FixedVariablesStay) {
  constexpr Index kSize = 6;
  ChainedRosenbrock f(kSize);
  Box box{Vector::Constant(kSize, -kInf), Vector::Constant(kSize, kInf)};
  box.lower(2) = box.upper(2) = 0.25;
  const Summary run = minimize(f, Vector::Zero(kSize), in(box, GetParam()));
  EXPECT_TRUE(run.success()) << run.message;
  EXPECT_EQ(run.x(2), 0.25);
  EXPECT_EQ(run.bounds->num_projected, 1);
  EXPECT_EQ(run.bounds->multipliers(2), run.grad(2));
  const Box point{Vector::Constant(kSize, 0.5), Vector::Constant(kSize, 0.5)};
  const Summary all_fixed = minimize(f, Vector::Zero(kSize), in(point, GetParam()));
  EXPECT_EQ(all_fixed.status, Status::kGradientIsSmall);
  EXPECT_EQ(all_fixed.evaluations.value, 1);
  EXPECT_EQ(all_fixed.bounds->num_active, kSize);
}

// Powers of two are exact: x -> lambda x with the bounds, and f -> mu f, change no digit of a run.
TEST_P(Bounds_, ScalesOfXAndFChangeNoBit) {
  constexpr Index kSize = 40;
  const KnownSolution known(kSize, 1e3, 8);
  const Vector start = random_vector(kSize, 9);
  const auto run = [&](double of_x, double of_f) {
    const Function inner = known.f();
    Options options = in({of_x * known.box.lower, of_x * known.box.upper}, GetParam());
    options.gtol = 0.0;
    options.max_iterations = 30;
    return minimize(
        [&, of_x, of_f](const Vector& x, Vector& grad) {
          const double f = of_f * inner(x / of_x, grad);
          grad *= of_f / of_x;
          return f;
        },
        Vector(of_x * start), options);
  };
  const Summary plain = run(1.0, 1.0);
  for (const double of_x : {0x1p-20, 1.0, 0x1p+30}) {
    for (const double of_f : {0x1p-40, 1.0, 0x1p+20}) {
      const Summary scaled = run(of_x, of_f);
      EXPECT_TRUE(same_bits(scaled.x, of_x * plain.x)) << of_x << " " << of_f;
      EXPECT_EQ(scaled.evaluations, plain.evaluations);
    }
  }
}

// The first iterates of a run with its variables in another order, or shifted by a vector.
TEST_P(Bounds_, OrderAndShiftOfVariablesMoveTheBoundsAlong) {
  constexpr Index kSize = 40;
  const KnownSolution known(kSize, 100.0, 11);
  const Vector start = 0.9 * random_vector(kSize, 12).array().tanh(), shift = random_vector(kSize, 13);
  Options options = in(known.box, GetParam());
  options.max_iterations = 8;
  options.first_step = 0.01;  // the length of another first step knows the origin
  const Function f = known.f();
  const Summary plain = minimize(f, start, options);
  Options shifted = options;
  shifted.lower += shift;
  shifted.upper += shift;
  const Summary there =
      minimize([&](const Vector& x, Vector& grad) { return f(x - shift, grad); }, Vector(start + shift), shifted);
  EXPECT_LT((there.x - shift - plain.x).norm(), 1e-7);
  Options turned = options;
  turned.lower = options.lower.reverse();
  turned.upper = options.upper.reverse();
  const Summary back = minimize(
      [&](const Vector& x, Vector& grad) {
        Vector inner(kSize);
        const double value = f(x.reverse(), inner);
        grad = inner.reverse();
        return value;
      },
      Vector(start.reverse()), turned);
  EXPECT_LT((back.x.reverse() - plain.x).norm(), 1e-7);
}

// Of every iteration, from bytes of a file; n makes bfgs+d go over to a matrix on the way.
TEST_P(Bounds_, AResumedRunIsTheUninterruptedOne) {
  constexpr Index kSize = 30;
  const Box box{Vector::Constant(kSize, -0.7), Vector::Constant(kSize, 0.8)};
  ChainedRosenbrock f(kSize);
  Options options = in(box, GetParam());
  options.gtol = 0.0;
  options.max_iterations = 130;
  const Vector start = random_vector(kSize, 4);
  const Summary whole = minimize(f, start, options);
  for (const std::int64_t k : {0, 1, 5, 40, 115}) {
    Options part = options;
    part.max_iterations = k;
    const Summary begun = minimize(f, start, part);
    State state;
    ASSERT_FALSE(state_from_bytes(state_bytes(begun.state), state));
    const Summary rest = resume(f, state, options);
    EXPECT_TRUE(same_bits(rest.x, whole.x)) << k;
    EXPECT_EQ(rest.evaluations, whole.evaluations) << k;
  }
  Options other = options;
  other.upper(3) = 0.9;
  try {
    resume(f, whole.state, other);
    FAIL() << "expected other bounds to be refused";
  } catch (const std::invalid_argument& mistake) {
    EXPECT_THAT(mistake.what(), HasSubstr("bounds"));
  }
}

// A slice without coordinates and one whose own bounds are all infinite are among them.
TEST(Bounds, SlicesAgreeWithTheWhole) {
  constexpr Index kSize = 13;
  Box box{Vector::Constant(kSize, -kInf), Vector::Constant(kSize, kInf)};
  box.upper.tail(7).setConstant(0.4);
  box.lower.tail(7).setConstant(-0.5);
  for (const std::string algorithm : {"l-bfgs+d", "l-bfgs+", "l-bfgs"})
    for (const TestProblem& p : sliced_problems()) {
      if (p.name == "unbounded") continue;
      Options options = in(box, algorithm);
      options.gtol = 1e-6;
      options.max_iterations = 300;
      const Result whole = minimize_whole(p, kSize, options);
      for (const Slicing& slicing : {Slicing{7, 6}, Slicing{13, 0}, Slicing{5, 1, 7}}) {
        SCOPED_TRACE(algorithm + " " + p.name + " " + name_of(slicing));
        const std::vector<Result> runs = results_of(minimize_slices(p, slicing, options, [&](int rank, auto& call) {
          call.options.lower = slice_of(box.lower, slicing, rank);
          call.options.upper = slice_of(box.upper, slicing, rank);
        }));
        ASSERT_FALSE(runs.empty());
        expect_agreement(runs);
        EXPECT_EQ(name(runs[0].status), name(whole.status));
        EXPECT_LT(relative_difference(runs[0].f, whole.f), 1e-8);
        const Vector x = joined(runs, &Result::x);
        EXPECT_TRUE(box.contains(x));
        EXPECT_LT((x - whole.x).norm(), 1e-4);
      }
    }
}

TEST(Bounds, MistakesAreNamed) {
  ChainedRosenbrock f(3);
  const Vector start = Vector::Zero(3), zero = Vector::Zero(3);
  const auto message = [&](const Options& options) -> std::string {
    try {
      minimize(f, start, options);
    } catch (const std::invalid_argument& mistake) {
      return mistake.what();
    }
    return "none";
  };
  Options options;
  options.lower = Vector::Zero(2);
  EXPECT_THAT(message(options), HasSubstr("as many lower bounds as variables, 3, or none, found 2"));
  options.lower = zero;
  options.upper = Vector::Constant(3, 1.0);
  options.upper(1) = -1.0;
  EXPECT_THAT(message(options), HasSubstr("found the bounds 0 and -1 of variable 1"));
  options.upper(1) = kNaN;
  EXPECT_THAT(message(options), HasSubstr("of variable 1"));
  options.upper(1) = 1.0;
  options.lower(2) = kInf;
  EXPECT_THAT(message(options), HasSubstr("of variable 2"));
  options.lower = zero;
  for (const AlgorithmInfo& info : algorithms()) {
    options.algorithm = info.name;
    if (std::ranges::count(kWithBounds, info.name) > 0)
      EXPECT_EQ(message(options), "none") << info.name;
    else
      EXPECT_THAT(message(options), HasSubstr("for bounds, found '" + info.name + "'")) << info.name;
  }
  options.algorithm = "bfgs";
  options.safeguard = Safeguard::kSpectrum;
  EXPECT_THAT(message(options), HasSubstr("no bounds with the safeguard spectrum"));
}

// x - sqrt(x) in [0, 4]: at the bound 0 f is a number, and its slope is -infinity, into the bounds.
TEST_P(Bounds_, AnInfiniteSlopeIntoTheBoundsIsNoNumber) {
  const Function f = [](const Vector& x, Vector& grad) {
    grad = 1.0 - 0.5 / x.array().sqrt();
    return (x.array() - x.array().sqrt()).sum();
  };
  const Box box{Vector::Zero(3), Vector::Constant(3, 4.0)};
  const Summary at_bound = minimize(f, Vector::Zero(3), in(box, GetParam()));
  EXPECT_EQ(at_bound.status, Status::kStartIsNotFinite);
  for (const double start : {2.0, 3.9}) {
    const Summary run = minimize(f, Vector::Constant(3, start), in(box, GetParam()));
    EXPECT_TRUE(run.success()) << run.message;
    EXPECT_LT((run.x.array() - 0.25).abs().maxCoeff(), 1e-4);
  }
}

// sqrt(x_0) + (x_1 - 1)^2: a bound holds x_0 against a slope of infinity, of which no pair can be made. Such a run need
// not find the minimizer, but then it says so.
TEST_P(Bounds_, AnInfiniteMultiplierIsNoFalseSuccess) {
  const Function f = [](const Vector& x, Vector& grad) {
    grad << 0.5 / std::sqrt(std::abs(x(0))), 2.0 * (x(1) - 1.0);
    return std::sqrt(std::abs(x(0))) + (x(1) - 1.0) * (x(1) - 1.0);
  };
  for (const double sign : {1.0, -1.0}) {
    const Function turned = [&](const Vector& x, Vector& grad) {
      Vector y(2);
      const double value = f(Vector(x.cwiseProduct(Vector::Map(std::array{sign, 1.0}.data(), 2))), y);
      grad = y.cwiseProduct(Vector::Map(std::array{sign, 1.0}.data(), 2));
      return value;
    };
    Box box{Vector::Constant(2, -9.0), Vector::Constant(2, 9.0)};
    (sign > 0.0 ? box.lower : box.upper)(0) = 0.0;
    for (const double start : {0.0, 0.5}) {
      SCOPED_TRACE(std::to_string(sign) + " from " + std::to_string(start));
      Vector x0(2);
      x0 << sign * start, 3.0;
      const Summary run = minimize(turned, x0, in(box, GetParam()));
      EXPECT_TRUE(std::isfinite(run.f));
      if (!run.success()) continue;
      EXPECT_EQ(run.x(0), 0.0);
      EXPECT_NEAR(run.x(1), 1.0, 1e-5);
    }
  }
}

// f falls without end, but for a bound; and without one.
TEST_P(Bounds_, AnUnboundedFunctionEndsAtItsBound) {
  const Function f = [](const Vector& x, Vector& grad) {
    grad = -Vector::Ones(2);
    return -x.sum();
  };
  Options options = in({Vector::Constant(2, -kInf), Vector::Constant(2, 1e8)}, GetParam());
  const Summary held = minimize(f, Vector::Zero(2), options);
  EXPECT_TRUE(held.success()) << held.message;
  EXPECT_EQ(held.x, options.upper);
  options.upper(1) = kInf;
  EXPECT_EQ(minimize(f, Vector::Zero(2), options).status, Status::kObjectiveIsUnbounded);
}

}  // namespace
}  // namespace loa
