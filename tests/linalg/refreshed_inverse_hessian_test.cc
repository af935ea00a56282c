// Would catch: a scale that is not refreshed or by another formula, a matrix that is made too early, too late or of
// other pairs, a restart that keeps the matrix, a state that loses which of the two it was.
#include "linalg/refreshed_inverse_hessian.h"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>
#include <vector>

#include "linalg/tensor_file.h"
#include "support/objectives.h"

namespace loa {
namespace {

using test::random_vector;
using test::same_bits;

constexpr Index kSize = 12;
constexpr double kExponent = 0.4;

struct Pair {
  Vector d, delta_g, grad;
};

// d and dg of a convex quadratic.
Pair pair_of(std::uint64_t seed) {
  Pair pair{random_vector(kSize, seed), {}, random_vector(kSize, seed + 500)};
  pair.delta_g = test::random_spd(kSize, 10.0, 7) * pair.d;
  return pair;
}

double refreshed_scale(const Pair& pair) {
  const double s = pair.d.dot(pair.delta_g);
  return std::pow(s / pair.delta_g.squaredNorm(), 1.0 - kExponent) * std::pow(pair.d.squaredNorm() / s, kExponent);
}

// What an iteration does: both products, then the update with y = d. Returns B grad.
Vector iterate(InverseHessian& B, const Pair& pair) {
  Vector B_grad, B_delta_g, direction_prev;
  B.apply(pair.grad - pair.delta_g, direction_prev);  // B g_{k-1}
  B.apply_to_change({.grad = pair.grad, .delta_g = pair.delta_g, .d = pair.d, .direction_prev = &direction_prev},
                    B_grad, B_delta_g);
  B.update({.d = pair.d, .delta_g = pair.delta_g, .B_delta_g = B_delta_g, .y = pair.d});
  return B_grad;
}

// Eq. (6) with y = d, from scale I and the pairs in order.
Matrix by_definition(double scale, const std::vector<Pair>& pairs) {
  Matrix B = scale * Matrix::Identity(kSize, kSize);
  for (const Pair& pair : pairs) {
    const double rho = 1.0 / pair.d.dot(pair.delta_g);
    const Matrix V = Matrix::Identity(kSize, kSize) - rho * pair.delta_g * pair.d.transpose();
    B = V.transpose() * B * V + rho * pair.d * pair.d.transpose();
  }
  return B;
}

Matrix as_matrix(const InverseHessian& B) {
  Matrix result(kSize, kSize);
  B.copy_to(result);
  result.triangularView<Eigen::StrictlyUpper>() = result.transpose();
  return result;
}

TEST(RefreshedInverseHessian, RefreshesItsScaleAndThenIsAMatrix) {
  RefreshedInverseHessian B(kSize, {.num_pairs = 4, .exponent = kExponent, .y_is_d = true});
  B.reset(3.0);
  std::vector<Pair> pairs;
  double scale = 3.0;
  for (std::uint64_t k = 0; k < 8; ++k) {
    EXPECT_EQ(B.is_matrix(), k >= 4) << k;
    const Pair pair = pair_of(k);
    if (k < 4) scale = refreshed_scale(pair);
    // The products are made with the new scale and the pairs before this one.
    const Matrix before = by_definition(scale, pairs);
    EXPECT_LT((iterate(B, pair) - before * pair.grad).norm(), 1e-10 * before.norm() * pair.grad.norm()) << k;
    pairs.push_back(pair);
    const Matrix expected = by_definition(scale, pairs);
    EXPECT_LT((as_matrix(B) - expected).norm(), 1e-10 * expected.norm()) << k;
  }
  B.reset(0.5);
  EXPECT_FALSE(B.is_matrix());
  EXPECT_LT((as_matrix(B) - 0.5 * Matrix::Identity(kSize, kSize)).norm(), 1e-15);
}

TEST(RefreshedInverseHessian, KeepsItsScaleWithoutPositiveCurvature) {
  RefreshedInverseHessian B(kSize, {.num_pairs = 4, .exponent = kExponent, .y_is_d = true});
  B.reset(3.0);
  const Pair pair = pair_of(1);
  const Vector backwards = -pair.d;
  Vector B_grad, B_delta_g;
  B.apply_to_change({pair.grad, pair.delta_g, backwards}, B_grad, B_delta_g);
  EXPECT_LT((B_grad - 3.0 * pair.grad).norm(), 1e-14 * pair.grad.norm());
}

TEST(RefreshedInverseHessian, ComesBackFromAFileBitForBit) {
  for (const std::uint64_t saved_after : {0u, 3u, 4u, 6u}) {
    RefreshedInverseHessian B(kSize, {.num_pairs = 4, .exponent = kExponent});
    B.reset(3.0);
    for (std::uint64_t k = 0; k < saved_after; ++k) iterate(B, pair_of(k));
    TensorFile file;
    B.save(file);
    RefreshedInverseHessian loaded(0, {});
    ASSERT_EQ(loaded.load(file), "");
    EXPECT_EQ(loaded.is_matrix(), B.is_matrix());
    for (std::uint64_t k = saved_after; k < 8; ++k)
      EXPECT_TRUE(same_bits(iterate(loaded, pair_of(k)), iterate(B, pair_of(k)))) << saved_after << " " << k;
    // A restart makes as many pairs again.
    loaded.reset(2.0);
    B.reset(2.0);
    for (std::uint64_t k = 0; k < 6; ++k)
      EXPECT_TRUE(same_bits(iterate(loaded, pair_of(k)), iterate(B, pair_of(k)))) << saved_after << " " << k;
  }
}

TEST(RefreshedInverseHessian, RefusesAFileInWhichSomethingIsMissing) {
  RefreshedInverseHessian B(kSize, {.num_pairs = 2, .exponent = kExponent});
  B.reset(3.0);
  for (std::uint64_t k = 0; k < 3; ++k) iterate(B, pair_of(k));
  TensorFile whole;
  B.save(whole);
  for (const char* missing : {"B.is_matrix", "B.exponent", "B.capacity"}) {
    TensorFile file = whole;
    file.metadata.erase(missing);
    EXPECT_NE(RefreshedInverseHessian(0, {}).load(file), "") << missing;
  }
  TensorFile file = whole;
  file.tensors.erase("B.rows");
  EXPECT_NE(RefreshedInverseHessian(0, {}).load(file), "");
}

// In other coordinates, for the checks of the principles.
TEST(RefreshedInverseHessian, IsCongruentInBothStages) {
  const Matrix Q = Eigen::HouseholderQR<Matrix>(Matrix::Random(kSize, kSize)).householderQ();
  for (const std::uint64_t updates : {2u, 6u}) {
    RefreshedInverseHessian B(kSize, {.num_pairs = 4, .exponent = kExponent});
    B.reset(3.0);
    for (std::uint64_t k = 0; k < updates; ++k) iterate(B, pair_of(k));
    const auto moved = B.congruent([&](const Vector& v) { return Vector(2.0 * (Q * v)); }, 0.5);
    ASSERT_NE(moved, nullptr);
    const Matrix expected = 0.5 * 4.0 * Q * as_matrix(B) * Q.transpose();
    EXPECT_LT((as_matrix(*moved) - expected).norm(), 1e-10 * expected.norm()) << updates;
  }
}

}  // namespace
}  // namespace loa
