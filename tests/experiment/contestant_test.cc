#include "experiment/contestant.h"

#include <gtest/gtest.h>

#include <cmath>

#include "loa/minimize.h"

namespace loa {
namespace {

Contestant parsed(const std::string& text) {
  Contestant contestant;
  EXPECT_EQ(parse_contestant(text, {}, contestant).message(), "");
  return contestant;
}

TEST(Contestant, TakesItsSettingsFromTheText) {
  const Contestant c = parsed("loa-bfgs:weights=loa-bfgs-paper,line-search=fixed,safeguard=off,label=learned");
  EXPECT_EQ(c.algorithm, "loa-bfgs");
  EXPECT_EQ(c.label, "learned");
  EXPECT_EQ(c.weights, "loa-bfgs-paper");
  EXPECT_EQ(c.line_search, "fixed");
  EXPECT_EQ(c.safeguard, Safeguard::kOff);
  EXPECT_TRUE(c.learned);
  EXPECT_EQ(parsed("bfgs").label, "bfgs");
  EXPECT_EQ(parsed("l-bfgs").hyper_parameters.memory, 10);
  EXPECT_EQ(parsed("l-bfgs:memory=25").hyper_parameters.memory, 25);
}

TEST(Contestant, NamesMayHaveCapitalLetters) {
  const Contestant c = parsed("LOA-BFGS:line-search=Fixed");
  EXPECT_EQ(c.algorithm, "loa-bfgs");
  EXPECT_EQ(c.label, "loa-bfgs:line-search=Fixed");
  EXPECT_EQ(c.line_search, "fixed");
  EXPECT_TRUE(c.learned);
  EXPECT_EQ(parsed("L-BFGS").label, "l-bfgs") << "so that it has its colour";
  EXPECT_EQ(parsed("bfgs:label=Mine").label, "Mine");
}

TEST(Contestant, DefaultsAreForWhatIsNotSaid) {
  const ContestantDefaults defaults{"loa-bfgs-paper", "paper", false};
  Contestant c;
  ASSERT_EQ(parse_contestant("loa-bfgs:line-search=fixed", defaults, c).message(), "");
  EXPECT_EQ(c.weights, "loa-bfgs-paper");
  EXPECT_EQ(c.line_search, "fixed");
  EXPECT_EQ(c.safeguard, Safeguard::kOff);
  ASSERT_EQ(parse_contestant("bfgs:safeguard=on", defaults, c).message(), "");
  EXPECT_EQ(c.weights, "") << "bfgs takes none";
  EXPECT_EQ(c.line_search, "paper");
  EXPECT_EQ(c.safeguard, Safeguard::kOn);
}

// On a quadratic with L = 100 and mu = 1 the tuned heavy ball has the momentum (9/11)^2 and the step 4/121.
TEST(Contestant, StepsFromTheConstantsOfTheProblem) {
  Problem problem;
  ASSERT_EQ(make_problem("quadratic:n=10,low=1,high=10", problem).message(), "");
  ASSERT_NEAR(*problem.lipschitz, 100.0, 1e-12);
  ASSERT_NEAR(*problem.strong_convexity, 1.0, 1e-12);
  const auto one_step = [&](const std::string& text) {
    Algorithm algorithm;
    EXPECT_EQ(make_for_problem(parsed(text), problem, algorithm).message(), "");
    Options options;
    options.line_search = parsed(text).line_search;
    options.first_step = 1e-3;
    options.max_iterations = 1;
    options.gtol = 0.0;
    return minimize(*problem.objective, problem.start, algorithm, options).state;
  };
  EXPECT_EQ(parsed("gradient-descent:step=1/L").line_search, "fixed");
  const State plain = one_step("gradient-descent:step=1/L");
  EXPECT_LT((plain.x - (plain.x_prev - 0.01 * plain.grad_prev)).norm(), 1e-14 * plain.x.norm());
  const State heavy = one_step("heavy-ball:step=tuned");
  const Vector before = problem.start;
  const double momentum = 81.0 / 121.0;
  EXPECT_LT((heavy.x - (heavy.x_prev + momentum * (heavy.x_prev - before) - 4.0 / 121.0 * heavy.grad_prev)).norm(),
            1e-13 * heavy.x.norm());
}

TEST(Contestant, SaysWhatAProblemLacks) {
  Problem problem;
  ASSERT_EQ(make_problem("rosenbrock", problem).message(), "");
  Algorithm algorithm;
  EXPECT_NE(make_for_problem(parsed("heavy-ball:step=tuned"), problem, algorithm).message().find("L and mu"),
            std::string::npos);
}

TEST(Contestant, MistakesAreRefused) {
  Contestant contestant;
  for (const char* text : {"", "bfg", "bfgs:weights=loa-bfgs", "bfgs:lines=fixed", "bfgs:line-search=fix",
                           "bfgs:step=-1", "bfgs:step=fast", "heavy-ball:momentum=tuned", "heavy-ball:momentum=2",
                           "bfgs:safeguard=maybe", "l-bfgs:memory=0", "l-bfgs:memory=1001", "l-bfgs:memory=2.5",
                           "bfgs:fixed", "loa-bfgs:weights=none", "bfgs:step=nan"})
    EXPECT_NE(parse_contestant(text, {}, contestant).message(), "") << text;
}

}  // namespace
}  // namespace loa
