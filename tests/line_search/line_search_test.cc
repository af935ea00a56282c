// Would catch: a step accepted against its own conditions, a search that stops at the end of a domain or at round-off,
// f or the gradient of another point handed over, an evaluation wasted or made past the limit, an absolute constant, a
// step accepted on a plateau far beyond the descent that led there, noise that passes for a rise of f, or the reverse.
#include "loa/line_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "linalg/bounds.h"
#include "support/objectives.h"

namespace loa {
namespace {

using test::kEps;
using test::kInf;
using test::kNaN;
using test::same_bits;

struct Phi {
  std::string name;
  std::function<std::pair<double, double>(double)> evaluate;  // value and derivative
  WolfeConstants constants = {};
  std::vector<double> first_trials = {1e-3, 1e-1, 1.0, 1e1, 1e3};
};

// phi along the first axis of R^2, at `origin` + step * `scale`.
class Line final : public Objective {
 public:
  explicit Line(const Phi& phi, double scale = 1.0, double f_scale = 1.0)
      : phi_(phi), scale_(scale), f_scale_(f_scale) {}
  Index dimension() const override { return 2; }
  double value_and_gradient(const Vector& x, Vector& grad) override {
    const auto [value, slope] = phi_.evaluate(x(0) / scale_);
    grad << f_scale_ * slope / scale_, 0.0;
    return f_scale_ * value;
  }
  bool hessian_vector(const Vector& x, const Vector& v, Vector& out) override {
    const double t = x(0) / scale_, h = 1e-5 * (1.0 + std::abs(t));
    const double curvature = (phi_.evaluate(t + h).second - phi_.evaluate(t - h).second) / (2.0 * h);
    out = Vector{{f_scale_ * curvature / scale_ / scale_ * v(0), 0.0}};
    return true;
  }

 private:
  const Phi& phi_;
  double scale_, f_scale_;
};

// Everything that a search needs, with its result.
struct Outcome {
  Outcome(const std::string& search, Objective& objective, double first_trial, const Vector& direction,
          const WolfeConstants& constants = {}, std::int64_t max_evaluations = std::numeric_limits<std::int64_t>::max())
      : f(objective), direction_(direction) {
    state.x = Vector::Zero(2);
    state.grad.resize(2);
    state.f = f.value_and_gradient(state.x, state.grad);
    ray.start(f, state, direction_, dot(state.grad, direction_), max_evaluations);
    kind = make_line_search(search, constants)->search(ray, first_trial, accepted);
  }
  std::int64_t trials() const { return f.count().value - 1; }

