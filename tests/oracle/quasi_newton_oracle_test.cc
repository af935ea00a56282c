// Would catch: a feature of I_k with a wrong sign, order or factor gamma, a B_{k-1} dg that is not that of B_{k-1}
// (one product gives all three features), an inner loop that forgets the queued update, a curvature of the last step
// with a factor too many.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "linalg/dense_inverse_hessian.h"
#include "loa/quasi_newton_input.h"
#include "oracle/oracles.h"
#include "storage/storages.h"
#include "support/objectives.h"
#include "update/updates.h"

namespace loa {
namespace {

using test::Quadratic;
using test::random_vector;

// Algorithm 2 by hand on a quadratic: x, g, B as dense matrices, y from a seed.
struct Case {
  double gamma;
  double step_size;  // what a line search would make of each unit step
};

void PrintTo(const Case& c, std::ostream* os) { *os << "gamma " << c.gamma << " step " << c.step_size; }

class AlgorithmTwo : public testing::TestWithParam<Case> {};

TEST_P(AlgorithmTwo, FeaturesAndDirectionEqualTheFormulasWithMatrices) {
  constexpr Index n = 12;
  const auto [gamma, step_size] = GetParam();
  const HyperParameters hyper_parameters{.step_size = gamma};
  const auto oracle = quasi_newton_oracle(hyper_parameters);
  const auto update = secant_update();
  const auto storage = quasi_newton_storage(hyper_parameters);
  Quadratic f(test::random_spd(n, 20.0, 1), random_vector(n, 2));

  State state;
  state.x_prev = Vector::Ones(n);
  state.grad_prev.resize(n);
  state.grad.resize(n);
  state.f_prev = f.value_and_gradient(state.x_prev, state.grad_prev);
  state.x = state.x_prev - 0.02 * state.grad_prev;
  state.f = f.value_and_gradient(state.x, state.grad);
  storage->initialize(state);

  const Vector d_0 = state.x - state.x_prev, delta_g_0 = state.grad - state.grad_prev;
  const double gamma_BB = delta_g_0.dot(d_0) / delta_g_0.squaredNorm();
  Matrix B = 0.8 * gamma_BB * Matrix::Identity(n, n);
  EXPECT_LT((dynamic_cast<DenseInverseHessian&>(*state.B).matrix() - B).norm(), 1e-15 * B.norm());

  Input input;
  Step step;
  for (std::uint64_t k = 0; k < 10; ++k) {
    SCOPED_TRACE(testing::Message() << "iteration " << k);
    oracle->observe(f, state, input);
    const Vector d = state.x - state.x_prev, delta_g = state.grad - state.grad_prev, g = state.grad;
    const double scale = B.norm() * (g.norm() + delta_g.norm());
    ASSERT_EQ(input.vectors.size(), kNumQuasiNewtonVectors);
    EXPECT_LT((input.vectors[kBDeltaG] - B * delta_g).norm(), 1e-10 * scale);
    EXPECT_EQ(input.vectors[kD], d);
    EXPECT_LT((input.vectors[kMinusGammaBGrad] + gamma * B * g).norm(), 1e-10 * gamma * scale);
    EXPECT_EQ(input.covectors[kGrad], g);
    EXPECT_EQ(input.covectors[kDeltaG], delta_g);
    EXPECT_EQ(input.gamma, gamma);

    // Any y whose angle with dg is not bad.
    Vector y = random_vector(n, 100 + k);
    y += (2.0 * y.norm() / delta_g.norm()) * delta_g;
    ASSERT_TRUE(update->direction(input, y, step));
    const Vector r = d - B * delta_g;
    const double delta_g_y = delta_g.dot(y);
    B += (r * y.transpose() + y * r.transpose() - (delta_g.dot(r) / delta_g_y) * y * y.transpose()) / delta_g_y;
    EXPECT_LT((step.direction + gamma * B * g).norm(), 1e-9 * gamma * B.norm() * g.norm());

    step.y = y;
    step.kind = UpdateKind::kModel;
    storage->store(input, step, state);
    EXPECT_LT((dynamic_cast<DenseInverseHessian&>(*state.B).matrix() - B).norm(), 1e-9 * B.norm());
    state.direction_prev = step.direction;
    state.x_prev = state.x;
    state.grad_prev = state.grad;
    state.x += step_size * step.direction;
    state.f = f.value_and_gradient(state.x, state.grad);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, AlgorithmTwo,
                         testing::Values(Case{1.0, 1.0}, Case{0.3, 1.0}, Case{1.7, 0.4}, Case{1.0, 0.25}));

// B that keeps what combine() was told about the last step.
class Listener final : public InverseHessian {
 public:
  explicit Listener(double& told) : told_(told) {}
  void reset(double) override {}
  std::span<double> products(const GradientChange&) override { return {}; }
  void combine(const GradientChange& change, double, const Reduction&, Vector& B_grad, Vector& B_delta_g,
               SecantProducts&) override {
    told_ = change.last_curvature;
    B_grad = change.grad_factor * change.grad;
    B_delta_g = *change.delta_g;
  }
  void update(const SecantPair&, const Reduction&) override {}
  std::unique_ptr<InverseHessian> clone() const override { return std::make_unique<Listener>(*this); }

 private:
  double& told_;
};

// c = <d, B^{-1} d> of the step d = -step gamma B g_{k-1}, for a B that is not the identity.
TEST(QuasiNewtonOracle, TellsTheCurvatureOfTheLastStepByB) {
  constexpr Index n = 7;
  const double gamma = 0.6, step_size = 0.3;
  const Matrix B = test::random_spd(n, 20.0, 1);
  Quadratic f(test::random_spd(n, 10.0, 2), random_vector(n, 3));
  State state;
  state.x_prev = Vector::Ones(n);
  for (Vector* v : {&state.grad_prev, &state.grad}) v->resize(n);
  state.f_prev = f.value_and_gradient(state.x_prev, state.grad_prev);
  state.direction_prev = -gamma * B * state.grad_prev;
  state.step_size = step_size;
  state.x = state.x_prev + step_size * state.direction_prev;
  state.f = f.value_and_gradient(state.x, state.grad);
  const Vector d = state.x - state.x_prev;
  const double expected = d.dot(B.inverse() * d);

  double told = 0.0;
  state.B = std::make_unique<Listener>(told);
  Input input;
  const HyperParameters hyper_parameters{.step_size = gamma};
  for (const SecantEquation equation : {SecantEquation::kGradients, SecantEquation::kFunctionValues}) {
    const auto oracle =
        quasi_newton_oracle(hyper_parameters, SecantOptions{.equation = equation, .last_curvature = true});
    state.evidence.iterations_since_restart = 1;
    oracle->observe(f, state, input);
    EXPECT_NEAR(told, expected, 1e-12 * expected);
    state.evidence.iterations_since_restart = 0;  // the last step was the first of the run, or that of a restart
    oracle->observe(f, state, input);
    EXPECT_TRUE(std::isnan(told));
  }
  state.evidence.iterations_since_restart = 1;
  quasi_newton_oracle(hyper_parameters, SecantEquation::kFunctionValues)->observe(f, state, input);
  EXPECT_NEAR(told, expected, 1e-12 * expected);  // at no cost
  quasi_newton_oracle(hyper_parameters)->observe(f, state, input);
  EXPECT_TRUE(std::isnan(told));  // nobody asked
}

TEST(QuasiNewtonOracle, GammaIsOneUnlessSet) {
  Quadratic f(Matrix::Identity(2, 2), Vector::Zero(2));
  State state;
  state.x_prev = Vector{{2.0, 1.0}};
  state.grad_prev = state.x_prev;
  state.x = Vector{{1.0, 0.5}};
  state.grad = state.x;
  quasi_newton_storage({})->initialize(state);
  Input input;
  quasi_newton_oracle({})->observe(f, state, input);
  EXPECT_EQ(input.gamma, 1.0);
}

}  // namespace
}  // namespace loa
