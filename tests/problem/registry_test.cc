// Every listed name makes a problem, and a wrong name is answered with the right ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "loa/problem.h"

namespace loa {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Registry, EveryListedNameMakesAProblem) {
  std::set<std::string> names;
  for (const ProblemInfo& info : problems()) {
    SCOPED_TRACE(info.name);
    EXPECT_TRUE(names.insert(info.name).second) << "listed twice";
    EXPECT_FALSE(info.description.empty());
    EXPECT_EQ(info.description.find('\n'), std::string::npos);
    Problem problem;
    ASSERT_EQ(make_problem(info.name, problem).message(), "");
    EXPECT_EQ(problem.name, info.name);
    ASSERT_NE(problem.objective, nullptr);
    ASSERT_EQ(problem.start.size(), problem.objective->dimension());
    Vector grad(problem.start.size());
    EXPECT_TRUE(std::isfinite(problem.objective->value_and_gradient(problem.start, grad)));
    EXPECT_TRUE(grad.allFinite());
  }
  for (const char* name : {"quadratic", "logistic", "ridge", "rosenbrock", "chained-rosenbrock"}) {
    EXPECT_EQ(names.count(name), 1u) << name;
  }
  EXPECT_EQ(names.count("mgh:brown-badly-scaled"), 1u);
}

TEST(Registry, UnknownNames) {
  Problem problem;
  EXPECT_EQ(make_problem("quadratc:n=3", problem).message(),
            "quadratc:n=3: found the problem 'quadratc', expected one of quadratic, logistic, ridge, rosenbrock, "
            "chained-rosenbrock, mgh:NAME, synthetic:NAME, grid:NAME, chain:NAME, likelihood:NAME, regression:NAME, "
            "geometry:NAME, pinn:NAME, family:NAME, box:NAME, did you mean 'quadratic'?");
  const std::string far = make_problem("zzzzzz", problem).message();
  EXPECT_THAT(far, StartsWith("zzzzzz: found the problem 'zzzzzz', expected one of quadratic"));
  EXPECT_EQ(far.find("did you mean"), std::string::npos);
  EXPECT_THAT(make_problem("brown-badly-scaled", problem).message(),
              HasSubstr("did you mean 'mgh:brown-badly-scaled'?"));
  EXPECT_THAT(make_problem("", problem).message(), HasSubstr("found no name"));
  EXPECT_THAT(make_problem("mgh:no-such-function", problem).message(), HasSubstr("no-such-function"));
}

TEST(Registry, VariantsBelongToMghOnly) {
  Problem problem;
  EXPECT_EQ(make_problem("quadratic:100", problem).message(),
            "quadratic:100: found '100' after the colon, expected key=value");
}

TEST(Registry, FailureLeavesTheProblemAlone) {
  Problem problem;
  ASSERT_EQ(make_problem("ridge:n=3", problem).message(), "");
  ASSERT_NE(make_problem("ridge:n=3,typo=1", problem).message(), "");
  EXPECT_EQ(problem.name, "ridge:n=3");
  EXPECT_NE(problem.objective, nullptr);
}

}  // namespace
}  // namespace loa