  CountedObjective f;
  State state;
  Vector direction_;
  Ray ray;
  Trial accepted;
  LineSearchOutcome kind;
};

const Vector kUnit{{1.0, 0.0}};

// --- the six functions of More and Thuente (1994), Section 5 ---------------------------------------------------------

double yanai_gamma(double beta) { return std::sqrt(1.0 + beta * beta) - beta; }

std::pair<double, double> yanai(double a, double beta1, double beta2) {
  const double left = std::sqrt((1.0 - a) * (1.0 - a) + beta2 * beta2), right = std::sqrt(a * a + beta1 * beta1);
  const double g1 = yanai_gamma(beta1), g2 = yanai_gamma(beta2);
  return {g1 * left + g2 * right, g1 * (a - 1.0) / left + g2 * a / right};
}

std::vector<Phi> more_thuente_functions() {
  const double pi = std::acos(-1.0);
  return {{"MoreThuente1",
           [](double a) {
             const double b = 2.0, q = a * a + b;
             return std::pair{-a / q, (a * a - b) / (q * q)};
           },
           {.c1 = 1e-3, .c2 = 0.1}},
          {"MoreThuente2",
           [](double a) {
             const double t = a + 0.004;
             return std::pair{std::pow(t, 5) - 2.0 * std::pow(t, 4), 5.0 * std::pow(t, 4) - 8.0 * std::pow(t, 3)};
           },
           {.c1 = 0.0999, .c2 = 0.1}},
          {"MoreThuente3",
           [pi](double a) {
             const double b = 0.01, l = 39.0;
             const double wave = 2.0 * (1.0 - b) / (l * pi) * std::sin(l * pi / 2.0 * a);
             const double wave_slope = (1.0 - b) * std::cos(l * pi / 2.0 * a);
             if (a <= 1.0 - b) return std::pair{1.0 - a + wave, -1.0 + wave_slope};
             if (a >= 1.0 + b) return std::pair{a - 1.0 + wave, 1.0 + wave_slope};
             return std::pair{(a - 1.0) * (a - 1.0) / (2.0 * b) + b / 2.0 + wave, (a - 1.0) / b + wave_slope};
           },
           {.c1 = 0.0999, .c2 = 0.1}},
          {"MoreThuente4", [](double a) { return yanai(a, 1e-3, 1e-3); }, {.c1 = 1e-3, .c2 = 1e-3}},
          {"MoreThuente5", [](double a) { return yanai(a, 1e-2, 1e-3); }, {.c1 = 1e-3, .c2 = 1e-3}},
          {"MoreThuente6", [](double a) { return yanai(a, 1e-3, 1e-2); }, {.c1 = 1e-3, .c2 = 1e-3}}};
}

std::vector<Phi> other_functions() {
  return {
      {"Quadratic",
       [](double a) {
         return std::pair{(a - 1.0) * (a - 1.0), 2.0 * (a - 1.0)};
       }},
      {"Quartic",
       [](double a) {
         return std::pair{std::pow(a - 1.0, 4), 4.0 * std::pow(a - 1.0, 3)};
       }},
      {"Exponential",
       [](double a) {
         return std::pair{std::exp(a) - 3.0 * a, std::exp(a) - 3.0};
       }},
      {"Wave",
       [](double a) {
         return std::pair{-std::sin(a) + 0.1 * a * a, -std::cos(a) + 0.2 * a};
       }},
      {"FarMinimum",
       [](double a) {
         return std::pair{(a - 1e6) * (a - 1e6), 2.0 * (a - 1e6)};
       }},
      {"NearMinimum",
       [](double a) {
         return std::pair{(a - 1e-6) * (a - 1e-6), 2.0 * (a - 1e-6)};
       }},
      // Domains that end: NaN or +infinity beyond.
      {"LogBarrierNaN",
       [](double a) {
         return std::pair{-2.0 * a - std::log(1.0 - a), -2.0 + 1.0 / (1.0 - a)};
       }},
      {"LogBarrierInfinity",
       [](double a) {
         return a < 1.0 ? std::pair{-2.0 * a - std::log(1.0 - a), -2.0 + 1.0 / (1.0 - a)} : std::pair{kInf, kNaN};
       }},
      {"SquareRootNaN",
       [](double a) {
         return std::pair{-a - std::sqrt(2.0 - a) * 0.5, -1.0 + 0.25 / std::sqrt(2.0 - a)};
       }},
      {"NarrowDomain",
       [](double a) {
         const double t = 1e6 * a;
         return t < 1.0 ? std::pair{-2.0 * t - std::log(1.0 - t), 1e6 * (-2.0 + 1.0 / (1.0 - t))}
                        : std::pair{kNaN, kNaN};
       }},
      // Near round-off: the values alone say nothing.
      {"OffsetEight",
       [](double a) {
         return std::pair{1e8 + 1e-4 * (a - 1.0) * (a - 1.0), 2e-4 * (a - 1.0)};
       }},
      {"OffsetTwelve",
       [](double a) {
         return std::pair{1e12 + 1e-5 * (a - 1.0) * (a - 1.0), 2e-5 * (a - 1.0)};
       }},
      {"OffsetNegative",
       [](double a) {
         return std::pair{-1e8 + 1e-9 * (a - 1.0) * (a - 1.0), 2e-9 * (a - 1.0)};
       }},
  };
}

std::vector<Phi> all_functions() {
  std::vector<Phi> all = more_thuente_functions();
  for (Phi& phi : other_functions()) all.push_back(std::move(phi));
  return all;
}

struct WolfeCase {
  std::string search;
  Phi phi;
};

void PrintTo(const WolfeCase& c, std::ostream* os) { *os << c.search << ' ' << c.phi.name; }

class WolfeSearch : public testing::TestWithParam<WolfeCase> {};

TEST_P(WolfeSearch, AcceptedStepMeetsItsConditions) {
  const auto& [search, phi] = GetParam();
  for (const double first_trial : phi.first_trials) {
    SCOPED_TRACE(testing::Message() << "from " << first_trial);
    Line line(phi);
    Outcome o(search, line, first_trial, kUnit, phi.constants);
    ASSERT_EQ(o.kind, LineSearchOutcome::kAccepted);
    const auto [f0, slope0] = phi.evaluate(0.0);
    const auto [f, slope] = phi.evaluate(o.accepted.step);
    EXPECT_GT(o.accepted.step, 0.0);
    EXPECT_TRUE(std::isfinite(f));
    // Armijo, or its approximate form where the values agree to round-off (Hager and Zhang 2005).
    const double c1 = phi.constants.c1, c2 = phi.constants.c2;
    const bool armijo = f - f0 <= c1 * o.accepted.step * slope0;
    const bool approximate = std::abs(f - f0) <= 1e-6 * std::abs(f0) && (2.0 * c1 - 1.0) * slope0 >= slope;
    EXPECT_TRUE(armijo || approximate) << "step " << o.accepted.step << " gains " << f - f0;
    if (search == "more-thuente") {
      EXPECT_LE(std::abs(slope), c2 * std::abs(slope0)) << "step " << o.accepted.step;
    } else {
      EXPECT_GE(slope, c2 * slope0) << "step " << o.accepted.step;
    }
    EXPECT_LT(o.trials(), 60);
  }
}

TEST_P(WolfeSearch, HandsOverThePointItAccepted) {
  const auto& [search, phi] = GetParam();
  for (const double first_trial : phi.first_trials) {
    Line line(phi);
    Outcome o(search, line, first_trial, kUnit, phi.constants);
    ASSERT_EQ(o.kind, LineSearchOutcome::kAccepted);
    const std::int64_t before = o.f.count().value;
    EXPECT_TRUE(same_bits(o.ray.x(), Vector(o.state.x + o.accepted.step * kUnit)));
    Vector grad(2);
    EXPECT_TRUE(same_bits(line.value_and_gradient(o.ray.x(), grad), o.ray.f()));
    EXPECT_TRUE(same_bits(grad, o.ray.grad()));
    EXPECT_TRUE(same_bits(o.ray.f(), o.accepted.f));
    EXPECT_EQ(o.f.count().value, before) << "looking at the point must not evaluate";
  }
}

// Every evaluation must be at a new step: one that repeats, or one more on acceptance, is wasted.
TEST_P(WolfeSearch, WastesNoEvaluation) {
  const auto& [search, phi] = GetParam();
  for (const double first_trial : phi.first_trials) {
    std::vector<double> steps;
    Phi recorded = phi;
    recorded.evaluate = [&, &plain = phi](double a) {
      steps.push_back(a);
      return plain.evaluate(a);
    };
    Line line(recorded);
    Outcome o(search, line, first_trial, kUnit, phi.constants);
    ASSERT_EQ(o.kind, LineSearchOutcome::kAccepted);
    ASSERT_GE(steps.size(), 2u);
    EXPECT_EQ(steps[1], first_trial) << "the first trial is the caller's";
    EXPECT_EQ(steps.back(), o.accepted.step) << "the accepted trial is the last one made";
    std::sort(steps.begin(), steps.end());
    EXPECT_EQ(std::adjacent_find(steps.begin(), steps.end()), steps.end()) << "a step was evaluated twice";
  }
}

TEST_P(WolfeSearch, ScalesOfTwoGiveTheSameStepsBitForBit) {
  const auto& [search, phi] = GetParam();
  Line plain(phi);
  const Outcome expected(search, plain, phi.first_trials[1], kUnit, phi.constants);
  for (const int k : {-300, -60, -1, 1, 30, 300})
    for (const int j : {-200, 0, 100}) {
      // The direction carries the scale of x, and f one of its own.
      Line scaled(phi, std::exp2(k), std::exp2(j));
      const Outcome o(search, scaled, phi.first_trials[1], std::exp2(k) * kUnit, phi.constants);
      ASSERT_EQ(o.kind, expected.kind) << k << " " << j;
      EXPECT_TRUE(same_bits(o.accepted.step, expected.accepted.step)) << k << " " << j;
      EXPECT_EQ(o.trials(), expected.trials()) << k << " " << j;
    }
  // A longer direction needs a shorter step.
  for (const int k : {-40, -3, 5, 70}) {
    const Outcome o(search, plain, phi.first_trials[1] * std::exp2(-k), std::exp2(k) * kUnit, phi.constants);
    EXPECT_TRUE(same_bits(o.accepted.step, std::exp2(-k) * expected.accepted.step)) << k;
  }
}

TEST_P(WolfeSearch, EvaluationLimitIsKept) {
  const auto& [search, phi] = GetParam();
  for (const double first_trial : phi.first_trials) {
    Line line(phi);
    const Outcome free(search, line, first_trial, kUnit, phi.constants);
    for (std::int64_t limit = 2; limit <= free.trials() + 2; ++limit) {  // the start is one evaluation
      const Outcome o(search, line, first_trial, kUnit, phi.constants, limit);
      EXPECT_LE(o.f.count().value, limit);
      const bool enough = limit >= free.trials() + 1;
      EXPECT_EQ(o.kind, enough ? LineSearchOutcome::kAccepted : LineSearchOutcome::kExhausted) << limit;
    }
  }
}

// The ray ends at a bound after a thousandth, and the first trial is a million times that: f is judged by what the way
// to the bound promises, not by the length of the trial.
TEST(BoundedSearch, AcceptsATrialFarBeyondTheLastBound) {
  const Phi parabola{"parabola", [](double a) { return std::pair{(a - 2.0) * (a - 2.0), 2.0 * (a - 2.0)}; }};
  const Vector lower{{-1.0, -1.0}}, upper{{1e-3, 1.0}};
  const Bounds bounds(lower, upper);
  for (const char* search : {"more-thuente", "hager-zhang", "weak-wolfe"}) {
    SCOPED_TRACE(search);
    Line line(parabola);
    CountedObjective f(line);
    State state;
    state.x = Vector::Zero(2);
    state.grad.resize(2);
    state.f = f.value_and_gradient(state.x, state.grad);
    state.bounds = &bounds;
    Ray ray;
    ray.start(f, state, kUnit, dot(state.grad, kUnit), 100);
    Trial accepted;
    EXPECT_EQ(make_line_search(search)->search(ray, 1e3, accepted), LineSearchOutcome::kAccepted);
    EXPECT_LE(f.count().value,
              std::string(search) == "weak-wolfe" ? 3 : 2);  // that one looks at the end of the way too
    EXPECT_EQ(ray.x()(0), 1e-3);
    // A trial that gains nothing of what the way promises is not accepted for it.
    const Phi flat{"flat", [](double a) { return std::pair{a < 5e-4 ? -1e-9 * a : -5e-13, a < 1e-9 ? -4.0 : 0.0}; }};
    Line little(flat);
    CountedObjective g(little);
    state.f = g.value_and_gradient(state.x, state.grad);
    ray.start(g, state, kUnit, dot(state.grad, kUnit), 100);
    EXPECT_NE(make_line_search(search)->search(ray, 1e3, accepted), LineSearchOutcome::kAccepted);
  }
}

std::vector<WolfeCase> wolfe_cases() {
  std::vector<WolfeCase> cases;
  for (const char* search : {"more-thuente", "hager-zhang", "weak-wolfe"})
    for (const Phi& phi : all_functions()) cases.push_back({search, phi});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Functions, WolfeSearch, testing::ValuesIn(wolfe_cases()), [](const auto& param_info) {
  return test::test_name(param_info.param.search + "_" + param_info.param.phi.name);
});

// --- what every search promises --------------------------------------------------------------------------------------

class EverySearch : public testing::TestWithParam<std::string> {};

TEST_P(EverySearch, MinusInfinityIsUnbounded) {
  const Phi cliff{"cliff", [](double a) { return a > 0.5 ? std::pair{-kInf, -1.0} : std::pair{-a, -1.0}; }};
  Line line(cliff);
  Outcome o(GetParam(), line, 1.0, kUnit);
  EXPECT_EQ(o.kind, LineSearchOutcome::kUnbounded);
  EXPECT_TRUE(o.ray.met_minus_infinity());
}

TEST_P(EverySearch, NotFiniteEverywhereEndsAndAcceptsNothing) {
  for (const double bad : {kNaN, kInf}) {
    const Phi wall{"wall", [bad](double a) { return a > 0.0 ? std::pair{bad, bad} : std::pair{1.0, -1.0}; }};
    Line line(wall);
    Outcome o(GetParam(), line, 1.0, kUnit);
    EXPECT_EQ(o.kind, LineSearchOutcome::kFailed) << bad;
    EXPECT_FALSE(o.ray.best().finite);
    EXPECT_LT(o.trials(), 100);
  }
}

// Finite values with a gradient that is not: outside the domain as well.
TEST_P(EverySearch, NotFiniteGradientIsNeverAccepted) {
  const Phi phi{"kink", [](double a) {
                  return a >= 0.5 ? std::pair{-10.0, kNaN} : std::pair{a * a - a, 2.0 * a - 1.0};
                }};
  Line line(phi);
  Outcome o(GetParam(), line, 1.0, kUnit);
  if (o.kind != LineSearchOutcome::kAccepted) return;
  EXPECT_LT(o.accepted.step, 0.5);
  EXPECT_TRUE(o.ray.grad().allFinite());
  EXPECT_GT(o.ray.f(), -10.0);
}

TEST_P(EverySearch, DomainThatEndsIsEntered) {
  const Phi phi{"log", [](double a) {
                  return a < 1e-3 ? std::pair{-2.0 * a - 1e-3 * std::log(1.0 - 1e3 * a), -2.0 + 1.0 / (1.0 - 1e3 * a)}
                                  : std::pair{kNaN, kNaN};
                }};
  Line line(phi);
  Outcome o(GetParam(), line, 1.0, kUnit);
  if (GetParam() == "exact") return;  // asks for curvature, which a difference cannot give at this scale
  ASSERT_EQ(o.kind, LineSearchOutcome::kAccepted);
  EXPECT_LT(o.accepted.step, 1e-3);
  Vector grad(2);
  EXPECT_TRUE(same_bits(line.value_and_gradient(o.ray.x(), grad), o.ray.f()));
}

TEST_P(EverySearch, ExhaustedBeforeTheFirstTrial) {
  const Phi phi = other_functions()[0];
  Line line(phi);
  Outcome o(GetParam(), line, 1.0, kUnit, {}, 1);
  EXPECT_EQ(o.kind, LineSearchOutcome::kExhausted);
  EXPECT_EQ(o.trials(), 0);
}

TEST_P(EverySearch, MinimumAtTheFirstTrialTakesOneEvaluation) {
  const Phi phi = other_functions()[0];
  Line line(phi);
  Outcome o(GetParam(), line, 1.0, kUnit);
  ASSERT_EQ(o.kind, LineSearchOutcome::kAccepted);
  EXPECT_NEAR(o.accepted.step, 1.0, 1e-9);
  EXPECT_EQ(o.trials(), 1);
}

INSTANTIATE_TEST_SUITE_P(Searches, EverySearch,
                         testing::Values("fixed", "paper", "more-thuente", "hager-zhang", "weak-wolfe", "exact"),
                         [](const auto& param_info) { return test::test_name(param_info.param); });

TEST(LineSearches, TheListIsComplete) {
  std::vector<std::string> names;
  for (const LineSearchInfo& info : line_searches()) {
    names.push_back(info.name);
    EXPECT_NO_THROW(make_line_search(info.name));
    EXPECT_FALSE(info.description.empty());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"fixed", "paper", "more-thuente", "hager-zhang", "weak-wolfe", "exact"}));
  EXPECT_THROW(make_line_search("armijo"), std::invalid_argument);
}

