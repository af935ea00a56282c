// The More-Garbow-Hillstrom problems against separately computed numbers, differences and known minima.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "problem/problem_checks.h"
#include "problem/spec.h"

namespace loa {
namespace {

const Reference kReferences[] = {
    {"mgh:helical-valley", 2500.0, 2677.3579028697968, -3114.215861672769, -5611.5612862061555},
    {"mgh:biggs-exp6", 0.77907007565597045, 0.62992053475174953, -1.9580173097841189, 11.183360884458959},
    {"mgh:biggs-exp6,m=6", 0.59869661425571296, 0.54627593686435165, -2.4374242206259148, 9.5759145391629716},
    {"mgh:gaussian", 3.8881069911666615e-6, 0.030780404043864219, 0.67899944941279326, 9.8401205397709291},
    {"mgh:powell-badly-scaled", 1.1352617173483784, 244365.51891988689, 12911646.73005581, 378491486.48181916},
    {"mgh:box-3d", 1031.1538106093983, 816.27801443235103, 174.29591840241343, -72.336250627424721},
    {"mgh:box-3d,m=3", 431.72276776888775, 342.60837996655482, 41.400513175926906, -2.3956370294719004},
    {"mgh:variably-dimensioned", 2198551.1625, 2472101.3870410235, -7945872.3483557177, 19156871.700768018},
    {"mgh:variably-dimensioned,n=3", 497.60493827160494, 643.96341721755419, -3078.4136080857985, 11116.485338554397},
    {"mgh:watson", 30.0, 35.018432301744581, -100.58066293186343, 762.39423102194578},
    {"mgh:watson,n=9", 30.0, 37.263113879413124, -374.12078752646808, 5536.1666428562924},
    {"mgh:watson,n=2", 30.0, 32.630445066060007, -80.18376397744515, 648.42767642365397},
    {"mgh:penalty-1", 885.06264, 613.40823098298898, 481.00446860763758, 610.88321343040289},
    {"mgh:penalty-1,n=10", 148032.56535, 132180.7702316499, 45735.661370110533, 20873.789467629175},
    {"mgh:penalty-2", 2.3400088054630245, 1.9235628395633936, 29.375427787877886, 304.53835848758611},
    {"mgh:penalty-2,n=10", 162.65277656596712, 160.22484221978425, 975.82651782514885, 5745.1250829154404},
    {"mgh:penalty-2,n=1", 0.6525, 0.5839511740342839, -1.0428799734091005, 3.6915211944653623},
    {"mgh:brown-badly-scaled", 9.99998000003e+11, 9.9999778388211449e+11, -2682941.9071537721, 15.712881242394765},
    {"mgh:brown-and-dennis", 7926693.3369974324, 9366621.2660710811, 4409759.5683935733, 2036922.4746642501},
    {"mgh:brown-and-dennis,m=4", 2003904.7601831999, 2458653.9475499459, 658030.91982660465, 147819.86944567469},
    {"mgh:gulf", 12.110705825569488, 17.39319546308239, -22.547852765643474, -14.205586023448942},
    {"mgh:gulf,m=3", 1.3597103658279369, 1.8471960861804079, -1.9243359640980266, -2.5440347192632729},
    {"mgh:trigonometric", 7.0757594662222023e-3, 0.021922802988642038, 0.10013466307269765, 11.116509129635762},
    {"mgh:trigonometric,n=5", 0.011657378990471843, 0.022609833196814014, 0.15758650862193909, -0.70565250526794275},
    {"mgh:extended-rosenbrock", 121.0, 290.65479169168542, -1215.9771093025005, 9428.7359317872734},
    {"mgh:extended-rosenbrock,n=2", 24.2, 10.685498655394931, -222.8714127287263, 3900.1249530133211},
    {"mgh:extended-powell-singular", 645.0, 743.65397498811613, -80.76625665625766, 4569.4474281076963},
    {"mgh:extended-powell-singular,n=4", 215.0, 366.65586055486944, 582.20575165517237, 2172.9755521558784},
    {"mgh:beale", 14.203125, 11.900422499926975, 32.276558014726163, 204.83145209679375},
    {"mgh:wood", 19192.0, 22446.617141708896, -25138.050638671473, 27050.859315115432},
    {"mgh:chebyquad", 0.038617698285930232, 0.54735960762062786, -2.5988426090588774, -43.474675948525037},
    {"mgh:chebyquad,n=7", 0.033770638463718821, 0.67452752829906144, 32.39233847283471, 2976.597798804688},
    {"mgh:chebyquad,n=5,m=9", 0.11559173832050425, 0.8965209920591959, -1.7552826770368258, -175.11184255073059},
};

class MghProblem : public testing::TestWithParam<Reference> {
 protected:
  void SetUp() override { ASSERT_EQ(make(GetParam().spec, make_mgh, problem_), ""); }
  Problem problem_;
};

TEST_P(MghProblem, AgreesWithReference) { check_reference(GetParam(), problem_); }
TEST_P(MghProblem, DerivativesAgreeWithDifferences) { check_derivatives(problem_); }
TEST_P(MghProblem, IsRepeatable) { check_repeatable(problem_); }

INSTANTIATE_TEST_SUITE_P(All, MghProblem, testing::ValuesIn(kReferences), test_name);

TEST(Mgh, ListsEveryVariantOnce) {
  std::set<std::string> names, tested;
  for (const ProblemInfo& info : mgh_problems()) {
    names.insert(info.name);
    EXPECT_FALSE(info.description.empty()) << info.name;
  }
  for (const Reference& reference : kReferences) {
    const std::string spec = reference.spec;
    tested.insert(spec.substr(0, spec.find(',')));
  }
  EXPECT_EQ(mgh_problems().size(), 18u);
  EXPECT_EQ(names, tested);
}

// Where the minimizer is known in closed form, f and the gradient are zero up to the rounding of the residuals.
TEST(Mgh, VanishesAtKnownMinimizers) {
  const std::vector<std::pair<std::string, Vector>> minimizers = {
      {"mgh:helical-valley", Vector{{1.0, 0.0, 0.0}}},
      {"mgh:biggs-exp6", Vector{{1.0, 10.0, 1.0, 5.0, 4.0, 3.0}}},
      {"mgh:box-3d", Vector{{1.0, 10.0, 1.0}}},
      {"mgh:box-3d", Vector{{10.0, 1.0, -1.0}}},
      {"mgh:box-3d", Vector{{2.0, 2.0, 0.0}}},
      {"mgh:variably-dimensioned", Vector::Ones(10)},
      {"mgh:brown-badly-scaled", Vector{{1e6, 2e-6}}},
      {"mgh:gulf", Vector{{50.0, 25.0, 1.5}}},
      {"mgh:gulf,m=100", Vector{{50.0, 25.0, 1.5}}},
      {"mgh:trigonometric", Vector::Zero(10)},
      {"mgh:extended-rosenbrock", Vector::Ones(10)},
      {"mgh:extended-powell-singular", Vector::Zero(12)},
      {"mgh:beale", Vector{{3.0, 0.5}}},
      {"mgh:wood", Vector::Ones(4)},
      {"mgh:chebyquad,n=1", Vector{{0.5}}},
      {"mgh:chebyquad,n=2", Vector{{0.5 - std::sqrt(1.0 / 12.0), 0.5 + std::sqrt(1.0 / 12.0)}}},
  };
  for (const auto& [spec, x] : minimizers) {
    Problem problem;
    ASSERT_EQ(make(spec, make_mgh, problem), "");
    Vector grad(x.size());
    EXPECT_EQ(problem.minimum, 0.0) << spec;
    EXPECT_LE(problem.objective->value_and_gradient(x, grad), 1e-28) << spec;
    EXPECT_LE(grad.norm(), 1e-12) << spec;
  }
}

// A descent method ends at one of the listed values. 1e-9 is what rounding leaves of watson,n=12, where f = 5e-10.
TEST(Mgh, DescentEndsAtListedMinimum) {
  for (const char* spec :
       {"mgh:gaussian", "mgh:penalty-1", "mgh:penalty-1,n=10", "mgh:penalty-2", "mgh:penalty-2,n=10",
        "mgh:brown-and-dennis", "mgh:watson", "mgh:watson,n=9", "mgh:watson,n=12", "mgh:trigonometric", "mgh:chebyquad",
        "mgh:chebyquad,n=6", "mgh:chebyquad,n=10", "mgh:helical-valley", "mgh:wood", "mgh:beale", "mgh:gulf"}) {
    Problem problem;
    ASSERT_EQ(make(spec, make_mgh, problem), "");
    ASSERT_TRUE(problem.minimum.has_value()) << spec;
    const double end = descend(*problem.objective, problem.start);
    double miss = end < 1e-20 ? std::abs(*problem.minimum) : std::abs(end / *problem.minimum - 1.0);
    for (const double other : problem.local_minima) miss = std::min(miss, std::abs(end / other - 1.0));
    EXPECT_LE(miss, 1e-9) << spec << " ended at " << end;
  }
}

// Not from the standard start, from which the plain method here takes thousands of tiny steps.
TEST(Mgh, PowellBadlyScaledHasTwoMinima) {
  Problem problem;
  ASSERT_EQ(make("mgh:powell-badly-scaled", make_mgh, problem), "");
  EXPECT_LE(descend(*problem.objective, Vector{{1.1e-5, 9.1}}), 1e-24);
  const double other = problem.local_minima.back();
  EXPECT_NEAR(descend(*problem.objective, Vector{{-0.01, -0.01}}), other, 1e-13 * other);
}

TEST(Mgh, HelicalValleyIsSmoothAcrossTheAxis) {
  Problem problem;
  ASSERT_EQ(make("mgh:helical-valley", make_mgh, problem), "");
  check_gradient_at(*problem.objective, Vector{{0.0, 2.0, 1.0}});
  check_gradient_at(*problem.objective, Vector{{-1.0, -2.0, 1.0}});
  check_gradient_at(*problem.objective, Vector{{1.0, -2.0, 1.0}});
  Vector grad(3);
  // theta = -1/4 on the cut: 100 (0 + 2.5)^2 + 100 (2 - 1)^2. Just left of it theta = 3/4: 100 (0 - 7.5)^2 + 100.
  EXPECT_DOUBLE_EQ(problem.objective->value_and_gradient(Vector{{0.0, -2.0, 0.0}}, grad), 725.0);
  EXPECT_TRUE(grad.allFinite());
  EXPECT_DOUBLE_EQ(problem.objective->value(Vector{{-1e-30, -2.0, 0.0}}), 5725.0);
}

TEST(Mgh, StartIsScaled) {
  Problem problem;
  ASSERT_EQ(make("mgh:wood,start=10", make_mgh, problem), "");
  EXPECT_TRUE(problem.start == (Vector{{-30.0, -10.0, -30.0, -10.0}}));
  ASSERT_EQ(make("mgh:watson,start=10", make_mgh, problem), "");
  EXPECT_TRUE(problem.start == Vector::Constant(6, 10.0));
}

TEST(Mgh, RefusesWhatThePaperDoesNotAllow) {
  for (const char* spec :
       {"mgh:watson,n=1", "mgh:watson,n=32", "mgh:extended-rosenbrock,n=7", "mgh:extended-powell-singular,n=6",
        "mgh:chebyquad,n=8,m=7", "mgh:gulf,m=101", "mgh:gulf,m=2", "mgh:biggs-exp6,m=5", "mgh:box-3d,m=2",
        "mgh:brown-and-dennis,m=3", "mgh:wood,n=8", "mgh:gaussian,m=15", "mgh:penalty-1,m=5", "mgh:wood,start=big",
        "mgh:chebyquad,n=100,start=1000"}) {
    Problem problem;
    EXPECT_NE(make(spec, make_mgh, problem), "") << spec;
  }
}

TEST(Mgh, NamesTheVariantsWhenOneIsUnknown) {
  for (const std::string variant : {"rosenbrok", ""}) {
    Problem problem;
    const std::string error = make(variant.empty() ? "mgh" : "mgh:" + variant, make_mgh, problem);
    EXPECT_NE(error.find("'" + variant + "'"), std::string::npos) << error;
    EXPECT_NE(error.find("extended-rosenbrock"), std::string::npos) << error;
  }
  Problem problem;
  const std::string error = make("mgh:two\nlines", make_mgh, problem);
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
}

}  // namespace
}  // namespace loa
