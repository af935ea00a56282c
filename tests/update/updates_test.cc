// Would catch: Newton's shift in absolute units or too small to descend, a direction reported as computed when it
// is not, a secant update that is not homogeneous of degree 0 in y.
#include "update/updates.h"

#include <gtest/gtest.h>

#include <cmath>

#include "loa/quasi_newton_input.h"
#include "support/objectives.h"

namespace loa {
namespace {

using test::kInf;
using test::kNaN;
using test::random_vector;
using test::same_bits;

Vector newton_direction(const Matrix& H, const Vector& g, double gamma = 1.0) {
  Input input;
  input.hessian = H;
  input.covectors = {g};
  input.gamma = gamma;
  Step step;
  EXPECT_TRUE(newton_update()->direction(input, Vector(), step));
  return step.direction;
}

// A symmetric matrix with the given eigenvalues.
Matrix with_eigenvalues(const Vector& eigenvalues, std::uint64_t seed) {
  const Vector v = random_vector(eigenvalues.size(), seed).normalized();
  const Matrix reflection = Matrix::Identity(v.size(), v.size()) - 2.0 * v * v.transpose();
  return reflection * eigenvalues.asDiagonal() * reflection;
}

TEST(NewtonUpdate, SolvesTheSystemWhenPositiveDefinite) {
  const Matrix H = test::random_spd(9, 1e4, 1);
  const Vector g = random_vector(9, 2);
  for (const double gamma : {1.0, 0.3})
    EXPECT_LT((H * newton_direction(H, g, gamma) + gamma * g).norm(), 1e-11 * g.norm());
}

class Indefinite : public testing::TestWithParam<Vector> {};

TEST_P(Indefinite, ShiftedDirectionDescends) {
  const Matrix H = with_eigenvalues(GetParam(), 3);
  for (const std::uint64_t seed : {4u, 5u, 6u}) {
    const Vector g = random_vector(H.rows(), seed), p = newton_direction(H, g);
    EXPECT_TRUE(p.allFinite());
    EXPECT_LT(g.dot(p), 0.0);
    // (H + tau I) p = -g for one tau > 0: the residual is along p.
    const Vector residual = -g - H * p;
    const double tau = residual.dot(p) / p.squaredNorm();
    EXPECT_GT(tau, 0.0);
    EXPECT_LT((residual - tau * p).norm(), 1e-8 * g.norm());
  }
}

TEST_P(Indefinite, ShiftFollowsTheUnits) {
  const Matrix H = with_eigenvalues(GetParam(), 3);
  const Vector g = random_vector(H.rows(), 4), p = newton_direction(H, g);
  // Even powers of two: the square roots of Cholesky are exact too.
  for (const int k : {-200, -40, 40, 200}) {
    const double scale = std::exp2(k);
    EXPECT_TRUE(same_bits(newton_direction(scale * H, scale * g), p)) << k;
    EXPECT_TRUE(same_bits(newton_direction(scale * H, g), p / scale)) << k;
  }
}

TEST_P(Indefinite, EveryScaleOfDoublesWorks) {
  const Matrix H = with_eigenvalues(GetParam(), 3);
  const Vector g = random_vector(H.rows(), 4), p = newton_direction(H, g);
  for (const double scale : {1e-300, 1e-180, 1e180, 1e290}) {
    const Vector q = newton_direction(scale * H, scale * g);
    ASSERT_EQ(q.size(), p.size()) << scale;
    EXPECT_LT((q - p).norm(), 1e-9 * p.norm()) << scale;
  }
}

INSTANTIATE_TEST_SUITE_P(Matrices, Indefinite,
                         testing::Values(Vector{{1.0, 2.0, -1e-6}}, Vector{{1.0, -1.0, 5.0, 2.0}},
                                         Vector{{-1.0, -2.0, -3.0}}, Vector{{0.0, 0.0, -1.0}}, Vector{{1e8, -1.0, 1.0}},
                                         Vector{{-1e8, 1.0, 1.0}}, Vector{{-5.0}}),
                         [](const auto& param_info) { return "case_" + std::to_string(param_info.index); });

// Copies of a problem are solved like the problem: the shift must not depend on n (Principle 1).
TEST_P(Indefinite, ShiftOfCopiesIsTheSame) {
  const Matrix H = with_eigenvalues(GetParam(), 3);
  const Index n = H.rows(), num_copies = 50;
  const Vector g = random_vector(n, 4), p = newton_direction(H, g);
  Matrix copies = Matrix::Zero(num_copies * n, num_copies * n);
  for (Index i = 0; i < num_copies; ++i) copies.block(i * n, i * n, n, n) = H;
  const Vector q = newton_direction(copies, g.replicate(num_copies, 1));
  ASSERT_EQ(q.size(), num_copies * n);
  EXPECT_LT((q - p.replicate(num_copies, 1)).norm(), 1e-7 * q.norm());
}

TEST(NewtonUpdate, RefusesWhatCannotBeFactored) {
  Input input;
  input.covectors = {Vector::Ones(2)};
  Step step;
  for (const double bad : {kNaN, kInf}) {
    input.hessian = Matrix::Identity(2, 2);
    input.hessian(1, 0) = bad;
    EXPECT_FALSE(newton_update()->direction(input, Vector(), step)) << bad;
  }
  input.hessian = Matrix::Zero(2, 2);
  EXPECT_FALSE(newton_update()->direction(input, Vector(), step)) << "no curvature, no step";
}

// Matrices whose least eigenvalue is round-off: the factorization may succeed, and the step must still be finite.
TEST(NewtonUpdate, NearlySingularStaysFiniteOrIsShifted) {
  for (const double tiny : {1e-14, 1e-17, -1e-17}) {
    const Vector g = random_vector(3, 4), p = newton_direction(with_eigenvalues(Vector{{1.0, 2.0, tiny}}, 3), g);
    EXPECT_TRUE(p.allFinite()) << tiny;
    EXPECT_LT(g.dot(p), 0.0) << tiny;
  }
}

Input quasi_newton_input(std::uint64_t seed, Index n) {
  Input input;
  for (std::uint64_t i = 0; i < 3; ++i) input.vectors.push_back(random_vector(n, seed + i));
  for (std::uint64_t i = 3; i < 5; ++i) input.covectors.push_back(random_vector(n, seed + i));
  input.gamma = 0.7;
  return input;
}

TEST(SecantUpdate, OnlyTheDirectionOfYMatters) {
  const Input input = quasi_newton_input(1, 7);
  const Vector y = random_vector(7, 20);
  Step a, b;
  ASSERT_TRUE(secant_update()->direction(input, y, a));
  for (const double scale : {-1.0, 0x1.0p-100, -0x1.0p200}) {
    ASSERT_TRUE(secant_update()->direction(input, scale * y, b));
    EXPECT_TRUE(same_bits(a.direction, b.direction)) << scale;
  }
}

TEST(SecantUpdate, RefusesAZeroDenominatorAndNaN) {
  Input input = quasi_newton_input(1, 2);
  input.covectors[kDeltaG] = Vector{{1.0, 0.0}};
  Step step;
  EXPECT_FALSE(secant_update()->direction(input, Vector{{0.0, 1.0}}, step));
  EXPECT_FALSE(secant_update()->direction(input, Vector::Zero(2), step));
  EXPECT_FALSE(secant_update()->direction(input, Vector{{kNaN, 1.0}}, step));
  EXPECT_FALSE(secant_update()->direction(input, Vector{{kInf, 1.0}}, step));
}

// All inner products go through one reduction: with two equal slices each sum doubles, and the formula with doubled
// sums is the formula for the doubled vector.
class TwoEqualSlices final : public Reduction {
 public:
  void reduce(std::span<double> values, std::span<double>) const override {
    for (double& value : values) value *= 2.0;
    ++calls;
  }
  mutable int calls = 0;
};

// The inner products in one reduction, the slope and the length of the direction in another.
TEST(SecantUpdate, ReducesTwice) {
  Input half = quasi_newton_input(1, 5), whole = half;
  for (auto* columns : {&whole.vectors, &whole.covectors})
    for (Vector& column : *columns) column = (Vector(10) << column, column).finished();
  const Vector y = random_vector(5, 30);
  const TwoEqualSlices slices;
  half.reduction = &slices;
  Step a, b;
  ASSERT_TRUE(secant_update()->direction(half, y, a));
  ASSERT_TRUE(secant_update()->direction(whole, (Vector(10) << y, y).finished(), b));
  EXPECT_EQ(slices.calls, 2);
  EXPECT_NEAR(a.slope, b.slope, 1e-12 * std::abs(b.slope));
  EXPECT_NEAR(a.length, b.length, 1e-12 * b.length);
  EXPECT_NEAR(a.grad_norm, b.grad_norm, 1e-12 * b.grad_norm);
  EXPECT_NEAR(a.cosine, b.cosine, 1e-12);
  EXPECT_LT((a.direction - b.direction.head(5)).norm(), 1e-12 * a.direction.norm());
}

}  // namespace
}  // namespace loa