TEST(PaperSearch, BacktracksByTenAndThenTakesTheUntestedStep) {
  // c1 = 1e-2, at most 5 trials, then 1e-5 whatever f says.
  const Phi rising{"rising", [](double a) { return std::pair{a, -1.0}; }};
  Line line(rising);
  Outcome o("paper", line, 1.0, kUnit);
  ASSERT_EQ(o.kind, LineSearchOutcome::kAccepted);
  EXPECT_NEAR(o.accepted.step, 1e-5, 1e-18);
  EXPECT_EQ(o.trials(), 6);
  const Phi narrow{"narrow", [](double a) { return std::pair{(a - 0.004) * (a - 0.004), 2.0 * (a - 0.004)}; }};
  Line bowl(narrow);
  Outcome p("paper", bowl, 1.0, kUnit);
  ASSERT_EQ(p.kind, LineSearchOutcome::kAccepted);
  EXPECT_NEAR(p.accepted.step, 1e-3, 1e-15);
  EXPECT_EQ(p.trials(), 4);
}

// phi = -t + c t^p: a cubic would keep to a third of each bracket, and take a trial for every factor of three.
TEST(WeakWolfeSearch, OneTrialBringsAPowerBack) {
  for (const double p : {4.0, 6.0, 10.0})
    for (const double first_trial : {1e2, 1e4, 1e8}) {
      const Phi phi{"", [p](double t) { return std::pair{-t + std::pow(t, p) / p, -1.0 + std::pow(t, p - 1.0)}; }};
      Line line(phi);
      const Outcome outcome("weak-wolfe", line, first_trial, kUnit, {.c2 = 0.97});
      EXPECT_EQ(outcome.kind, LineSearchOutcome::kAccepted);
      EXPECT_EQ(outcome.trials(), 2) << "p = " << p << " from " << first_trial;
      EXPECT_NEAR(outcome.accepted.step, 1.0, 1e-6) << "p = " << p << " from " << first_trial;
    }
}

