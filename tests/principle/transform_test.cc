// Would catch: an inverse that is none, a factor on the wrong side of lambda, a Hessian rotated once, a random rotation
// that is not Haar, an entry of a state that is transformed by the wrong unit or forgotten.
#include "loa/transform.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <set>
#include <stdexcept>

#include "linalg/dense_inverse_hessian.h"
#include "loa/minimize.h"
#include "principle/path.h"
#include "support/differences.h"
#include "support/objectives.h"

namespace loa {
namespace {

using test::random_vector;
using test::same_bits;

constexpr Index kN = 6;

std::vector<Transform> all_transforms(Index n = kN) {
  Random random(3);
  return {Transform::translation(random_vector(n, 11)),
          Transform::random_permutation(n, random),
          Transform::random_orthogonal(n, random),
          Transform::geometric_scaling(0x1p-6),
          Transform::geometric_scaling(3.5),
          Transform::function_scaling(0x1p+8),
          Transform::function_scaling(0.2)};
}

TEST(Transform, InverseUndoesIt) {
  const Vector x = random_vector(kN, 1);
  for (const Transform& transform : all_transforms()) {
    EXPECT_LT((transform.inverse_point(transform.point(x)) - x).norm(), 1e-14) << transform.name();
    EXPECT_LT((transform.point(transform.inverse_point(x)) - x).norm(), 1e-14) << transform.name();
    EXPECT_LT((transform.inverse_vector(transform.vector(x)) - x).norm(), 1e-14) << transform.name();
  }
}

// <g, d> has the unit of f: a vector and a covector must transform oppositely.
TEST(Transform, VectorsAndCovectorsAreDual) {
  const Vector d = random_vector(kN, 1), g = random_vector(kN, 2);
  for (const Transform& transform : all_transforms())
    EXPECT_NEAR(transform.covector(g).dot(transform.vector(d)), transform.quantity(g.dot(d), {.x = 0, .f = 1}), 1e-12)
        << transform.name();
}

TEST(Transform, OnlyTranslationsMovePlaces) {
  const Vector v = random_vector(kN, 5), x = random_vector(kN, 1);
  const Transform transform = Transform::translation(v);
  EXPECT_TRUE(same_bits(transform.point(x), x + v));
  EXPECT_TRUE(same_bits(transform.vector(x), x));
  EXPECT_TRUE(same_bits(transform.covector(x), x));
}

TEST(Transform, PermutationPutsOrderIInPlaceI) {
  const Transform transform = Transform::permutation({2, 0, 1});
  EXPECT_EQ(transform.point(Vector{{10.0, 20.0, 30.0}}), (Vector{{30.0, 10.0, 20.0}}));
}

TEST(Transform, RefusesWhatIsNone) {
  EXPECT_THROW(Transform::permutation({0, 0, 1}), std::invalid_argument);
  EXPECT_THROW(Transform::permutation({0, 3, 1}), std::invalid_argument);
  EXPECT_THROW(Transform::orthogonal(2.0 * Matrix::Identity(2, 2)), std::invalid_argument);
  EXPECT_THROW(Transform::orthogonal(Matrix::Zero(2, 3)), std::invalid_argument);
  for (const double lambda : {0.0, -1.0, test::kNaN, test::kInf}) {
    EXPECT_THROW(Transform::geometric_scaling(lambda), std::invalid_argument) << lambda;
    EXPECT_THROW(Transform::function_scaling(lambda), std::invalid_argument) << lambda;
  }
}

TEST(Transform, RandomPermutationsReachAll) {
  Random random(1);
  std::set<std::vector<double>> seen;
  for (int i = 0; i < 200; ++i) {
    const Vector p = Transform::random_permutation(3, random).point(Vector{{0.0, 1.0, 2.0}});
    seen.insert({p(0), p(1), p(2)});
  }
  EXPECT_EQ(seen.size(), 6u);
}

// Householder's Q without the signs has P_11 < 0 always; a rotation group without reflections has determinant 1.
TEST(Transform, RandomOrthogonalIsHaar) {
  Random random(1);
  constexpr int kDraws = 2000;
  double mean = 0.0, square = 0.0, determinant = 0.0;
  for (int i = 0; i < kDraws; ++i) {
    const Transform transform = Transform::random_orthogonal(3, random);
    Matrix P(3, 3);
    for (Index j = 0; j < 3; ++j) P.col(j) = transform.point(Vector::Unit(3, j));
    mean += P(0, 0) / kDraws;
    square += P(0, 0) * P(0, 0) / kDraws;
    determinant += P.col(0).head<3>().cross(P.col(1).head<3>()).dot(P.col(2).head<3>()) / kDraws;
  }
  // Standard deviations: sqrt(1/3/2000) = 0.013, sqrt(4/45/2000) = 0.007, sqrt(1/2000) = 0.022.
  EXPECT_NEAR(mean, 0.0, 0.06);
  EXPECT_NEAR(square, 1.0 / 3.0, 0.03);
  EXPECT_NEAR(determinant, 0.0, 0.1);
}

TEST(TransformedObjective, DerivativesAgreeWithDifferences) {
  test::ChainedRosenbrock original(kN);
  for (const Transform& transform : all_transforms()) {
    TransformedObjective f(original, transform);
    const Vector place = random_vector(kN, 7);
    Vector x = transform.point(place), grad(kN), other(kN), product(kN);
    const double value = f.value_and_gradient(x, grad);
    Vector unused(kN);
    EXPECT_NEAR(value, transform.quantity(original.value_and_gradient(place, unused), {.x = 0, .f = 1}),
                1e-10 * std::abs(value))
        << transform.name();
    EXPECT_DOUBLE_EQ(f.value(x), value);
    const Vector differences = test::central_differences([&] { return f.value(x); }, x);
    EXPECT_LT((differences - grad).norm(), 1e-6 * grad.norm()) << transform.name();

    Matrix hessian;
    ASSERT_TRUE(f.hessian(x, hessian));
    EXPECT_EQ(hessian, Matrix(hessian.transpose())) << transform.name();
    const Vector v = transform.vector(random_vector(kN, 8));
    ASSERT_TRUE(f.hessian_vector(x, v, product));
    EXPECT_LT((hessian * v - product).norm(), 1e-12 * product.norm()) << transform.name();
    constexpr double kStep = 1e-6;
    f.value_and_gradient(x + kStep * v, grad);
    f.value_and_gradient(x - kStep * v, other);
    EXPECT_LT(((grad - other) / (2 * kStep) - product).norm(), 1e-6 * product.norm()) << transform.name();
  }
}

TEST(TransformedObjective, PowersOfTwoAreExact) {
  test::ChainedRosenbrock original(kN);
  const Vector x = random_vector(kN, 7);
  Vector grad(kN), scaled(kN);
  const double value = original.value_and_gradient(x, grad);
  const Transform larger = Transform::geometric_scaling(0x1p+9), steeper = Transform::function_scaling(0x1p-5);
  TransformedObjective f(original, larger), g(original, steeper);
  EXPECT_EQ(f.value_and_gradient(larger.point(x), scaled), value);
  EXPECT_TRUE(same_bits(scaled, 0x1p-9 * grad));
  EXPECT_EQ(g.value_and_gradient(x, scaled), 0x1p-5 * value);
  EXPECT_TRUE(same_bits(scaled, 0x1p-5 * grad));
}

// Appendix app:listoftransfo: B changes as the inverse of the Hessian does.
TEST(Transform, BIsTransformedAsAnInverseHessian) {
  const Matrix H = test::random_spd(kN, 50.0, 4);
  const Vector d = random_vector(kN, 2);
  DenseInverseHessian B(kN);
  B.reset(0.7);
  Vector B_delta_g;
  const Vector delta_g = H * d;
  B.apply(delta_g, B_delta_g);
  B.update({.d = d, .delta_g = delta_g, .B_delta_g = B_delta_g, .y = d});  // queued: must not be lost
  for (const Transform& transform : all_transforms()) {
    const auto moved = transform.inverse_hessian(B);
    ASSERT_NE(moved, nullptr);
    Vector out;
    apply(*moved, transform.covector(delta_g), out);
    EXPECT_LT((out - transform.vector(d)).norm(), 1e-12 * transform.vector(d).norm()) << transform.name();
    const Matrix expected = transform.hessian(B.matrix().inverse()).inverse();
    EXPECT_LT((dynamic_cast<DenseInverseHessian&>(*moved).matrix() - expected).norm(), 1e-9 * expected.norm())
        << transform.name();
  }
}

// The induction of the appendix, from any k on: the run that continues from S^_k is the image of the one from S_k.
// The states of all algorithms know their units, Adam's gamma included.
TEST(TransformedState, ContinuesAsTheImageOfTheRun) {
  test::ChainedRosenbrock original(kN);
  const Vector start = test::ChainedRosenbrock::start(kN);
  for (const AlgorithmInfo& info : algorithms()) {
    const Algorithm algorithm = make_algorithm(info.name);
    CountedObjective f(original);
    Options options{.line_search = info.line_search};
    options.gtol = 0.0;
    options.max_iterations = 4;
    const State middle = minimize(original, start, algorithm, options).state;
    ASSERT_EQ(middle.iteration, 4) << info.name;
    options.max_iterations = 8;
    const State end = run(algorithm, f, middle, options).state;
    for (const Transform& transform : all_transforms()) {
      const Verdict claimed = info.claims.at(transform.principle());
      // gamma of rnnprop is part of the algorithm and not of the state, so it would have to be tuned.
      if (claimed == Verdict::kFails || (claimed == Verdict::kTuned && info.name == "rnnprop")) continue;
      TransformedObjective moved(original, transform);
      CountedObjective f_hat(moved);
      const State end_hat =
          run(algorithm, f_hat, transformed_state(middle, *algorithm.storage, transform), options).state;
      const double scale = (end.x - middle.x).norm();
      EXPECT_LT((transform.inverse_point(end_hat.x) - end.x).norm(), 1e-9 * scale)
          << info.name << ", " << transform.name();
      const bool exact = transform.lambda() == 0x1p-6 || transform.lambda() == 0x1p+8;
      EXPECT_TRUE(!exact || same_bits(end_hat.x, transform.point(end.x))) << info.name << ", " << transform.name();
    }
  }
}

TEST(TransformedState, RefusesAStorageThatDoesNotKnowItsUnits) {
  class Silent final : public Storage {
    void initialize(State&) const override {}
    void store(const Input&, const Step&, State&) const override {}
    double restart_scale(const State&) const override { return 1.0; }
  };
  State state;
  for (Vector* v : {&state.x, &state.x_prev, &state.grad, &state.grad_prev, &state.direction_prev}) v->setZero(2);
  const Transform transform = Transform::geometric_scaling(2.0);
  EXPECT_NO_THROW(transformed_state(state, Silent(), transform));
  state.memory = {Vector::Ones(2)};
  EXPECT_THROW(transformed_state(state, Silent(), transform), std::invalid_argument);
}

}  // namespace
}  // namespace loa
