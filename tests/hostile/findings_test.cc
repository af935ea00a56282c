// Would catch: the false successes and lost points that version 0.1 was found to have, each by the smallest program
// that showed it. The referee of hostile/referee.h judges every run; a test adds the status that the case deserves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hostile/referee.h"
#include "loa/problem.h"

namespace loa::hostile {
namespace {

using testing::IsEmpty;

Summary judged(const Hostile& h, Options options) {
  options.max_evaluations = std::min<std::int64_t>(options.max_evaluations, 3000);
  SCOPED_TRACE(h.name + " by " + options.algorithm);
  Recorder record(h);
  Summary s;
  EXPECT_NO_THROW(s = minimize(record, h.start, options));
  EXPECT_THAT(judge(h, options, record, s), IsEmpty())
      << name(s.status) << " f=" << s.f << " lowest=" << record.lowest();
  EXPECT_THAT(judge_resumed(h, options, record, s), IsEmpty()) << name(s.status);
  return s;
}

// All that need no Hessian.
std::vector<std::string> first_order() {
  std::vector<std::string> names = {"auto"};
  for (const AlgorithmInfo& info : algorithms())
    if (!info.needs_hessian) names.push_back(info.name);
  return names;
}

void expect_failure(const Hostile& h) {
  for (const std::string& algorithm : first_order()) {
    const Summary s = judged(h, {.algorithm = algorithm});
    EXPECT_FALSE(s.success()) << algorithm << ": " << name(s.status) << " f=" << s.f << " |g|=" << s.grad_inf_norm;
  }
}

Hostile scalar(const std::string& title, double start, double minimum, const Scalar& phi) {
  return with(separable(title, Vector{{start}}, phi), minimum, std::isfinite(minimum) ? std::abs(minimum) : 1.0);
}

// A: code that saturates, infima at infinity.
TEST(Findings, A1ConstantWithGradientOneIsAFailure) {
  expect_failure(scalar("7", 1.0, 7.0, [](double) { return std::pair(7.0, 1.0); }));
}

TEST(Findings, A2A3InfimaAtInfinityAreNotReachedByWords) {
  const Hostile reciprocal = scalar("1/x", 1.0, 0.0, [](double t) { return std::pair(1.0 / t, -1.0 / (t * t)); });
  const Hostile arc =
      scalar("-atan(x)", 1.0, -std::acos(0.0), [](double t) { return std::pair(-std::atan(t), -1.0 / (1.0 + t * t)); });
  for (const std::string& algorithm : first_order())
    for (Hostile h : {reciprocal, arc}) {
      if (h.name == "1/x") h.minimum = -kInf;  // 1/x is unbounded on the other side of 0, where long steps may lead
      judged(h, {.algorithm = algorithm, .gtol = 0.0});
    }
}

TEST(Findings, A4SaturatingCodeIsAFailure) {
  expect_failure(scalar("-min(x,1)", 0.0, -1.0, [](double t) { return std::pair(-std::min(t, 1.0), -1.0); }));
}

TEST(Findings, A5UnboundedBelowTheResolutionIsAFailure) {
  expect_failure(scalar("1e20 - x", 0.0, -kInf, [](double t) { return std::pair(1e20 - t, -1.0); }));
}

// B: wrong gradients and kinks.
TEST(Findings, B1WrongSignIsAFailureWhateverTheOffset) {
  for (const auto& [c, start] : {std::pair(1e10, 0.5), {0.0, 0.5}, {1e4, 0.0005}}) {
    const double shift = c;
    Hostile h = scalar(fmt::format("x^2 + {:g}, gradient -2x", c), start, c,
                       [shift](double t) { return std::pair(t * t + shift, -2.0 * t); });
    expect_failure(h);
  }
}

TEST(Findings, B2SquareRootsEndAsAFailure) {
  expect_failure(separable("sum sqrt|x|", Vector{{3.0, -2.0}}, [](double t) {
    const double r = std::sqrt(std::abs(t));
    return std::pair(r, (t > 0.0 ? 0.5 : -0.5) / r);
  }));
}

TEST(Findings, B3KinkBesideAHugeVariableIsNoSuccess) {
  const Hostile h = base("|x-2| + (y-3)^2, z = 1e13", Vector{{0.3, 0.4, 1e13}}, [](const Vector& x, Vector& g) {
    g << (x(0) > 2.0 ? 1.0 : -1.0), 2.0 * (x(1) - 3.0), 0.0;
    return std::abs(x(0) - 2.0) + (x(1) - 3.0) * (x(1) - 3.0);
  });
  for (const std::string& algorithm : first_order()) judged(h, {.algorithm = algorithm});
}

TEST(Findings, B4WrongGradientBesideAHugeVariableIsAFailure) {
  expect_failure(base("gradient of x wrong, z = 1e13", Vector{{0.3, 0.4, 1e13}}, [](const Vector& x, Vector& g) {
    g << -2.0 * (x(0) - 2.0), 2.0 * (x(1) - 3.0), 0.0;
    return (x(0) - 2.0) * (x(0) - 2.0) + (x(1) - 3.0) * (x(1) - 3.0);
  }));
}

// C and finding 1: a long first step. Progress counts from where it led, not from the start.
TEST(Findings, LongFirstStepsGiveNoFalseSuccess) {
  const Hostile quartics = base("quartics", Vector{{-1.2, 1.0}}, [](const Vector& x, Vector& g) {
    g << 4.0 * std::pow(x(0) - 1.0, 3), 4.0 * std::pow(x(1) + 2.0, 3);
    return std::pow(x(0) - 1.0, 4) + std::pow(x(1) + 2.0, 4);
  });
  const Hostile squares = base("squares", Vector{{-1.2, 1.0}}, [](const Vector& x, Vector& g) {
    g << 100.0 * (x(0) - 1.0), x(1) + 2.0;
    return 50.0 * (x(0) - 1.0) * (x(0) - 1.0) + 0.5 * (x(1) + 2.0) * (x(1) + 2.0);
  });
  for (const std::string& algorithm : first_order())
    for (const double outer : {1.0, 1e4, 1e12, 1e20})
      for (const double first_step : {1e-3, 1.0, 1e4, 1e10})
        for (const Hostile& h : {rosenbrock(2), quartics, squares}) {
          SCOPED_TRACE(first_step);
          judged(scaled(h, outer, 1.0), {.algorithm = algorithm, .first_step = first_step, .max_evaluations = 1000});
        }
}

TEST(Findings, LongFirstStepsAreNoReasonToGiveUp) {
  for (const char* algorithm : {"auto", "loa", "bfgs", "bfgs+", "sr1+", "l-bfgs", "l-bfgs+", "conjugate-gradient"})
    for (const double first_step : {1.0, 1e2, 1e4})
      for (const Hostile& h : {sphere(2), quadratic(10, 1e2)}) {
        const Summary s = judged(h, {.algorithm = algorithm, .first_step = first_step});
        EXPECT_TRUE(s.success()) << algorithm << " " << first_step << " " << h.name << ": " << name(s.status);
        EXPECT_LT(s.f, 1e-8) << algorithm << " " << first_step << " " << h.name;
      }
}

// D: the safeguard `spectrum` where the gradient or x leaves the range in which eigenvalues can be compared.
TEST(Findings, D1D2SpectrumGuardDoesNotThrow) {
  const Hostile tiny = with(base("1e-310 |x|^2 / 2", Vector{{2.0, 1.0}},
                                 [](const Vector& x, Vector& g) {
                                   g = 1e-310 * x;
                                   return 1e-310 * x.squaredNorm() / 2.0;
                                 }),
                            0.0, 1e-310);
  const Hostile large = base("f(1e-300 x)", Vector{{3e300, -2e300}}, [](const Vector& x, Vector& g) {
    const Vector y = 1e-300 * x;
    g = 1e-300 * 2.0 * (y.array() - 1.0).matrix();
    return (y.array() - 1.0).square().sum();
  });
  for (const char* algorithm : {"bfgs", "sr1", "loa-bfgs"}) {
    judged(tiny, {.algorithm = algorithm, .safeguard = Safeguard::kSpectrum, .gtol = 0.0});
    judged(large, {.algorithm = algorithm, .safeguard = Safeguard::kSpectrum, .gtol = 0.0});
  }
}

// With undefined behaviour in the eigenvalue bounds in version 0.1; the sanitizers look here.
TEST(Findings, SpectrumGuardSurvivesEveryScale) {
  for (const char* algorithm : {"bfgs", "sr1", "loa-bfgs"})
    for (const double outer : {1e-300, 1e-200, 1e200, 1e290, 1e300})
      for (const double inner : {1e-150, 1.0, 1e80, 1e150})
        for (const char* search : {"", "fixed", "paper", "hager-zhang", "weak-wolfe"})
          judged(scaled(rosenbrock(2), outer, inner), {.algorithm = algorithm,
                                                       .line_search = search,
                                                       .safeguard = Safeguard::kSpectrum,
                                                       .gtol = 0.0,
                                                       .max_evaluations = 100});
}

// E: the best finite point.
TEST(Findings, E1BestPointOfAnUnboundedObjectiveIsReturned) {
  for (const std::string& algorithm : first_order()) {
    const Summary s =
        judged(scalar("-exp(x)", 0.0, -kInf, [](double t) { return std::pair(-std::exp(t), -std::exp(t)); }),
               {.algorithm = algorithm});
    EXPECT_FALSE(s.success()) << algorithm;
    EXPECT_LT(s.f, -1.0) << algorithm;
  }
}

// Finding 4: on standard problems too. A claim of working precision must survive a fresh run of BFGS from the point.
TEST(Findings, WorkingPrecisionOnStandardProblemsSurvivesASecondRun) {
  int num_runs = 0, num_claims = 0;
  for (const ProblemInfo& info : problems()) {
    if (!info.name.starts_with("mgh:")) continue;
    for (const double factor : {1.0, 10.0, -5.0})
      for (const char* algorithm : {"loa", "bfgs", "l-bfgs+"}) {
        Problem problem;
        ASSERT_EQ(make_problem(info.name, problem).message(), "");
        Objective& f = *problem.objective;
        const Summary s =
            minimize(f, factor * problem.start, {.algorithm = algorithm, .gtol = 0.0, .max_evaluations = 2000});
        ++num_runs;
        if (s.status != Status::kConvergedToWorkingPrecision) continue;
        ++num_claims;
        for (const char* second : {"bfgs", "newton"}) {
          Matrix hessian;
          if (std::string(second) == "newton" && !f.hessian(s.x, hessian)) continue;
          const Summary again = minimize(f, s.x, {.algorithm = second, .gtol = 0.0, .max_evaluations = 500});
          // 1e-9 of f is seven digits above its spacing; values at f = 0 are told apart from where the run began.
          Vector g(s.x.size());
          const double f_start = f.value_and_gradient(factor * problem.start, g);
          const double visible = 1e-9 * std::abs(s.f) + 1e-20 * std::abs(f_start);
          EXPECT_GE(again.f, s.f - visible) << info.name << " from " << factor << " * start by " << algorithm
                                            << ": f=" << s.f << " |g|=" << s.grad_inf_norm << ", then " << second;
        }
      }
  }
  RecordProperty("runs", num_runs);
  RecordProperty("claims", num_claims);
  EXPECT_GT(num_claims, 0);
}

}  // namespace
}  // namespace loa::hostile