// phi = -t + exp(b t)/b - 1/b, whose minimum is 0, behind a shift that makes it 1.
TEST(WeakWolfeSearch, FewTrialsBringAnExponentialBack) {
  for (const double b : {1.0, 3.0})
    for (const double first_trial : {100.0, 200.0}) {
      const Phi phi{"", [b](double t) {
                      return std::pair{-t + std::exp(b * (t - 1.0)) / b, -1.0 + std::exp(b * (t - 1.0))};
                    }};
      Line line(phi);
      const Outcome outcome("weak-wolfe", line, first_trial, kUnit, {.c2 = 0.97});
      EXPECT_EQ(outcome.kind, LineSearchOutcome::kAccepted);
      EXPECT_LE(outcome.trials(), 3) << "b = " << b << " from " << first_trial;
    }
}

// Away from a saddle, where phi gets steeper and steeper.
TEST(WeakWolfeSearch, FewTrialsLeaveASaddle) {
  const Phi phi{"", [](double t) {
                  return std::pair{-t * t / 2.0 - 1e-9 * t + t * t * t * t / 4.0, -t - 1e-9 + t * t * t};
                }};
  for (const auto& [first_trial, trials] : {std::pair{1e-3, 5}, {1e-6, 6}, {1e-8, 8}}) {
    Line line(phi);
    const Outcome outcome("weak-wolfe", line, first_trial, kUnit, {.c2 = 0.97});
    EXPECT_EQ(outcome.kind, LineSearchOutcome::kAccepted);
    EXPECT_LE(outcome.trials(), trials) << first_trial;
    EXPECT_NEAR(outcome.accepted.step, 1.0, 0.5) << first_trial;
  }
}

