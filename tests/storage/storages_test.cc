// Would catch: an initial matrix that is not 0.8 gamma_BB I, a skipped update that is stored, a restart that keeps
// curvature or momentum.
#include "storage/storages.h"

#include <gtest/gtest.h>

#include "linalg/dense_inverse_hessian.h"
#include "loa/quasi_newton_input.h"
#include "support/objectives.h"

namespace loa {
namespace {

using test::random_vector;
using test::same_bits;

// x_{-1} and x_0 on a quadratic with this Hessian.
State first_pair(const Matrix& H, double scale = 1.0) {
  State state;
  state.x_prev = scale * random_vector(H.rows(), 1);
  state.grad_prev = H * state.x_prev;
  state.x = state.x_prev - 0.01 / H.norm() * state.grad_prev;
  state.grad = H * state.x;
  state.f_prev = 0.5 * state.x_prev.dot(state.grad_prev);
  state.f = 0.5 * state.x.dot(state.grad);
  return state;
}

const Matrix& matrix_of(const State& state) {
  static Matrix B;
  B = dynamic_cast<const DenseInverseHessian&>(*state.B).matrix();
  return B;
}

TEST(QuasiNewtonStorage, StartsFromTheScaledBarzilaiBorweinStep) {
  const Matrix H = test::random_spd(6, 50.0, 2);
  State state = first_pair(H);
  quasi_newton_storage({})->initialize(state);
  const Vector d = state.x - state.x_prev, delta_g = state.grad - state.grad_prev;
  const double expected = 0.8 * delta_g.dot(d) / delta_g.squaredNorm();
  EXPECT_LT((matrix_of(state) - expected * Matrix::Identity(6, 6)).norm(), 1e-14 * expected);
  EXPECT_LT((state.direction_prev + expected * state.grad_prev).norm(), 1e-14 * expected * state.grad_prev.norm());
}

TEST(QuasiNewtonStorage, InitialMatrixScalesBitForBit) {
  const Matrix H = test::random_spd(6, 50.0, 2);
  State plain = first_pair(H);
  quasi_newton_storage({})->initialize(plain);
  const double entry = matrix_of(plain)(0, 0);
  for (const auto& [i, j] : {std::pair{20, 0}, {0, -31}, {-150, 77}, {400, 3}, {-400, 3}}) {
    State scaled = plain;
    for (Vector* x : {&scaled.x, &scaled.x_prev}) *x *= std::exp2(i);
    for (Vector* g : {&scaled.grad, &scaled.grad_prev}) *g *= std::exp2(j - i);
    quasi_newton_storage({})->initialize(scaled);
    EXPECT_TRUE(same_bits(matrix_of(scaled)(0, 0), std::exp2(2 * i - j) * entry)) << i << " " << j;
  }
}

// Concave or linear along the first step: no curvature to use, but a positive scale all the same.
TEST(QuasiNewtonStorage, WithoutCurvatureTheFirstStepIsAsLongAsTheLast) {
  for (const double curvature : {-3.0, 0.0}) {
    State state = first_pair(test::random_spd(4, 5.0, 2));
    state.grad = state.grad_prev + curvature * (state.x - state.x_prev);
    quasi_newton_storage({})->initialize(state);
    const double scale = matrix_of(state)(0, 0);
    EXPECT_GT(scale, 0.0);
    EXPECT_NEAR(scale * state.grad.norm() / (state.x - state.x_prev).norm(), 1.0, 1e-12);
  }
}

TEST(QuasiNewtonStorage, StoresWhatWasUsedAndNothingElse) {
  const Matrix H = test::random_spd(5, 5.0, 2);
  for (const UpdateKind kind : {UpdateKind::kModel, UpdateKind::kSecantStep, UpdateKind::kSkipped}) {
    State state = first_pair(H);
    const auto storage = quasi_newton_storage({});
    storage->initialize(state);
    const Matrix before = matrix_of(state);
    Input input;
    input.covectors = {state.grad, state.grad - state.grad_prev};
    input.vectors = {before * input.covectors[kDeltaG], state.x - state.x_prev, -(before * state.grad)};
    Step step;
    step.kind = kind;
    step.y = input.vectors[kD];
    storage->store(input, step, state);
    const bool stored = kind == UpdateKind::kModel || kind == UpdateKind::kSecantStep;
    const Matrix after = matrix_of(state);
    EXPECT_EQ(after != before, stored);
    if (stored) {
      EXPECT_LT((after * input.covectors[kDeltaG] - input.vectors[kD]).norm(), 1e-12 * input.vectors[kD].norm());
    }
  }
}

TEST(QuasiNewtonStorage, RestartForgetsAndSaysTheScaleOfTheNewDirection) {
  for (const double gamma : {1.0, 0.5}) {
    State state = first_pair(test::random_spd(5, 5.0, 2));
    const auto storage = quasi_newton_storage({.step_size = gamma});
    storage->initialize(state);
    const Vector y = random_vector(5, 3), delta_g = random_vector(5, 4), d = random_vector(5, 5);
    const Vector B_delta_g = matrix_of(state) * delta_g;
    state.B->update({.d = d, .delta_g = delta_g, .B_delta_g = B_delta_g, .y = y}, Reduction::serial());
    const Matrix before = matrix_of(state);
    const double scale = storage->restart_scale(state);
    EXPECT_EQ(matrix_of(state), before) << "nothing changes until the step is taken";
    Step step;
    step.kind = UpdateKind::kRestart;
    step.scale = scale;
    storage->store({}, step, state);
    const Matrix B = matrix_of(state);
    EXPECT_EQ(B, Matrix(B(0, 0) * Matrix::Identity(5, 5)));
    EXPECT_DOUBLE_EQ(scale, gamma * B(0, 0)) << "the new direction is -gamma B g";
  }
}

TEST(NesterovStorage, RestartForgetsTheMomentum) {
  State state = first_pair(test::random_spd(5, 5.0, 2));
  nesterov_storage()->initialize(state);
  ASSERT_EQ(state.memory.size(), 1u);
  EXPECT_EQ(state.memory[0], state.x);
  state.memory[0].setConstant(7.0);
  Step step;
  step.kind = UpdateKind::kRestart;
  step.scale = nesterov_storage()->restart_scale(state);
  const double scale = step.scale;
  nesterov_storage()->store({}, step, state);
  EXPECT_EQ(state.memory[0], state.x);
  EXPECT_NEAR(scale * state.grad.norm(), (state.x - state.x_prev).norm(), 1e-12);
}

TEST(AdamStorage, MomentsStartFromTheFirstGradient) {
  State state = first_pair(test::random_spd(5, 5.0, 2));
  adam_storage()->initialize(state);
  ASSERT_EQ(state.memory.size(), 2u);
  EXPECT_EQ(state.memory[0], state.grad_prev);
  EXPECT_EQ(state.memory[1], Vector(state.grad_prev.cwiseAbs2()));
}

TEST(RecurrentStorage, HiddenStateAndMomentsStartFromZeroAndAreKeptAsPredicted) {
  State state = first_pair(test::random_spd(5, 5.0, 2));
  rnnprop_storage()->initialize(state);
  EXPECT_EQ(state.hidden, Matrix::Zero(5, 80));
  ASSERT_EQ(state.memory.size(), 2u);
  EXPECT_EQ(state.memory[0], Vector::Zero(5));
  EXPECT_EQ(state.memory[1], Vector::Zero(5));
  EXPECT_EQ(state.beta_power, 1.0);

  Input input;
  input.covectors = {state.grad, random_vector(5, 3), random_vector(5, 4)};
  Step step;
  step.hidden = Matrix::Constant(5, 80, 0.25);
  for (int i = 0; i < 2; ++i) rnnprop_storage()->store(input, step, state);
  EXPECT_EQ(state.hidden, step.hidden);
  EXPECT_EQ(state.memory[0], input.covectors[1]);
  EXPECT_EQ(state.memory[1], input.covectors[2]);
  EXPECT_DOUBLE_EQ(state.beta_power, 0.95 * 0.95);
}

TEST(RecurrentStorage, RestartForgets) {
  const std::vector<std::shared_ptr<const Storage>> storages = {l2l_gd_storage(), rnnprop_storage()};
  for (const auto& storage : storages) {
    State state = first_pair(test::random_spd(5, 5.0, 2));
    storage->initialize(state);
    State fresh(state);
    state.hidden.setConstant(0.5);
    for (Vector& moment : state.memory) moment.setConstant(3.0);
    state.beta_power = storage == storages.back() ? 0.3 : 1.0;
    Step step;
    step.kind = UpdateKind::kRestart;
    step.hidden = Matrix::Constant(5, 80, 0.25);
    storage->store({}, step, state);
    EXPECT_EQ(state.hidden, fresh.hidden);
    EXPECT_EQ(state.memory, fresh.memory);
    EXPECT_EQ(state.beta_power, fresh.beta_power);
    EXPECT_NEAR(storage->restart_scale(state) * state.grad.norm(), (state.x - state.x_prev).norm(), 1e-12);
  }
}

TEST(ConjugateGradientStorage, FirstDirectionIsTheGradient) {
  State state = first_pair(test::random_spd(5, 5.0, 2));
  state.direction_prev = Vector::Ones(5);
  conjugate_gradient_storage()->initialize(state);
  EXPECT_EQ(state.direction_prev, Vector::Zero(5));
}

TEST(State, CopiesOwnTheirMatrix) {
  State state = first_pair(test::random_spd(5, 5.0, 2));
  quasi_newton_storage({})->initialize(state);
  const Matrix before = matrix_of(state);
  State copy(state), assigned;
  assigned = state;
  copy.B->reset(123.0);
  assigned.B->reset(321.0);
  EXPECT_EQ(matrix_of(state), before);
  const State& self = state;
  state = self;
  EXPECT_EQ(matrix_of(state), before);
}

}  // namespace
}  // namespace loa
