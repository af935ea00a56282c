// Would catch: a false success (an infinite, falling or unexplored objective reported as converged), a false failure
// near round-off, a fit that leaves for infinity, a limit exceeded, an exception swallowed, a worse point returned than
// one that was seen.
#include "loa/minimize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "line_search/weak_wolfe.h"
#include "support/algorithms.h"
#include "support/objectives.h"

namespace loa {
namespace {

using test::ChainedRosenbrock;
using test::kInf;
using test::kNaN;
using test::Quadratic;
using test::same_bits;

// What every summary promises, whatever happened.
void expect_consistent(const Summary& s, const Function& f) {
  EXPECT_NE(s.status, Status::kRunning);
  EXPECT_EQ(s.message, message(s.status));
  EXPECT_EQ(s.success(), is_success(s.status));
  if (s.status == Status::kStartIsNotFinite) return;
  ASSERT_TRUE(s.x.allFinite());
  EXPECT_TRUE(std::isfinite(s.f));
  Vector grad(s.x.size());
  EXPECT_TRUE(same_bits(f(s.x, grad), s.f)) << "f is not that of x";
  EXPECT_TRUE(same_bits(grad, s.grad)) << "grad is not that of x";
  EXPECT_EQ(s.grad_inf_norm, inf_norm(s.grad));
}

Summary solve(const Function& f, const Vector& x0, const Options& options = {}) {
  Summary s = minimize(f, x0, options);
  expect_consistent(s, f);
  return s;
}

double sphere(const Vector& x, Vector& grad) {
  grad = 2.0 * x;
  return x.squaredNorm();
}

// --- the edge cases that users hit, with every algorithm that works from gradients ---------------------------------

class EveryAlgorithm : public testing::TestWithParam<std::string> {
 protected:
  Options options() const {
    Options options;
    options.algorithm = GetParam();
    return options;
  }
  bool fixed_step() const { return GetParam() == "heavy-ball" || GetParam() == "nesterov" || GetParam() == "adam"; }
};

TEST_P(EveryAlgorithm, NoVariables) {
  const Summary s = solve([](const Vector&, Vector&) { return 3.0; }, Vector(0), options());
  EXPECT_EQ(s.status, Status::kGradientIsSmall);
  EXPECT_EQ(s.f, 3.0);
  EXPECT_EQ(s.x.size(), 0);
  EXPECT_EQ(s.evaluations.value, 1);
}

TEST_P(EveryAlgorithm, OneVariable) {
  const Summary s = solve(
      [](const Vector& x, Vector& grad) {
        grad(0) = 2.0 * (x(0) - 3.0);
        return (x(0) - 3.0) * (x(0) - 3.0);
      },
      Vector{{2.9}}, options());
  EXPECT_TRUE(s.success()) << s.message;
  EXPECT_NEAR(s.x(0), 3.0, 1e-5);
}

TEST_P(EveryAlgorithm, StartAlreadyOptimal) {
  const Summary s = solve(sphere, Vector::Zero(4), options());
  EXPECT_EQ(s.status, Status::kGradientIsSmall);
  EXPECT_EQ(s.evaluations.value, 1);
  EXPECT_EQ(s.iterations, 0);
  EXPECT_EQ(s.x, Vector::Zero(4));
}

TEST_P(EveryAlgorithm, StartAlreadyOptimalWithoutTolerance) {
  Options o = options();
  o.gtol = 0.0;
  EXPECT_EQ(solve(sphere, Vector::Zero(4), o).status, Status::kGradientIsSmall);
}

TEST_P(EveryAlgorithm, ConstantFunction) {
  const auto constant = [](const Vector&, Vector& grad) {
    grad.setZero();
    return -7.0;
  };
  EXPECT_EQ(solve(constant, Vector::Ones(3), options()).status, Status::kGradientIsSmall);
}

TEST_P(EveryAlgorithm, SaddleWithZeroGradientIsAStationaryPoint) {
  const auto saddle = [](const Vector& x, Vector& grad) {
    grad << 2.0 * x(0), -2.0 * x(1);
    return x(0) * x(0) - x(1) * x(1);
  };
  const Summary s = solve(saddle, Vector::Zero(2), options());
  EXPECT_EQ(s.status, Status::kGradientIsSmall);
  EXPECT_EQ(s.f, 0.0);
}

TEST_P(EveryAlgorithm, LinearFunctionIsNoSuccess) {
  Options o = options();
  o.max_iterations = 500;
  o.max_evaluations = 5000;
  const auto linear = [](const Vector& x, Vector& grad) {
    grad << 1.0, -2.0;
    return x(0) - 2.0 * x(1);
  };
  const Summary s = solve(linear, Vector::Ones(2), o);
  EXPECT_FALSE(s.success()) << s.message;
  EXPECT_LT(s.f, -1.0) << "the best finite point is far down";
  if (!fixed_step()) {
    EXPECT_EQ(s.status, Status::kObjectiveIsUnbounded);
  }
}

TEST_P(EveryAlgorithm, UnboundedBelowIsNoSuccess) {
  Options o = options();
  o.max_iterations = 500;
  o.max_evaluations = 5000;
  const auto cubic = [](const Vector& x, Vector& grad) {
    grad = 3.0 * x.array().square();
    return x.array().cube().sum();
  };
  const Summary s = solve(cubic, Vector{{-1.0, -2.0}}, o);
  EXPECT_FALSE(s.success()) << s.message;
  EXPECT_LT(s.f, -9.0);
}

TEST_P(EveryAlgorithm, InfiniteObjectiveIsNeverASuccess) {
  // +infinity beyond 1 in each coordinate, and the way down leads there.
  Options o = options();
  o.max_iterations = 300;
  const auto wall = [](const Vector& x, Vector& grad) {
    grad = Vector::Constant(x.size(), -1.0);
    return x.maxCoeff() < 1.0 ? -x.sum() : kInf;
  };
  const Summary s = solve(wall, Vector{{0.0, 0.5}}, o);
  EXPECT_LT(s.f, kInf);
  if (s.success()) {
    EXPECT_GT(s.x.maxCoeff(), 1.0 - 1e-6) << "stopped away from the wall: " << s.message;
  }
}

TEST_P(EveryAlgorithm, LogarithmOutsideItsDomain) {
  // x - log x: minimum 1 at 1; NaN left of 0, and the first trials go there.
  Options o = options();
  o.max_iterations = 20000;
  const auto f = [](const Vector& x, Vector& grad) {
    grad = 1.0 - 1.0 / x.array();
    return (x.array() - x.array().log()).sum();
  };
  const Summary s = solve(f, Vector{{0.01, 1.5}}, o);
  if (fixed_step()) return;  // the consistency of the summary is all that a fixed step promises
  EXPECT_EQ(s.status, Status::kGradientIsSmall);
  EXPECT_NEAR(s.f, 2.0, 1e-9);
}

TEST_P(EveryAlgorithm, SquareRootOutsideItsDomain) {
  // x - sqrt x: minimum -1/4 at 1/4; NaN left of 0.
  Options o = options();
  o.max_iterations = 20000;
  const auto f = [](const Vector& x, Vector& grad) {
    grad = 1.0 - 0.5 / x.array().sqrt();
    return (x.array() - x.array().sqrt()).sum();
  };
  const Summary s = solve(f, Vector{{1.0, 100.0}}, o);
  if (fixed_step()) return;
  EXPECT_EQ(s.status, Status::kGradientIsSmall);
  EXPECT_NEAR(s.f, -0.5, 1e-9);
}

TEST_P(EveryAlgorithm, NotFiniteStart) {
  for (const double bad : {kNaN, kInf, -kInf}) {
    const Summary s = minimize(
        [bad](const Vector& x, Vector& grad) {
          grad = x;
          return bad;
        },
        Vector::Ones(2), options());
    EXPECT_EQ(s.status, Status::kStartIsNotFinite) << bad;
    EXPECT_FALSE(s.success());
    EXPECT_EQ(s.evaluations.value, 1);
    EXPECT_EQ(s.x, Vector::Ones(2));
  }
}

TEST_P(EveryAlgorithm, NotFiniteGradientAtTheStart) {
  for (const double bad : {kNaN, kInf}) {
    const Summary s = minimize(
        [bad](const Vector&, Vector& grad) {
          grad << 0.0, bad;
          return 1.0;
        },
        Vector::Ones(2), options());
    EXPECT_EQ(s.status, Status::kStartIsNotFinite) << bad;
  }
}

TEST_P(EveryAlgorithm, NotFiniteStartPointIsNoSuccess) {
  // The objective does not look at x, so only x itself tells.
  const Summary s = minimize(
      [](const Vector&, Vector& grad) {
        grad.setZero();
        return 1.0;
      },
      Vector{{1.0, kNaN}}, options());
  EXPECT_EQ(s.status, Status::kStartIsNotFinite);
  EXPECT_EQ(s.evaluations.value, 0);
}

TEST_P(EveryAlgorithm, NaNLaterKeepsTheBestFinitePoint) {
  // A bowl that turns NaN for good after 12 evaluations.
  int calls = 0;
  double lowest = kInf;
  const auto f = [&](const Vector& x, Vector& grad) {
    grad = x.array().cube() + 0.1 * x.array();
    const double value = ++calls <= 12 ? 0.25 * x.array().pow(4).sum() + 0.05 * x.squaredNorm() : kNaN;
    if (value < lowest) lowest = value;
    return value;
  };
  Options o = options();
  o.gtol = 1e-14;
  const Summary s = minimize(f, Vector{{3.0, -2.0}}, o);
  EXPECT_FALSE(s.success()) << s.message;
  EXPECT_TRUE(s.x.allFinite());
  EXPECT_TRUE(std::isfinite(s.f));
  EXPECT_LE(s.f, 0.25 * (81.0 + 16.0) + 0.05 * 13.0);
}

struct MyError : std::runtime_error {
  using std::runtime_error::runtime_error;
  int payload = 17;
};

TEST_P(EveryAlgorithm, ExceptionOfTheObjectivePassesUnchanged) {
  int calls = 0;
  Options o = options();
  o.gtol = 0.0;
  const auto f = [&](const Vector& x, Vector& grad) {
    if (++calls == 17) throw MyError("at the 17th call");
    return ChainedRosenbrock(4).value_and_gradient(x, grad);
  };
  try {
    minimize(f, ChainedRosenbrock::start(4), o);
    FAIL() << "no exception after " << calls << " calls";
  } catch (const MyError& error) {
    EXPECT_STREQ(error.what(), "at the 17th call");
    EXPECT_EQ(error.payload, 17);
  }
  EXPECT_EQ(calls, 17);
}

TEST_P(EveryAlgorithm, EvaluationLimitIsNeverExceededAndTheBestPointReturned) {
  for (std::int64_t limit = 1; limit <= 30; ++limit) {
    std::int64_t calls = 0;
    double lowest = kInf;
    const auto f = [&](const Vector& x, Vector& grad) {
      ++calls;
      const double value = ChainedRosenbrock(4).value_and_gradient(x, grad);
      if (value < lowest) lowest = value;
      return value;
    };
    Options o = options();
    o.gtol = 0.0;
    o.max_evaluations = limit;
    const Summary s = minimize(f, ChainedRosenbrock::start(4), o);
    EXPECT_EQ(s.status, Status::kEvaluationLimitReached) << limit;
    EXPECT_LE(calls, limit);
    EXPECT_EQ(s.evaluations.value, calls);
    EXPECT_EQ(s.evaluations.gradient, calls);
    EXPECT_EQ(s.f, lowest) << "with " << limit << " evaluations";
  }
}

TEST_P(EveryAlgorithm, EvaluationLimitWithinTheFirstStepReturnsTheBestPoint) {
  for (std::int64_t limit = 2; limit <= 12; ++limit) {
    const auto f = [](const Vector& x, Vector& grad) {
      grad = 2.0 * (x.array() - 1e6);
      return (x.array() - 1e6).square().sum();
    };
    Options o = options();
    o.max_evaluations = limit;
    double lowest = kInf;
    const Summary s = minimize(
        [&](const Vector& x, Vector& grad) {
          const double value = f(x, grad);
          if (value < lowest) lowest = value;
          return value;
        },
        Vector::Ones(2), o);
    EXPECT_EQ(s.f, lowest) << "with " << limit << " evaluations";
  }
}

TEST_P(EveryAlgorithm, IterationLimitIsExact) {
  for (const std::int64_t limit : {0, 1, 2, 7}) {
    Options o = options();
    o.gtol = 0.0;
    o.max_iterations = limit;
    int observed = 0;
    o.observer = [&](const Progress& p) {
      EXPECT_EQ(p.iteration, observed++);
      return Continue::kYes;
    };
    ChainedRosenbrock f(4);
    const Summary s = minimize(f, ChainedRosenbrock::start(4), o);
    EXPECT_EQ(s.status, Status::kIterationLimitReached);
    EXPECT_EQ(s.iterations, limit);
    EXPECT_EQ(observed, limit + 1);
  }
}

TEST_P(EveryAlgorithm, TimeLimitOfZeroStops) {
  Options o = options();
  o.max_seconds = 0.0;
  ChainedRosenbrock f(4);
  const Summary s = minimize(f, ChainedRosenbrock::start(4), o);
  EXPECT_EQ(s.status, Status::kTimeLimitReached);
  EXPECT_EQ(s.iterations, 0);
}

TEST_P(EveryAlgorithm, ObserverSeesTheRunAndStopsIt) {
  Options o = options();
  o.gtol = 0.0;
  o.keep_trace = true;
  ChainedRosenbrock f(4);
  Vector grad(4);
  o.observer = [&](const Progress& p) {
    EXPECT_TRUE(same_bits(f.value_and_gradient(p.x, grad), p.f));
    EXPECT_TRUE(same_bits(grad, p.grad));
    EXPECT_EQ(p.grad_inf_norm, inf_norm(p.grad));
    EXPECT_GE(p.evaluations.value, p.iteration);
    return p.iteration == 5 ? Continue::kNo : Continue::kYes;
  };
  const Summary s = minimize(f, ChainedRosenbrock::start(4), o);
  EXPECT_EQ(s.status, Status::kStoppedByObserver);
  EXPECT_FALSE(s.success());
  EXPECT_EQ(s.iterations, 5);
  ASSERT_EQ(s.trace.size(), 6u);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(s.trace[k].iteration, static_cast<std::int64_t>(k));
}

TEST_P(EveryAlgorithm, TwoEqualCallsGiveEqualBits) {
  Options o = options();
  o.max_iterations = 40;
  ChainedRosenbrock f(6), g(6);
  const Summary a = minimize(f, ChainedRosenbrock::start(6), o), b = minimize(g, ChainedRosenbrock::start(6), o);
  EXPECT_TRUE(same_bits(a.x, b.x));
  EXPECT_TRUE(same_bits(a.f, b.f));
  EXPECT_EQ(a.evaluations, b.evaluations);
  EXPECT_EQ(a.fallbacks, b.fallbacks);
}

INSTANTIATE_TEST_SUITE_P(
    Gradient, EveryAlgorithm,
    testing::ValuesIn(test::algorithms_except(test::skip({"newton"}, "the functions have no Hessian") +
                                              test::recurrent("does not converge, nor does it promise to"))),
    [](const auto& param_info) { return test::test_name(param_info.param); });

// --- scales ----------------------------------------------------------------------------------------------------------

struct ScaleCase {
  std::string algorithm;
  double x_scale, f_scale;
};

void PrintTo(const ScaleCase& c, std::ostream* os) { *os << c.algorithm << ' ' << c.x_scale << ' ' << c.f_scale; }

class EveryScale : public testing::TestWithParam<ScaleCase> {};

// A well-conditioned bowl in other units. It takes nothing but the ability to work with the numbers.
TEST_P(EveryScale, ConvergesInEveryUnit) {
  const auto& [algorithm, x_scale, f_scale] = GetParam();
  Quadratic bowl(test::random_spd(5, 4.0, 1), test::random_vector(5, 3));
  test::Scaled f(bowl, x_scale, f_scale);
  Options o;
  o.algorithm = algorithm;
  o.gtol = 0.0;
  o.gtol_relative = 1e-6;
  o.max_iterations = 1000;
  const Summary s = minimize(f, x_scale * Vector::Ones(5), o);
  // The step-size, x/g, leaves the range of a double beyond 1e-150 and 1e150. Then nothing works, and the run must say
  // so.
  if (std::abs(std::log10(x_scale)) > 150) {
    EXPECT_FALSE(s.success()) << s.message;
    return;
  }
  EXPECT_TRUE(s.status == Status::kRelativeGradientIsSmall || s.grad_inf_norm == 0.0) << s.message;
  EXPECT_LT((s.x / x_scale - bowl.center()).norm(), 1e-4);
}

std::vector<ScaleCase> scale_cases() {
  std::vector<ScaleCase> cases;
  for (const std::string& algorithm :
       test::algorithms_except(test::skip({"heavy-ball", "nesterov", "adam"}, "the step-size has units") +
                               test::recurrent("the step has units"))) {
    for (const double f_scale : {1e-300, 1e-200, 1e-100, 1e100, 1e200, 1e300}) cases.push_back({algorithm, 1, f_scale});
    // The Hessian, f/x^2, leaves the range of a double beyond 1e-150 and 1e150: Newton's method cannot.
    for (const double x_scale : {1e-300, 1e-200, 1e-100, 1e100, 1e200, 1e300})
      if (algorithm != "newton" || std::abs(std::log10(x_scale)) < 140) cases.push_back({algorithm, x_scale, 1});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Scales, EveryScale, testing::ValuesIn(scale_cases()), [](const auto& param_info) {
  const auto exponent = [](double scale) {
    const int e = static_cast<int>(std::lround(std::log10(scale)));
    return (e < 0 ? "minus" : "") + std::to_string(std::abs(e));
  };
  const ScaleCase& c = param_info.param;
  return test::test_name(c.algorithm) + "_x" + exponent(c.x_scale) + "_f" + exponent(c.f_scale);
});

class HostileUnits : public testing::TestWithParam<const char*> {};

// The inverse Hessian, x^2/f, leaves the range of a double in many of these units, and has few digits left at its edge
// (1e-313). Then B is its newest rank-one term and the run idles at the minimum along one line, which is not working
// precision.
TEST_P(HostileUnits, NeverEndInAFalseSuccess) {
  Quadratic bowl(test::random_spd(5, 4.0, 1), test::random_vector(5, 3));
  ChainedRosenbrock valley(4);
  const std::pair<Objective*, Vector> problems[] = {{&bowl, Vector::Ones(5)}, {&valley, ChainedRosenbrock::start(4)}};
  Options o;
  o.algorithm = GetParam();
  o.gtol = 0.0;
  o.gtol_relative = 1e-6;
  o.max_iterations = 1000;
  int num_converged = 0, num_failed = 0;
  for (const auto& [problem, start] : problems) {
    Vector grad_start(start.size()), grad(start.size());
    problem->value_and_gradient(start, grad_start);
    for (int x_exponent = -250; x_exponent <= 250; x_exponent += 25) {
      for (const int f_exponent : {-250, -187, -125, -63, 0, 63, 125, 187, 250}) {
        const double x_scale = std::pow(10.0, x_exponent), f_scale = std::pow(10.0, f_exponent);
        test::Scaled f(*problem, x_scale, f_scale);
        if (std::abs(f_exponent - x_exponent) > 300) continue;  // the gradient itself is 0 or infinite
        const Summary s = minimize(f, x_scale * start, o);
        ++(s.success() ? num_converged : num_failed);
        problem->value_and_gradient(s.x / x_scale, grad);
        EXPECT_TRUE(!s.success() || inf_norm(grad) <= 1e-5 * inf_norm(grad_start))
            << "x in 1e" << x_exponent << ", f in 1e" << f_exponent << ": " << s.message;
      }
    }
  }
  EXPECT_GT(num_converged, 100);
  EXPECT_GT(num_failed, 0);
}

INSTANTIATE_TEST_SUITE_P(Algorithms, HostileUnits,
                         testing::Values("bfgs", "bfgs+", "ss-bfgs", "ss-broyden", "l-bfgs", "l-bfgs+", "l-bfgs+d",
                                         "loa"),
                         [](const auto& param_info) { return test::test_name(param_info.param); });

class TinyStart : public testing::TestWithParam<double> {};

// (x - 1)^2 from nearly the origin: the start says nothing about the length of a useful step.
TEST_P(TinyStart, IsNotMistakenForConvergence) {
  const auto f = [](const Vector& x, Vector& grad) {
    grad = 2.0 * (x.array() - 1.0);
    return (x.array() - 1.0).square().sum();
  };
  const Summary s = solve(f, Vector{{GetParam(), 0.0}});
  EXPECT_EQ(s.status, Status::kGradientIsSmall);
  EXPECT_NEAR(s.f, 0.0, 1e-9) << s.message;
}

INSTANTIATE_TEST_SUITE_P(Starts, TinyStart, testing::Values(1e-8, 1e-16, 1e-20, 1e-30, 1e-60, 1e-100, 1e-300));

class FarStart : public testing::TestWithParam<double> {};

TEST_P(FarStart, Converges) {
  const auto f = [](const Vector& x, Vector& grad) {
    grad = 2.0 * (x.array() - 1.0);
    return (x.array() - 1.0).square().sum();
  };
  const Summary s = solve(f, Vector{{GetParam(), 0.0}});
  EXPECT_TRUE(s.success()) << s.message;
  EXPECT_LT(s.grad_inf_norm, 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Starts, FarStart, testing::Values(1e4, 1e8, 1e12, 1e100, 1e150));

// Growth curves of Gompertz, y = a exp(-b exp(-c t)), fitted from starts that are off by factors up to 10. Where steps
// may end on plateaus each of these runs ends far above 0, with b or c on the way to infinity.
TEST(FarFits, StayAwayFromPlateaus) {
  constexpr int kNumPoints = 20;
  const auto curve = [](const Vector& p, double t) { return p(0) * std::exp(-p(1) * std::exp(-p(2) * t)); };
  const Function fit = [&](const Vector& x, Vector& grad) {
    const Vector truth{{10.0, 3.0, 0.7}};
    double sum = 0.0;
    grad.setZero();
    for (int i = 0; i < kNumPoints; ++i) {
      const double t = 8.0 * i / (kNumPoints - 1), decay = std::exp(-x(2) * t);
      const double value = curve(x, t), residual = value - curve(truth, t);
      sum += 0.5 * residual * residual;
      grad += residual * value * Vector{{1.0 / x(0), -decay, x(1) * t * decay}};
    }
    return sum;
  };
  for (const Vector& start :
       {Vector{{30.0, 1.0, 0.7}}, Vector{{30.0, 3.0, 0.7}}, Vector{{100.0, 0.3, 0.2}}, Vector{{100.0, 10.0, 0.7}}}) {
    for (const char* algorithm : {"bfgs+", "bfgs+d", "sr1+", "l-bfgs+", "l-bfgs+d"}) {
      const Summary s = solve(fit, start, {.algorithm = algorithm, .max_evaluations = 1000});
      EXPECT_TRUE(s.success()) << algorithm << ": " << s.message;
      EXPECT_LT(s.f, 1e-6) << algorithm << " from " << start.transpose() << " to " << s.x.transpose();
    }
  }
}

// A linear function with a logarithmic barrier, and a wall behind it. Steps of a tenth of a trial that met the wall,
// one after the other, were a third of all iterations.
TEST(Barriers, AreNotApproachedInTenths) {
  const Function f = [](const Vector& x, Vector& grad) {
    const double mu = 1e-4;
    grad.setZero();
    if (!(x.minCoeff() > 0.0)) return 1e20;
    const Vector c = Vector::LinSpaced(x.size(), 0.1, 1.0);
    grad = c - mu * x.cwiseInverse();
    return c.dot(x) - mu * x.array().log().sum();
  };
  for (const char* algorithm : {"bfgs+", "loa"}) {
    const Summary s = solve(f, Vector::Ones(10), {.algorithm = algorithm, .max_evaluations = 2000, .keep_trace = true});
    EXPECT_TRUE(s.success()) << algorithm << ": " << s.message;
    int num_tenths = 0;
    for (std::size_t i = 1; i < s.trace.size(); ++i)
      num_tenths += s.trace[i].evaluations - s.trace[i - 1].evaluations == 2 && s.trace[i].step_size > 0.05 &&
                    s.trace[i].step_size < 0.15;
    EXPECT_LE(num_tenths, 20) << algorithm << " in " << s.iterations << " iterations";
  }
}

double walled_parabola(const Vector& x, Vector& grad) {
  grad.setZero();
  if (!(x.norm() < 3.0)) return 20.0;
  grad << x(0), 4.0 * x(1);
  return 0.5 * x(0) * x(0) + 2.0 * x(1) * x(1);
}

// A wall around a parabola, and unit steps that are 1e22 times too long: forty trials of `weak-wolfe` end beyond the
// wall, where f says nothing about the way back. `hager-zhang` goes on from there, and no restart is needed.
TEST(SecondSearch, FindsWhatWeakWolfeDoesNot) {
  for (const char* algorithm : {"bfgs+", "l-bfgs+", "loa"}) {
    Options options{.algorithm = algorithm, .max_evaluations = 2000};
    options.hyper_parameters.step_size = 1e22;
    const Summary s = solve(walled_parabola, Vector{{1.0, 2.0}}, options);
    EXPECT_TRUE(s.success()) << algorithm << ": " << s.message;
    EXPECT_LT(s.f, 1e-9) << algorithm;
    EXPECT_EQ(s.fallbacks.restart, 0) << algorithm;
    EXPECT_GE(s.fallbacks.search, 1) << algorithm;
    options.line_search = "hager-zhang";  // which has no other search after it
    EXPECT_EQ(solve(walled_parabola, Vector{{1.0, 2.0}}, options).fallbacks.search, 0) << algorithm;
  }
}

// The same search that may not be followed by another one.
TEST(SecondSearch, IsForTheWeakWolfeSearchThatWantsIt) {
  for (const bool has_second : {true, false}) {
    Algorithm algorithm = make_algorithm("bfgs+", {.step_size = 1e22});
    algorithm.line_search =
        std::make_shared<WeakWolfe>(WolfeConstants{.c2 = 0.97}, WeakWolfeOptions{.has_second = has_second});
    FunctionObjective objective(2, walled_parabola);
    const Summary s = minimize(objective, Vector{{1.0, 2.0}}, algorithm, {.max_evaluations = 2000});
    EXPECT_EQ(s.fallbacks.restart == 0, has_second);
  }
}

// --- round-off -------------------------------------------------------------------------------------------------------

struct Search {
  std::string algorithm, line_search;
};

void PrintTo(const Search& s, std::ostream* os) { *os << s.algorithm << ' ' << s.line_search; }

class NearRoundOff : public testing::TestWithParam<Search> {
 protected:
  Options options() const {
    Options options;
    options.algorithm = GetParam().algorithm;
    options.line_search = GetParam().line_search;
    options.max_iterations = 5000;
    return options;
  }
};

TEST_P(NearRoundOff, QuadraticWithOffsetConvergesToWorkingPrecision) {
  for (const double offset : {1.0, 1e6, -1e6, 1e12}) {
    Quadratic f(test::random_spd(6, 20.0, 2), test::random_vector(6, 4), offset);
    Options o = options();
    o.gtol = 0.0;
    const Summary s = minimize(f, Vector::Ones(6), o);
    EXPECT_TRUE(s.success()) << offset << ": " << s.message;
    EXPECT_TRUE(s.status == Status::kConvergedToWorkingPrecision || s.grad_inf_norm == 0.0) << offset;
    // With f judged to round-off alone one gets sqrt(eps |f|); slopes do better, and that much is asked for.
    EXPECT_LT(s.grad_inf_norm, 1e-6 * std::sqrt(std::abs(offset))) << offset;
  }
}

TEST_P(NearRoundOff, QuarticWithoutToleranceIsASuccess) {
  const auto f = [](const Vector& x, Vector& grad) {
    grad = 4.0 * (x.array() - 1.0).cube();
    return (x.array() - 1.0).pow(4).sum();
  };
  Options o = options();
  o.gtol = 0.0;
  o.max_iterations = 100000;
  const Summary s = solve(f, Vector{{3.0, -2.0}}, o);
  EXPECT_TRUE(s.success()) << s.message;
  EXPECT_LT((s.x.array() - 1.0).abs().maxCoeff(), 1e-3);
}

TEST_P(NearRoundOff, TightToleranceWithOffsetIsReached) {
  Quadratic f(test::random_spd(6, 20.0, 2), test::random_vector(6, 4), 1e6);
  Options o = options();
  o.gtol = 1e-8;
  const Summary s = minimize(f, Vector::Ones(6), o);
  EXPECT_TRUE(s.success()) << s.message;
  // f resolves a gradient of sqrt(eps 1e6) = 1e-5. Zigzags of steepest descent may hide the rest, curvature may not.
  EXPECT_LE(s.grad_inf_norm, GetParam().algorithm == "gradient-descent" ? 1e-6 : 1e-8) << s.message;
}

// Every algorithm with the line search of its own, and some with others.
std::vector<Search> searches(const std::vector<Search>& others) {
  std::vector<Search> all = others;
  for (const std::string& name :
       test::algorithms_except(test::skip({"newton"}, "the functions have no Hessian") +
                               test::skip({"heavy-ball", "nesterov", "adam"}, "has no line search") +
                               test::recurrent("has no line search")))
    all.push_back({name, ""});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Searches, NearRoundOff,
                         testing::ValuesIn(searches({{"bfgs", "hager-zhang"},
                                                     {"bfgs", "weak-wolfe"},
                                                     {"sr1", "hager-zhang"},
                                                     {"conjugate-gradient", "hager-zhang"},
                                                     {"gradient-descent", "hager-zhang"}})),
                         [](const auto& param_info) {
                           return test::test_name(param_info.param.algorithm + "_" + param_info.param.line_search);
                         });

// Slow but steady descent through a concave stretch: f falls by less than its resolution in one iteration, and the
// gradient grows all the way. That is no convergence.
TEST(FalseSuccess, SlowDescentThatAddsUp) {
  const auto f = [](const Vector& x, Vector& grad) {
    grad(0) = -std::sin(x(0));
    return 1e11 + std::cos(x(0));
  };
  Options o;
  o.algorithm = "adam";
  o.max_iterations = 2000;
  const Summary s = solve(f, Vector{{1e-4}}, o);
  if (s.success()) {
    EXPECT_LT(s.grad_inf_norm, 1e-3) << s.message;
  }
}

// --- wrong gradients -------------------------------------------------------------------------------------------------

struct WrongGradient {
  Search search;
  double offset;
};

void PrintTo(const WrongGradient& w, std::ostream* os) { *os << w.search.algorithm << ' ' << w.offset; }

class Wrong : public testing::TestWithParam<WrongGradient> {
 protected:
  Options options() const {
    Options options;
    options.algorithm = GetParam().search.algorithm;
    options.line_search = GetParam().search.line_search;
    options.max_iterations = 300;
    return options;
  }
  double offset() const { return GetParam().offset; }
};

TEST_P(Wrong, SignFailsWithAHint) {
  const Summary s = solve(
      [this](const Vector& x, Vector& grad) {
        grad = -2.0 * x;
        return offset() + x.squaredNorm();
      },
      Vector{{1.0, 2.0}}, options());
  EXPECT_EQ(s.status, Status::kLineSearchFailed);
  EXPECT_THAT(s.message, testing::HasSubstr("check_gradient"));
  EXPECT_LT(s.evaluations.value, 500) << "a hopeless search should end soon";
  EXPECT_EQ(s.f, offset() + 5.0) << "the start is the lowest point";
}

TEST_P(Wrong, SignOfOneCoordinateFailsWithAHint) {
  const Summary s = solve(
      [this](const Vector& x, Vector& grad) {
        grad << -2.0 * x(0), 2.0 * x(1);
        return offset() + x.squaredNorm();
      },
      Vector{{2.0, 0.5}}, options());
  EXPECT_FALSE(s.success()) << s.message;
  EXPECT_EQ(s.status, Status::kLineSearchFailed);
}

std::vector<WrongGradient> wrong_gradients() {
  std::vector<WrongGradient> all = {
      {{"bfgs", ""}, 0.0}, {{"bfgs", ""}, 1e3}, {{"bfgs", "hager-zhang"}, 0.0}, {{"bfgs", "hager-zhang"}, 1.0}};
  for (const Search& search : searches({})) all.push_back({search, 1.0});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Gradients, Wrong, testing::ValuesIn(wrong_gradients()), [](const auto& param_info) {
  const WrongGradient& w = param_info.param;
  return test::test_name(w.search.algorithm + "_" + w.search.line_search + "_offset_" +
                         std::to_string(static_cast<int>(w.offset)));
});

// --- tests of convergence --------------------------------------------------------------------------------------------

TEST(Convergence, RelativeGradient) {
  Options o;
  o.gtol = 0.0;
  o.gtol_relative = 1e-3;
  ChainedRosenbrock f(4);
  Vector grad(4);
  f.value_and_gradient(ChainedRosenbrock::start(4), grad);
  const Summary s = minimize(f, ChainedRosenbrock::start(4), o);
  EXPECT_EQ(s.status, Status::kRelativeGradientIsSmall);
  EXPECT_LE(s.grad_inf_norm, 1e-3 * inf_norm(grad));
  EXPECT_GT(s.grad_inf_norm, 0.0);
}

TEST(Convergence, FlatObjective) {
  Options o;
  o.algorithm = "bfgs";  // loa gets to the minimum before f is flat
  o.gtol = 0.0;
  o.ftol = 1e-6;
  o.keep_trace = true;
  Quadratic f(test::random_spd(8, 1000.0, 1), test::random_vector(8, 2), 1.0);
  const Summary s = minimize(f, Vector::Ones(8), o);
  EXPECT_EQ(s.status, Status::kObjectiveIsFlat);
  ASSERT_GE(s.trace.size(), 3u);
  for (std::size_t k = 1; k < s.trace.size(); ++k) {
    const double f_k = s.trace[k].f, before = s.trace[k - 1].f;
    EXPECT_EQ(std::abs(f_k - before) <= 1e-6 * std::max(f_k, before), k + 1 == s.trace.size()) << k;
  }
}

TEST(Convergence, GradientToleranceIsInTheInfinityNorm) {
  for (const double gtol : {1e-2, 1e-5, 1e-9}) {
    Options o;
    o.gtol = gtol;
    ChainedRosenbrock f(10);
    const Summary s = minimize(f, ChainedRosenbrock::start(10), o);
    EXPECT_EQ(s.status, Status::kGradientIsSmall);
    EXPECT_LE(s.grad_inf_norm, gtol);
  }
}

// --- divergence ------------------------------------------------------------------------------------------------------

TEST(Divergence, FixedStepsReturnTheBestPointSeen) {
  for (const char* algorithm : {"gradient-descent", "heavy-ball", "nesterov"}) {
    double lowest = kInf;
    const auto f = [&](const Vector& x, Vector& grad) {
      grad = Vector{{2.0 * x(0), 200.0 * x(1)}};
      const double value = x(0) * x(0) + 100.0 * x(1) * x(1);
      if (value < lowest) lowest = value;
      return value;
    };
    Options o;
    o.algorithm = algorithm;
    o.line_search = "fixed";
    o.hyper_parameters.step_size = 0.1;  // stable below 0.01 only
    o.first_step = 1e-3;
    o.max_iterations = 2000;
    const Summary s = minimize(f, Vector{{1.0, 1.0}}, o);
    EXPECT_FALSE(s.success()) << algorithm;
    EXPECT_EQ(s.f, lowest) << algorithm;
    EXPECT_TRUE(s.x.allFinite());
    Vector grad(2);
    EXPECT_EQ(f(s.x, grad), s.f);
    EXPECT_TRUE(same_bits(grad, s.grad));
  }
}

TEST(Divergence, FirstStepThatRisesIsNotReturned) {
  Options o;
  o.first_step = 10.0;
  o.max_iterations = 0;
  const Summary s = solve(sphere, Vector{{1.0}}, o);
  EXPECT_EQ(s.status, Status::kIterationLimitReached);
  EXPECT_EQ(s.f, 1.0);
}

TEST(Divergence, FirstStepOfTheUserIsTakenAsItIs) {
  Options o;
  o.first_step = 0.125;
  o.max_iterations = 0;
  const Summary s = solve(sphere, Vector{{1.0, -2.0}}, o);
  EXPECT_TRUE(same_bits(s.x, Vector{{0.75, -1.5}}));
  EXPECT_EQ(s.evaluations.value, 2);
}

// --- mistakes in the call --------------------------------------------------------------------------------------------

// The line search of the algorithm, with a record of where each search began and what was known then.
class RecordedSearch final : public LineSearch {
 public:
  struct Begin {
    double first_trial, f0, slope0;
  };
  RecordedSearch(std::shared_ptr<const LineSearch> inner, std::vector<Begin>& record)
      : inner_(std::move(inner)), record_(record) {}
  LineSearchOutcome search(Ray& ray, double first_trial, Trial& accepted) const override {
    record_.push_back({first_trial, ray.f0(), ray.slope0()});
    return inner_->search(ray, first_trial, accepted);
  }
  std::string name() const override { return "recorded"; }

 private:
  std::shared_ptr<const LineSearch> inner_;
  std::vector<Begin>& record_;
};

TEST(FirstTrial, PromisesAtMostWhatTheAlgorithmAllows) {
  for (const double largest_promise : {1.01, kInf}) {
    std::vector<RecordedSearch::Begin> record;
    Algorithm algorithm = make_algorithm("ss-bfgs");
    EXPECT_EQ(algorithm.largest_promise, 1.01);  // SciPy's
    algorithm.largest_promise = largest_promise;
    algorithm.line_search = std::make_shared<RecordedSearch>(algorithm.line_search, record);
    ChainedRosenbrock f(8);
    Options options;
    options.max_iterations = 40;
    minimize(f, ChainedRosenbrock::start(8), algorithm, options);
    ASSERT_GE(record.size(), 40u);
    EXPECT_EQ(record[0].first_trial, 1.0);  // the last step was not the algorithm's
    int num_shortened = 0;
    for (std::size_t k = 1; k < record.size(); ++k) {
      const double longest = largest_promise * 2.0 * (record[k - 1].f0 - record[k].f0) / -record[k].slope0;
      EXPECT_DOUBLE_EQ(record[k].first_trial, std::min(1.0, longest)) << k;
      num_shortened += record[k].first_trial < 1.0;
    }
    EXPECT_EQ(num_shortened > 5, std::isfinite(largest_promise)) << num_shortened;
  }
}

TEST(Mistakes, AreInvalidArguments) {
  ChainedRosenbrock f(4);
  const Vector x0 = ChainedRosenbrock::start(4);
  const auto refused = [&](const Options& o) { EXPECT_THROW(minimize(f, x0, o), std::invalid_argument); };
  refused({.algorithm = "no-such-algorithm"});
  refused({.algorithm = "bfgs", .weights = "bfgs-like"});
  refused({.algorithm = "loa-bfgs", .weights = "no-such-weights"});
  refused({.line_search = "no-such-search"});
  refused({.first_step = 0.0});
  refused({.first_step = -1.0});
  refused({.first_step = kNaN});
  refused({.gtol = -1.0});
  refused({.gtol = kNaN});
  refused({.ftol = kNaN});
  refused({.max_iterations = -1});
  refused({.max_evaluations = 0});
  refused({.max_seconds = kNaN});
  EXPECT_THROW(minimize(f, Vector::Ones(3)), std::invalid_argument);
}

TEST(Mistakes, StepSizeThatCannotWorkIsRefused) {
  ChainedRosenbrock f(4);
  for (const char* algorithm : {"bfgs", "gradient-descent", "newton"})
    for (const double step_size : {0.0, -1.0, kInf}) {
      Options o;
      o.algorithm = algorithm;
      o.hyper_parameters.step_size = step_size;
      o.max_iterations = 100;
      EXPECT_THROW(minimize(f, ChainedRosenbrock::start(4), o), std::invalid_argument) << algorithm << step_size;
    }
}

TEST(Mistakes, MissingDerivativesAreNamed) {
  Options o;
  const auto f = [](const Vector& x, Vector& grad) { return ChainedRosenbrock(4).value_and_gradient(x, grad); };
  o.algorithm = "newton";
  EXPECT_THROW(minimize(f, ChainedRosenbrock::start(4), o), std::invalid_argument);
  o.algorithm = "bfgs";
  o.line_search = "exact";
  EXPECT_THROW(minimize(f, ChainedRosenbrock::start(4), o), std::invalid_argument);
}

TEST(Newton, EdgeCases) {
  Options o;
  o.algorithm = "newton";
  ChainedRosenbrock f(10);
  EXPECT_EQ(minimize(f, ChainedRosenbrock::start(10), o).status, Status::kGradientIsSmall);
  Quadratic one(Matrix::Constant(1, 1, 3.0), Vector::Constant(1, 2.0));
  const Summary s = minimize(one, Vector::Zero(1), o);
  EXPECT_EQ(s.status, Status::kGradientIsSmall);
  EXPECT_NEAR(s.x(0), 2.0, 1e-12);
  Quadratic none(Matrix(0, 0), Vector(0));
  EXPECT_EQ(minimize(none, Vector(0), o).status, Status::kGradientIsSmall);
  Quadratic unbounded(-Matrix::Identity(3, 3), Vector::Zero(3));
  o.max_iterations = 500;
  EXPECT_EQ(minimize(unbounded, Vector::Ones(3), o).status, Status::kObjectiveIsUnbounded);
  Quadratic flat(Matrix::Zero(3, 3), Vector::Zero(3));  // Hessian and gradient zero
  EXPECT_EQ(minimize(flat, Vector::Ones(3), o).status, Status::kGradientIsSmall);
}

}  // namespace
}  // namespace loa