// A logarithmic barrier, and behind it nothing or a wall. A tenth of a trial behind the barrier meets c2 = 0.97, but is
// nowhere near it.
TEST(WeakWolfeSearch, TrialThatWasTooLongAsksForACloserLook) {
  for (const double behind : {kNaN, kInf, 1e20, 10.0}) {
    const Phi phi{
        "", [=](double t) {
          return t < 0.3 ? std::pair{-t - 0.02 * std::log(0.3 - t), -1.0 + 0.02 / (0.3 - t)} : std::pair{behind, 0.0};
        }};
    Line line(phi);
    const Outcome outcome("weak-wolfe", line, 1.0, kUnit, {.c2 = 0.97});
    ASSERT_EQ(outcome.kind, LineSearchOutcome::kAccepted) << behind;
    EXPECT_GE(outcome.accepted.slope, 0.8 * outcome.ray.slope0()) << behind;
    EXPECT_LE(outcome.trials(), 5) << behind;
    const Outcome short_enough("weak-wolfe", line, 0.1, kUnit, {.c2 = 0.97});
    EXPECT_EQ(short_enough.trials(), 1) << behind;
  }
}

// --- plateaus --------------------------------------------------------------------------------------------------------

const Phi kDecay{"", [](double t) { return std::pair{std::exp(-t), -std::exp(-t)}; }};

