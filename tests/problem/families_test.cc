// The sequences of family:NAME.
//
// Would catch: a wrong slope, an adjoint with a missing boundary or source, a member that depends on the order in which
// members are asked for, a fold that keeps its rows, an l2 that does not fall, a window that does not slide, a start
// that is not moved on in time, an evaluation that allocates, a family that docs/problems.md does not list.
#include "problem/families.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <string>

#include "loa/check_gradient.h"
#include "loa/minimize.h"
#include "loa/problem.h"
#include "loa/random.h"
#include "paths.h"
#include "support/allocation_count.h"
#include "support/run_program.h"

namespace loa {
namespace {

using ::testing::HasSubstr;

const std::string kFamilyNames[] = {"logistic", "process", "control", "inverse"};

std::unique_ptr<Sequence> sequence_of(const std::string& spec) {
  std::unique_ptr<Sequence> sequence;
  EXPECT_EQ(make_sequence(spec, sequence).message(), "");
  return sequence;
}

Problem family_problem(const std::string& spec) {
  Problem problem;
  EXPECT_EQ(make_problem(spec, problem).message(), "");
  return problem;
}

Vector perturbed(const Vector& start, std::uint64_t seed) {
  Random random(seed);
  Vector x = start;
  for (double& entry : x) entry += 0.2 * random.normal();
  return x;
}

TEST(Families, GradientAgreesWithDifferences) {
  for (const std::string& name : kFamilyNames) {
    SCOPED_TRACE(name);
    for (const char* keys : {",member=0", ",member=7,seed=3"}) {
      const Problem problem = family_problem("family:" + name + keys);
      for (const std::uint64_t seed : {1u, 2u}) {
        const GradientCheck check = check_gradient(*problem.objective, perturbed(problem.start, seed), 1e-6);
        EXPECT_TRUE(check.ok) << check.message;
      }
    }
  }
  const Problem small = family_problem("family:inverse,n=16,seed=5");
  EXPECT_TRUE(check_gradient(*small.objective, perturbed(small.start, 4), 1e-6).ok);
}

TEST(Families, MembersAreProblemsByThemselves) {
  for (const std::string& name : kFamilyNames) {
    SCOPED_TRACE(name);
    const auto sequence = sequence_of("family:" + name + ",seed=2");
    const Index last = sequence->size() - 1;
    const Problem late = sequence->member(last), early = sequence->member(3);
    const Vector x = perturbed(early.start, 1);
    EXPECT_EQ(family_problem("family:" + name + ",seed=2,member=3").objective->value(x), early.objective->value(x));
    EXPECT_NE(late.objective->value(x), early.objective->value(x));
    EXPECT_NE(sequence_of("family:" + name + ",seed=3")->member(3).objective->value(x), early.objective->value(x));
    Problem none;
    EXPECT_THAT(make_problem("family:" + name + ",member=" + std::to_string(last + 1), none).message(),
                HasSubstr("member"));
    Vector grad(x.size());
    EXPECT_EQ(early.objective->value_and_gradient(x, grad), early.objective->value(x));
  }
}

// The minimizers of neighbours are nearer to each other than to the start.
TEST(Families, NeighboursAreRelated) {
  for (const std::string& name : kFamilyNames) {
    SCOPED_TRACE(name);
    const auto sequence = sequence_of("family:" + name + ",seed=1");
    double from_last = 0.0, from_start = 0.0;
    Vector before;
    for (Index k = 4; k < 9; ++k) {
      const Problem problem = sequence->member(k);
      const Summary summary = minimize(*problem.objective, problem.start, {.gtol = 1e-6, .max_evaluations = 1000});
      EXPECT_TRUE(summary.success()) << summary.message;
      EXPECT_GE(summary.evaluations.value, 10);
      if (k > 4) {
        from_last += (summary.x - before).norm();
        from_start += (summary.x - problem.start).norm();
      }
      before = sequence->next_start(summary.x);
    }
    EXPECT_LT(from_last, 0.8 * from_start);
  }
}

TEST(Families, LogisticHasFallingPenaltiesAndFolds) {
  const auto sequence = sequence_of("family:logistic,m=50,n=5");
  EXPECT_EQ(sequence->size(), 100);
  EXPECT_EQ(sequence->path(), 20);
  EXPECT_NEAR(sequence->member(0).strong_convexity.value(), 0.1, 1e-15);
  EXPECT_NEAR(sequence->member(19).strong_convexity.value(), 1e-5, 1e-18);
  EXPECT_NEAR(sequence->member(20).strong_convexity.value(), 0.1, 1e-15);
  // Each row is left out of one fold, so that the losses of the folds add up to four times the loss on all rows: the
  // same number for another division of the same rows.
  const TemporaryFolder folder;
  std::ofstream(folder / "rows") << "1 1:0.5 2:1\n-1 2:2\n1 1:-1\n-1 1:0.25 2:0.5\n1 2:3\n1 1:4\n-1 1:1 2:1\n";
  const Vector x{{0.7, -0.3}};
  double sums[2] = {};
  for (int seed = 0; seed < 2; ++seed) {
    const auto folds = sequence_of("family:logistic,data=" + (folder / "rows") + ",seed=" + std::to_string(seed));
    // Seven rows: the folds 0 and 1 lack two of them, the others one.
    for (Index fold = 0; fold < 5; ++fold)
      sums[seed] += (fold < 2 ? 5.0 : 6.0) * (folds->member(20 * fold).objective->value(x) - 0.05 * x.squaredNorm());
  }
  double all = 0.0;
  for (const double z : {0.05, 0.6, -0.7, -0.025, -0.9, 2.8, -0.4}) all += std::log1p(std::exp(-z));
  EXPECT_NEAR(sums[0], 4.0 * all, 1e-12);
  EXPECT_NEAR(sums[1], 4.0 * all, 1e-12);
}

TEST(Families, ControlMovesTheLastSolutionOn) {
  const auto sequence = sequence_of("family:control,n=3");
  EXPECT_TRUE(sequence->moves());
  EXPECT_EQ(sequence->next_start(Vector{{1.0, 2.0, 3.0}}), (Vector{{2.0, 3.0, 3.0}}));
  EXPECT_FALSE(sequence_of("family:inverse,n=16")->moves());
}

// Far out K has no Cholesky factor, and e^z overflows: outside the domain, and no NaN as a value.
TEST(Families, FarPointsAreOutsideTheDomain) {
  for (const char* spec : {"family:process", "family:inverse"}) {
    const Problem problem = family_problem(spec);
    const Vector far = Vector::Constant(problem.start.size(), 1000.0);
    EXPECT_EQ(problem.objective->value(far), std::numeric_limits<double>::infinity()) << spec;
  }
}

TEST(Families, EvaluationAllocatesNothing) {
  if (!can_count_allocations()) GTEST_SKIP() << "allocations cannot be counted here";
  for (const std::string& name : kFamilyNames) {
    const Problem problem = family_problem("family:" + name);
    Vector grad(problem.start.size());
    const Vector x = problem.start;
    problem.objective->value_and_gradient(x, grad);
    const std::int64_t before = allocation_count();
    problem.objective->value_and_gradient(x, grad);
    problem.objective->value(x);
    EXPECT_EQ(allocation_count(), before) << name;
  }
}

TEST(Families, MistakesAreNamed) {
  Problem problem;
  EXPECT_THAT(make_problem("family:logistics", problem).message(), HasSubstr("expected one of logistic, process"));
  EXPECT_EQ(make_problem("family:inverse,n=17", problem).message(),
            "family:inverse,n=17: found n=17, expected a square");
  EXPECT_THAT(make_problem("family:process,m=3", problem).message(), HasSubstr("'m'"));
  EXPECT_THAT(make_problem("family:logistic,data=/nowhere", problem).message(), HasSubstr("/nowhere"));
  std::unique_ptr<Sequence> sequence;
  EXPECT_THAT(make_sequence("pinn:poisson", sequence).message(), HasSubstr("expected family:NAME"));
  EXPECT_THAT(make_sequence("family:control,member=3", sequence).message(), HasSubstr("'member'"));
}

TEST(Families, EveryFamilyIsDocumented) {
  std::ifstream file(std::string(LOA_SOURCE_DIR) + "/docs/problems.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  for (const std::string& name : kFamilyNames) EXPECT_THAT(page, HasSubstr("| `family:" + name + "` |"));
}

}  // namespace
}  // namespace loa
