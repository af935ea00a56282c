// Would catch: a wrong term in the Taylor mode or in its backward pass, a residual that is not that of the equation, a
// mean that counts the points which only fill a block, sums whose order depends on threads or instructions, a reference
// solution that solves another equation, a key that is ignored.
#include "problem/pinn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "base/instruction_set.h"
#include "loa/minimize.h"
#include "loa/problem.h"
#include "loa/threads.h"
#include "problem/derivative_checks.h"
#include "problem/pinn_kernels.h"
#include "support/allocation_count.h"

namespace loa {
namespace {

using ::testing::HasSubstr;

constexpr double kPi = std::numbers::pi;

Problem make_network(const std::string& spec) {
  Problem problem;
  EXPECT_EQ(make_problem(spec, problem).message(), "");
  return problem;
}

std::vector<std::string> names() {
  std::vector<std::string> list;
  for (const PinnEquation& equation : pinn_equations()) list.push_back(equation.name);
  return list;
}

// Weights and biases that are far from 0, so that no term is small.
Vector some_weights(const Problem& problem) {
  Vector x = problem.start;
  x += 0.3 * random_vector(x.size(), 5);
  return x;
}

class Networks : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Equations, Networks, testing::ValuesIn(names()), [](const auto& param) {
  std::string name = param.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(Networks, GradientAgreesWithDifferences) {
  for (const char* keys : {",layers=1,width=3,points=24", ",layers=2,width=7,points=100,seed=2", ",layers=3,width=5"}) {
    SCOPED_TRACE(keys);
    Problem problem = make_network("pinn:" + GetParam() + keys);
    expect_gradient(*problem.objective, problem.start, 1e-7);
    expect_gradient(*problem.objective, some_weights(problem), 1e-7);
  }
}

// The network itself, as one reads it in a book.
double plain_network(const PinnNetwork& network, const Vector& x, double at_x, double at_y) {
  Vector a(2);
  a << at_x, at_y;
  for (Index l = 0; l <= network.layers; ++l) {
    const Index in = network.num_inputs(l), out = network.num_outputs(l);
    const Eigen::Map<const Matrix> weights(x.data() + network.offset(l), in, out);
    const Vector z = weights.transpose() * a + x.segment(network.offset(l) + in * out, out);
    a = l < network.layers ? Vector(z.array().tanh()) : z;
  }
  return a[0];
}

TEST_P(Networks, DerivativesAgreeWithDifferences) {
  const Problem problem = make_network("pinn:" + GetParam() + ",layers=3,width=6,points=24");
  const auto& f = dynamic_cast<const PinnObjective&>(*problem.objective);
  const Vector weights = some_weights(problem);
  const auto u = [&](double x, double y) { return plain_network(f.network(), weights, x, y); };
  constexpr double kStep = 1e-3;  // of fourth order: the errors are 1e-12 and, of second derivatives, 1e-9
  const auto first = [&](double x, double y, double dx, double dy) {
    const auto at = [&](double k) { return u(x + k * kStep * dx, y + k * kStep * dy); };
    return (8.0 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12.0 * kStep);
  };
  const auto second = [&](double x, double y, double dx, double dy) {
    const auto at = [&](double k) { return u(x + k * kStep * dx, y + k * kStep * dy); };
    return (16.0 * (at(1) + at(-1)) - (at(2) + at(-2)) - 30.0 * at(0)) / (12.0 * kStep * kStep);
  };
  for (const auto& [x, y] : {std::pair(0.3, 0.7), std::pair(-0.8, 0.1), std::pair(0.0, 0.0)}) {
    const PinnJet jet = f.jet(weights, x, y);
    EXPECT_NEAR(jet.u, u(x, y), 1e-14);
    EXPECT_NEAR(jet.x, first(x, y, 1, 0), 1e-10);
    EXPECT_NEAR(jet.y, first(x, y, 0, 1), 1e-10);
    EXPECT_NEAR(jet.d, second(x, y, 1, 0) + f.equation().kappa * second(x, y, 0, 1), 1e-7);
  }
}

TEST_P(Networks, SlopesOfTheResidualAgreeWithDifferences) {
  const PinnEquation& equation = *find_pinn_equation(GetParam());
  constexpr double kStep = 1e-5;
  const PinnJet jet{.u = 0.3, .x = -1.2, .y = 0.7, .d = 2.5};
  const PinnJet slope = equation.residual(jet, 0.4).slope;
  for (double PinnJet::*part : {&PinnJet::u, &PinnJet::x, &PinnJet::y, &PinnJet::d}) {
    PinnJet up = jet, down = jet;
    up.*part += kStep;
    down.*part -= kStep;
    EXPECT_NEAR(slope.*part, (equation.residual(up, 0.4).r - equation.residual(down, 0.4).r) / (2.0 * kStep), 1e-8);
  }
}

TEST_P(Networks, SameBitsForAllThreadsAndCalls) {
  Problem problem = make_network("pinn:" + GetParam() + ",width=9,points=1000");
  const Vector x = some_weights(problem);
  Vector grad(x.size()), again(x.size());
  set_num_threads(1);
  const double value = problem.objective->value_and_gradient(x, grad);
  for (const int threads : {2, 5}) {
    set_num_threads(threads);
    problem.objective->value_and_gradient(problem.start, again);
    EXPECT_EQ(problem.objective->value_and_gradient(x, again), value);
    EXPECT_EQ(problem.objective->value(x), value);
    EXPECT_TRUE(grad == again);
  }
  set_num_threads(0);
}

TEST_P(Networks, AllocatesNothing) {
  if (!can_count_allocations()) GTEST_SKIP();
  Problem problem = make_network("pinn:" + GetParam() + ",width=5,points=100");
  Vector grad(problem.start.size());
  set_num_threads(1);
  problem.objective->value_and_gradient(problem.start, grad);
  const std::int64_t before = allocation_count();
  problem.objective->value_and_gradient(problem.start, grad);
  problem.objective->value(problem.start);
  EXPECT_EQ(allocation_count(), before);
  set_num_threads(0);
}

TEST_P(Networks, SeedsDrawWeightsAndPoints) {
  Problem first = make_network("pinn:" + GetParam() + ",points=60"),
          second = make_network("pinn:" + GetParam() + ",points=60,seed=1");
  EXPECT_FALSE(first.start == second.start);
  EXPECT_NE(first.objective->value(first.start), second.objective->value(first.start));
  const Problem again = make_network("pinn:" + GetParam() + ",points=60");
  EXPECT_TRUE(first.start == again.start);
  EXPECT_EQ(first.objective->value(first.start), again.objective->value(first.start));
}

// Without weights u = 0, whose error is that of nothing.
TEST_P(Networks, ErrorOfNothingIsOne) {
  const Problem problem = make_network("pinn:" + GetParam());
  EXPECT_NEAR(pinn_error(*problem.objective, Vector::Zero(problem.start.size())), 1.0, 1e-14);
  EXPECT_THROW(pinn_error(*problem.objective, Vector::Zero(3)), std::invalid_argument);
}

// A network u = b has only its last bias. Of Burgers' equation it has no residual, and of Allen and Cahn's -5 b (1 -
// b^2); on the boundary f is w times the mean of (b - g)^2. Points that fill a block up must not count: 50 = 32 + 18
// inside.
TEST(Network, LossIsMeans) {
  const auto bent = [](const std::string& name) {  // f(2) - 2 f(0) + f(-2)
    Problem problem = make_network("pinn:" + name + ",points=60,weight=3");
    Vector x = Vector::Zero(problem.start.size());
    double sum = 0.0;
    for (const double b : {2.0, -2.0, 0.0}) {
      x[x.size() - 1] = b;
      sum += (b == 0.0 ? -2.0 : 1.0) * problem.objective->value(x);
    }
    return sum;
  };
  EXPECT_NEAR(bent("burgers"), 3.0 * 8.0, 1e-12);
  EXPECT_NEAR(bent("allen-cahn"), 2.0 * 900.0 + 3.0 * 8.0, 1e-10);
}

TEST(Network, HasTheStatedSizes) {
  EXPECT_EQ(make_network("pinn:burgers").start.size(), 921);
  EXPECT_EQ(make_network("pinn:burgers,width=30").start.size(), 1981);
  EXPECT_EQ(make_network("pinn:burgers,width=49").start.size(), 5097);
  EXPECT_EQ(make_network("pinn:burgers,layers=1,width=1").start.size(), 5);
}

TEST(Network, MistakesAreNamed) {
  Problem problem;
  EXPECT_EQ(make_problem("pinn:burger", problem).message(),
            "pinn:burger: found the variant 'burger', expected one of helmholtz, burgers, poisson, allen-cahn, did "
            "you mean 'burgers'?");
  EXPECT_THAT(make_problem("pinn", problem).message(), HasSubstr("found the variant ''"));
  for (const char* key : {"layers=0", "width=0", "width=501", "points=23", "weight=-1", "seed=-1", "n=3", "units=4"})
    EXPECT_THAT(make_problem(std::string("pinn:burgers,") + key, problem).message(),
                HasSubstr(std::string(key).substr(0, std::string(key).find('='))));
  EXPECT_THAT(make_problem("burgers", problem).message(), HasSubstr("did you mean 'pinn:burgers'?"));
  ASSERT_EQ(make_problem("rosenbrock", problem).message(), "");
  EXPECT_THROW(pinn_error(*problem.objective, problem.start), std::invalid_argument);
}

// --- the equations

TEST(Network, SolutionsHaveNoResidual) {
  const double x = 0.37, y = -0.21;
  const double sine = std::sin(kPi * x), cosine = std::cos(kPi * x);
  const PinnEquation &helmholtz = *find_pinn_equation("helmholtz"), &poisson = *find_pinn_equation("poisson");
  const double wave = sine * std::sin(4.0 * kPi * y), slow = sine * std::sin(kPi * y);
  EXPECT_NEAR(helmholtz
                  .residual({wave, kPi * cosine * std::sin(4.0 * kPi * y), 0.0, -17.0 * kPi * kPi * wave},
                            helmholtz.source(x, y))
                  .r,
              0.0, 1e-12);
  EXPECT_NEAR(poisson.residual({slow, 0.0, 0.0, -2.0 * kPi * kPi * slow}, poisson.source(x, y)).r, 0.0, 1e-13);
  // tanh(c x) with 2 c^2 1e-4 = 5 is a front of Allen and Cahn that stands still.
  const double c = std::sqrt(2.5e4), u = std::tanh(c * 0.004), slope = c * (1.0 - u * u);
  EXPECT_NEAR(find_pinn_equation("allen-cahn")->residual({u, slope, 0.0, -2.0 * c * u * slope}, 0.0).r, 0.0, 1e-12);
  // x / (t + 1) solves Burgers' equation for every viscosity.
  EXPECT_NEAR(find_pinn_equation("burgers")->residual({0.4 / 1.5, 1.0 / 1.5, -0.4 / 2.25, 0.0}, 0.0).r, 0.0, 1e-15);
}

TEST(Network, ColeAndHopfSolveBurgersEquation) {
  constexpr double kStep = 1e-3;
  const PinnEquation& equation = *find_pinn_equation("burgers");
  for (const double x : {-0.8, -0.3, 0.05, 0.5})
    for (const double t : {0.1, 0.4, 0.9}) {
      const auto at = [&](double k, double l) { return burgers_solution(x + k * kStep, t + l * kStep); };
      const double u = at(0, 0), u_x = (8.0 * (at(1, 0) - at(-1, 0)) - (at(2, 0) - at(-2, 0))) / (12.0 * kStep),
                   u_t = (8.0 * (at(0, 1) - at(0, -1)) - (at(0, 2) - at(0, -2))) / (12.0 * kStep),
                   u_xx = (at(1, 0) - 2.0 * u + at(-1, 0)) / (kStep * kStep);
      EXPECT_NEAR(equation.residual({u, u_x, u_t, u_xx}, 0.0).r, 0.0, 1e-4) << x << ' ' << t;
    }
  // The steepest slope at x = 0 and when, as Basdevant et al. (1986) print them.
  const auto slope = [](double t) {
    constexpr double kSmall = 1e-4;
    return (8.0 * burgers_solution(kSmall, t) - burgers_solution(2.0 * kSmall, t)) / (6.0 * kSmall);
  };
  const double when = 1.6037 / kPi;
  EXPECT_NEAR(slope(when), -152.00516, 1e-3);
  EXPECT_LT(slope(when), slope(when - 0.02));
  EXPECT_LT(slope(when), slope(when + 0.02));
}

TEST(Network, DifferencesSolveAllenAndCahnsEquation) {
  const Matrix coarse = allen_cahn_differences(500), middle = allen_cahn_differences(1000),
               fine = allen_cahn_differences(2000);
  const double first = (middle - coarse).norm(), second = (fine - middle).norm();
  EXPECT_NEAR(first / second, 4.0, 0.1);
  const Matrix& u = find_pinn_equation("allen-cahn")->solution();
  EXPECT_LT((u - fine).norm(), 1e-4 * u.norm());
  EXPECT_TRUE(u == u.colwise().reverse()) << "even in x";
  for (Index j = 0; j < kPinnGrid; ++j) EXPECT_NEAR(u(0, j), -1.0, 1e-14);
  EXPECT_LE(u.cwiseAbs().maxCoeff(), 1.0 + 1e-9);
  // The equation by differences on the grid itself, away from the fronts: steps of 0.02 and 0.01.
  const PinnEquation& equation = *find_pinn_equation("allen-cahn");
  for (const Index i : {Index{10}, Index{40}, Index{60}})
    for (const Index j : {Index{10}, Index{30}}) {
      const double u_t = (8.0 * (u(i, j + 1) - u(i, j - 1)) - (u(i, j + 2) - u(i, j - 2))) / 0.12,
                   u_xx = (u(i + 1, j) - 2.0 * u(i, j) + u(i - 1, j)) / 4e-4;
      EXPECT_NEAR(equation.residual({u(i, j), 0.0, u_t, u_xx}, 0.0).r, 0.0, 1e-3) << i << ' ' << j;
    }
}

TEST(Network, SolutionsHaveTheirBoundary) {
  for (const PinnEquation& equation : pinn_equations()) {
    SCOPED_TRACE(equation.name);
    const Matrix& u = equation.solution();
    for (Index k = 0; k < kPinnGrid; ++k) {
      const double along_x = pinn_grid_point(-1.0, k), along_y = pinn_grid_point(equation.y_low, k);
      EXPECT_NEAR(u(k, 0), equation.boundary(along_x, equation.y_low), 1e-14);
      EXPECT_NEAR(u(0, k), equation.boundary(-1.0, along_y), 1e-13);
      EXPECT_NEAR(u(kPinnGrid - 1, k), equation.boundary(1.0, along_y), 1e-13);
      if (!equation.is_evolution) {
        EXPECT_NEAR(u(k, kPinnGrid - 1), equation.boundary(along_x, 1.0), 1e-14);
      }
    }
  }
}

// The loss leads to the solution.
TEST(Network, TrainedOneHasASmallError) {
  Problem problem = make_network("pinn:poisson,layers=2,width=10,points=300");
  Options options;
  options.algorithm = "bfgs";
  options.max_evaluations = 500;
  const Summary summary = minimize(*problem.objective, problem.start, options);
  EXPECT_LT(pinn_error(*problem.objective, summary.x), 0.01);
}

// --- the kernels

TEST(NetworkKernels, TanhIsExactToRounding) {
  std::vector<double> in;
  for (double z = 1e-300; z < 1e3; z *= 1.1) {
    in.push_back(z);
    in.push_back(-z);
  }
  for (double z = -21.0; z < 21.0; z += 0.00371) in.push_back(z);
  while (in.size() % 8 != 0) in.push_back(0.0);
  std::vector<double> out(in.size());
  for (const InstructionSet set : instruction_sets()) {
    pinn_kernels(set).tanh(in.data(), static_cast<std::ptrdiff_t>(in.size()), out.data());
    for (std::size_t i = 0; i < in.size(); ++i) {
      EXPECT_NEAR(out[i], std::tanh(in[i]), 4e-16 * std::abs(std::tanh(in[i]))) << in[i];
      EXPECT_EQ(std::signbit(out[i]), std::signbit(in[i]));
    }
  }
}

TEST(NetworkKernels, TanhOfOddNumbers) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double in[8] = {0.0, -0.0, kInfinity, -kInfinity, std::nan(""), 1e308, -5e-324, 20.0};
  double out[8];
  for (const InstructionSet set : instruction_sets()) {
    pinn_kernels(set).tanh(in, 8, out);
    EXPECT_EQ(out[0], 0.0);
    EXPECT_TRUE(std::signbit(out[1]));
    EXPECT_EQ(out[2], 1.0);
    EXPECT_EQ(out[3], -1.0);
    EXPECT_TRUE(std::isnan(out[4]));
    EXPECT_EQ(out[5], 1.0);
    EXPECT_EQ(out[6], -5e-324);
    EXPECT_EQ(out[7], 1.0);
  }
}

// One layer forward and backward; every set must give the bits of the baseline.
TEST(NetworkKernels, EverySetGivesTheSameBits) {
  constexpr Index kPoints = 32, kRows = 4 * kPoints, kIn = 7, kOut = 11;
  const Vector in = random_vector(kRows * kIn, 1), weights = random_vector(kIn * kOut, 2),
               bias = random_vector(kOut, 3);
  const auto run = [&](const PinnKernels& kernels) {
    Vector all = Vector::Zero(3 * kRows * kOut + kIn * kOut + kOut);
    double *z = all.data(), *a = z + kRows * kOut, *bar = a + kRows * kOut, *grad = bar + kRows * kOut;
    PinnProduct product{kRows, in.data(), kIn, weights.data(), 1, kIn, bias.data(), kPoints, z, kOut};
    kernels.multiply(product);
    for (Index i = 0; i < kRows * kOut; ++i) bar[i] = std::sin(static_cast<double>(i));
    const PinnActivation layer{kPoints, 4, kOut, 1.0, z, a, bar};
    kernels.activate(layer);
    kernels.activate_back(layer);
    product.out = bar;
    kernels.add_gradient(product, grad, grad + kIn * kOut);
    return all;
  };
  const Vector baseline = run(pinn_kernels(InstructionSet::kBaseline));
  const Eigen::Map<const Matrix> a(in.data(), kRows, kIn), w(weights.data(), kIn, kOut),
      z(baseline.data(), kRows, kOut), bar(baseline.data() + 2 * kRows * kOut, kRows, kOut),
      grad(baseline.data() + 3 * kRows * kOut, kIn, kOut);
  Matrix expected = a * w;
  expected.topRows(kPoints).rowwise() += bias.transpose();
  EXPECT_LT((z - expected).norm(), 1e-13 * expected.norm());
  EXPECT_LT((grad - a.transpose() * bar).norm(), 1e-13 * grad.norm());
  EXPECT_LT((baseline.tail(kOut).transpose() - bar.topRows(kPoints).colwise().sum()).norm(), 1e-12);
  for (const InstructionSet set : instruction_sets()) EXPECT_TRUE(run(pinn_kernels(set)) == baseline);
}

}  // namespace
}  // namespace loa