TEST(WeakWolfeSearch, GoesBackFromAPlateauToTheEndOfTheDescent) {
  Line line(kDecay);
  const Outcome outcome("weak-wolfe", line, 100.0, kUnit, {.c2 = 0.97});
  ASSERT_EQ(outcome.kind, LineSearchOutcome::kAccepted);
  EXPECT_NEAR(outcome.accepted.step, 2.0, 1e-12);  // 2 r step with r = 1/100
  EXPECT_EQ(outcome.trials(), 2);
}

TEST(WeakWolfeSearch, PlateausHaveNoUnit) {
  Line line(kDecay);
  const Outcome outcome("weak-wolfe", line, 100.0, kUnit, {.c2 = 0.97});
  for (const double scale : {0x1p-300, 0x1p+300})
    for (const double f_scale : {0x1p-300, 0x1p+300}) {
      Line other_line(kDecay, scale, f_scale);
      const Outcome other("weak-wolfe", other_line, 100.0, scale * kUnit, {.c2 = 0.97});
      EXPECT_EQ(other.accepted.step, outcome.accepted.step);
      EXPECT_EQ(other.trials(), outcome.trials());
    }
  const Phi shifted{"", [](double t) { return std::pair{8.0 + std::exp(-t), -std::exp(-t)}; }};
  Line shifted_line(shifted);
  EXPECT_NEAR(Outcome("weak-wolfe", shifted_line, 100.0, kUnit, {.c2 = 0.97}).accepted.step, 2.0, 1e-12);
}

// The minimizer of a parabola, a step far beyond it, one that is far too short, and the minimizer of a quartic.
TEST(WeakWolfeSearch, StepsThatEndOnNoPlateauTakeOneTrial) {
  const auto power = [](double p, double minimizer) {
    return Phi{"", [=](double t) {
                 const double r = 1.0 - t / minimizer;
                 return std::pair{std::pow(std::abs(r), p),
                                  -p * std::pow(std::abs(r), p - 1.0) * (r > 0.0 ? 1.0 : -1.0) / minimizer};
               }};
  };
  for (const auto& [phi, first_trial] :
       {std::pair{power(2.0, 1.0), 1.0}, {power(2.0, 1.0), 1.9}, {power(2.0, 20.0), 1.0}, {power(4.0, 1.0), 1.0}}) {
    Line line(phi);
    EXPECT_EQ(Outcome("weak-wolfe", line, first_trial, kUnit, {.c2 = 0.97}).trials(), 1) << first_trial;
  }
}

// A hump stands where the descent should end: the step onto the plateau is kept, at the cost of one trial.
TEST(WeakWolfeSearch, PlateauIsKeptWhereNoLowerPointIsBeforeIt) {
  const Phi phi{"", [](double t) {
                  const double hump = 3.0 * std::exp(-(t - 2.0) * (t - 2.0));
                  return std::pair{std::exp(-t) + hump, -std::exp(-t) - 2.0 * (t - 2.0) * hump};
                }};
  const Phi start_downhill{"", [&](double t) {
                             const auto [value, slope] = phi.evaluate(t);
                             return std::pair{value - 2.0 * t / (1.0 + t), slope - 2.0 / (1.0 + t) / (1.0 + t)};
                           }};
  Line line(start_downhill);
  const Outcome outcome("weak-wolfe", line, 100.0, kUnit, {.c2 = 0.97});
  ASSERT_EQ(outcome.kind, LineSearchOutcome::kAccepted);
  EXPECT_EQ(outcome.accepted.step, 100.0);
  EXPECT_EQ(outcome.trials(), 2);
}

TEST(ExactSearch, IsExactOnQuadratics) {
  test::Quadratic f(test::random_spd(2, 7.0, 3), test::random_vector(2, 4));
  const Vector direction{{0.3, -0.1}};
  Vector grad(2);
  f.value_and_gradient(Vector::Zero(2), grad);
  const Vector downhill = dot(grad, direction) < 0 ? direction : Vector(-direction);
  Outcome o("exact", f, 1.0, downhill);
  ASSERT_EQ(o.kind, LineSearchOutcome::kAccepted);
  EXPECT_LT(std::abs(dot(o.ray.grad(), downhill)), 1e-14 * norm(grad));
  EXPECT_EQ(o.trials(), 1);
  EXPECT_EQ(o.f.count().hessian_vector, 1);
}

TEST(Ray, KeepsTheBestTrialWhateverFollows) {
  const Phi phi = other_functions()[0];
  Line line(phi);
  CountedObjective f(line);
  State state;
  state.x = Vector::Zero(2);
  state.grad.resize(2);
  state.f = f.value_and_gradient(state.x, state.grad);
  Ray ray;
  ray.start(f, state, kUnit, -2.0, 1000);
  EXPECT_FALSE(ray.best().finite);
  ray.evaluate(0.5);
  const Trial best = ray.evaluate(0.9);
  for (const double step : {2.0, 3.0, 0.1}) ray.evaluate(step);
  EXPECT_EQ(ray.best().step, 0.9);
  const std::int64_t before = f.count().value;
  ray.accept(best);
  EXPECT_EQ(f.count().value, before) << "the best trial is kept";
  EXPECT_EQ(ray.x()(0), 0.9);
  ray.accept(Trial{.step = 2.0, .f = 1.0, .phi = 0.0, .slope = 2.0, .finite = true});
  EXPECT_EQ(f.count().value, before + 1) << "another one is evaluated again";
  EXPECT_EQ(ray.x()(0), 2.0);
  EXPECT_EQ(ray.f(), 1.0);
}

// f along the axis with a rise `error(t)` that its derivative does not know.
Phi with_error(std::function<double(double)> error) {
  return {"Error", [error](double t) { return std::pair{1.0 - 1e-9 * t + error(t), -1e-9}; }};
}

double round_off_after(const Phi& phi, std::initializer_list<double> steps, double f_scale = 1.0) {
  Line line(phi, 1.0, f_scale);
  CountedObjective f(line);
  State state;
  state.x = Vector::Zero(2);
  state.grad.resize(2);
  state.f = state.lowest_f = f.value_and_gradient(state.x, state.grad);
  Ray ray;
  ray.start(f, state, kUnit, state.grad[0], 1000);
  for (const double step : steps) ray.evaluate(step);
  return ray.round_off();
}

TEST(Ray, FindsNoiseInRisesThatDoNotShrinkWithTheStep) {
  const Phi noisy = with_error([](double t) { return t == 0.0 ? 0.0 : 3e-8; });
  EXPECT_NEAR(round_off_after(noisy, {1.0, 0.1}), 4.0 * 3e-8, 1e-9);
  EXPECT_NEAR(round_off_after(noisy, {0.1, 1.0}), 4.0 * 3e-8, 1e-9) << "in any order";
  for (const double scale : {0x1p-600, 0x1p600})
    EXPECT_EQ(round_off_after(noisy, {1.0, 0.1}, scale), round_off_after(noisy, {1.0, 0.1})) << "noise has no unit";
  EXPECT_EQ(round_off_after(noisy, {1.0, 0.3}), Evidence::kRoundOff) << "too near to tell";
  EXPECT_EQ(round_off_after(noisy, {1.0}), Evidence::kRoundOff) << "one trial shows nothing";
}

TEST(Ray, TakesNeitherCurvatureNorAWrongGradientForNoise) {
  const auto steps = {1.0, 0.5, 0.2, 0.1, 0.03, 1e-2, 1e-3};
  for (const int power : {1, 2, 3, 4})
    for (const double size : {1e-8, 1e-6, 1e-3, 1e3}) {
      const Phi rises = with_error([&](double t) { return size * std::pow(t, power); });
      EXPECT_EQ(round_off_after(rises, steps), Evidence::kRoundOff) << size << " t^" << power;
    }
  // Behind a cusp slopes point upward, and whatever the rule has missed says nothing about noise.
  const Phi cusp = {"Cusp", [](double t) { return t == 0.0 ? std::pair{1.0, -1e-9} : std::pair{1.0 + 3e-8, 0.5e-9}; }};
  EXPECT_EQ(round_off_after(cusp, steps), Evidence::kRoundOff);
  const Phi jump = with_error([](double t) { return t == 0.0 ? 0.0 : 1e-3; });
  EXPECT_EQ(round_off_after(jump, steps), Evidence::kRoundOff) << "a thousandth of f is no noise";
}

}  // namespace
}  // namespace loa
