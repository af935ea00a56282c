// Would catch: a wrong factor in the rank-two form of Eq. (6), a queued update that is lost or applied twice, a reset
// that keeps the queue, a triangle stored or saved incompletely, an absolute constant in the update, a scale that some
// function of the operator forgets.
#include "linalg/dense_inverse_hessian.h"

#include <gtest/gtest.h>

#include <limits>

#include "linalg/tensor_file.h"
#include "support/objectives.h"

namespace loa {
namespace {

using test::random_vector;
using test::same_bits;

// Eq. (6) with full matrices.
Matrix general_update(const Matrix& B, const Vector& d, const Vector& delta_g, const Vector& y) {
  const Vector r = d - B * delta_g;
  const double delta_g_y = delta_g.dot(y);
  return B + (r * y.transpose() + y * r.transpose() - (delta_g.dot(r) / delta_g_y) * y * y.transpose()) / delta_g_y;
}

struct Triple {
  Vector d, delta_g, y;
};

// d and dg of a convex quadratic, y anywhere with <dg,y> well away from zero.
Triple triple(Index n, std::uint64_t seed) {
  Triple t{random_vector(n, seed), {}, random_vector(n, seed + 1000)};
  t.delta_g = test::random_spd(n, 10.0, 7) * t.d;
  t.y += (2.0 / t.delta_g.squaredNorm()) * t.delta_g * std::abs(t.delta_g.dot(t.y));
  return t;
}

// What the oracle does: one product, then the update.
void update(InverseHessian& B, const Triple& t) {
  Vector B_delta_g;
  apply(B, t.delta_g, B_delta_g);
  B.update({.d = t.d, .delta_g = t.delta_g, .B_delta_g = B_delta_g, .y = t.y}, Reduction::serial());
}

double relative_error(const Matrix& a, const Matrix& b) { return (a - b).norm() / b.norm(); }

class DenseInverseHessianOfSize : public testing::TestWithParam<Index> {};

TEST_P(DenseInverseHessianOfSize, FollowsEquationSix) {
  const Index n = GetParam();
  DenseInverseHessian B(n);
  B.reset(0.3);
  Matrix expected = 0.3 * Matrix::Identity(n, n);
  for (std::uint64_t k = 0; k < 6; ++k) {
    const Triple t = triple(n, 10 * k + 1);
    update(B, t);
    expected = general_update(expected, t.d, t.delta_g, t.y);
    EXPECT_LT(relative_error(B.matrix(), expected), 1e-11) << "update " << k;
    const Vector v = random_vector(n, k);
    Vector product;
    B.apply(v, product);
    EXPECT_LT((product - expected * v).norm(), 1e-11 * expected.norm() * v.norm()) << "update " << k;
  }
}

TEST_P(DenseInverseHessianOfSize, SecantEquationHoldsForEveryY) {
  const Index n = GetParam();
  DenseInverseHessian B(n);
  B.reset(1.0);
  for (std::uint64_t k = 0; k < 5; ++k) {
    const Triple t = triple(n, 10 * k + 1);
    update(B, t);
    Vector product;
    B.apply(t.delta_g, product);
    EXPECT_LT((product - t.d).norm(), 1e-10 * (1.0 + B.matrix().norm()) * t.d.norm());
  }
}

TEST_P(DenseInverseHessianOfSize, MatrixIsSymmetricAndLooksOnly) {
  const Index n = GetParam();
  DenseInverseHessian B(n);
  B.reset(1.0);
  update(B, triple(n, 3));
  const Matrix first = B.matrix(), second = B.matrix();
  EXPECT_EQ(first, second);
  EXPECT_EQ(first, Matrix(first.transpose()));
  const Vector v = random_vector(n, 4);
  Vector product;
  B.apply(v, product);  // applies what is queued, once
  EXPECT_EQ(B.matrix(), first);
}

TEST_P(DenseInverseHessianOfSize, TwoUpdatesWithoutApplyBothCount) {
  const Index n = GetParam();
  const Triple a = triple(n, 1), b = triple(n, 2);
  DenseInverseHessian B(n);
  B.reset(0.5);
  const Matrix start = 0.5 * Matrix::Identity(n, n);
  const Matrix after_a = general_update(start, a.d, a.delta_g, a.y);
  const Matrix after_b = general_update(after_a, b.d, b.delta_g, b.y);
  const Vector B_a = start * a.delta_g, B_b = after_a * b.delta_g;
  B.update({.d = a.d, .delta_g = a.delta_g, .B_delta_g = B_a, .y = a.y});
  B.update({.d = b.d, .delta_g = b.delta_g, .B_delta_g = B_b, .y = b.y});
  EXPECT_LT(relative_error(B.matrix(), after_b), 1e-11);
}

TEST_P(DenseInverseHessianOfSize, ResetForgetsMatrixAndQueue) {
  const Index n = GetParam();
  DenseInverseHessian B(n);
  B.reset(1.0);
  update(B, triple(n, 1));
  update(B, triple(n, 2));
  B.reset(0.25);
  EXPECT_EQ(B.matrix(), Matrix(0.25 * Matrix::Identity(n, n)));
  const Vector v = random_vector(n, 9);
  Vector product;
  B.apply(v, product);
  EXPECT_TRUE(same_bits(product, 0.25 * v));
}

TEST_P(DenseInverseHessianOfSize, OnlyTheDirectionOfYMatters) {
  const Index n = GetParam();
  Triple t = triple(n, 1);
  DenseInverseHessian B(n), scaled(n);
  B.reset(1.0);
  scaled.reset(1.0);
  update(B, t);
  t.y *= -0x1.0p40;
  update(scaled, t);
  EXPECT_EQ(B.matrix(), scaled.matrix());
}

// x -> 2^i x and f -> 2^j f together: d scales by 2^i, dg by 2^(j-i), B by 2^(2i-j).
TEST_P(DenseInverseHessianOfSize, PowersOfTwoScaleBitForBit) {
  const Index n = GetParam();
  for (const auto& [i, j] : {std::pair{0, 3}, {5, 0}, {-30, 17}, {100, -200}, {-120, 90}}) {
    const double x_scale = std::exp2(i), g_scale = std::exp2(j - i), B_scale = std::exp2(2 * i - j);
    DenseInverseHessian B(n), scaled(n);
    B.reset(0.7);
    scaled.reset(0.7 * B_scale);
    for (std::uint64_t k = 0; k < 4; ++k) {
      Triple t = triple(n, k);
      update(B, t);
      t.d *= x_scale;
      t.delta_g *= g_scale;
      t.y *= x_scale;
      update(scaled, t);
    }
    EXPECT_EQ(Matrix(B_scale * B.matrix()), scaled.matrix()) << i << " " << j;
    const Vector v = random_vector(n, 5);
    Vector product, product_scaled;
    B.apply(v, product);
    scaled.apply(g_scale * v, product_scaled);
    EXPECT_TRUE(same_bits(x_scale * product, product_scaled)) << i << " " << j;
  }
}

TEST_P(DenseInverseHessianOfSize, SaveAndLoadBitForBitWithAndWithoutQueue) {
  const Index n = GetParam();
  for (const bool queued : {false, true}) {
    DenseInverseHessian B(n);
    B.reset(1.0 / 3.0);
    update(B, triple(n, 1));
    update(B, triple(n, 2));
    const Vector v = random_vector(n, 3);
    Vector product, product_loaded;
    if (!queued) B.apply(v, product);
    TensorFile file;
    B.save(file);
    TensorFile copy;
    ASSERT_EQ(copy.read_bytes(file.write_bytes(), "memory").message(), "");
    DenseInverseHessian loaded(0);
    ASSERT_EQ(loaded.load(copy).message(), "");
    EXPECT_EQ(loaded.dimension(), n);
    EXPECT_EQ(loaded.matrix(), B.matrix());
    for (std::uint64_t k = 4; k < 7; ++k) {
      update(B, triple(n, k));
      update(loaded, triple(n, k));
      B.apply(v, product);
      loaded.apply(v, product_loaded);
      EXPECT_TRUE(same_bits(product, product_loaded)) << "queued " << queued << " update " << k;
    }
  }
}

// With a term in the queue and without one, by factors that go into the matrix (2^400) and that do not.
TEST_P(DenseInverseHessianOfSize, RescalingIsAProductWithANumber) {
  const Index n = GetParam();
  for (const double factor : {0.3, 17.0, 0x1p400, 0x1p-400}) {
    DenseInverseHessian B(n);
    B.reset(0.3);
    Matrix expected = 0.3 * Matrix::Identity(n, n);
    for (std::uint64_t k = 0; k < 4; ++k) {
      const Triple t = triple(n, 10 * k + 1);
      update(B, t);
      expected = general_update(expected, t.d, t.delta_g, t.y);
      B.rescale(factor);
      B.rescale(1.0 / factor);
      const double this_factor = k % 2 == 0 ? 0.7 : 1.9;
      B.rescale(this_factor);
      expected *= this_factor;
      EXPECT_LT(relative_error(B.matrix(), expected), 1e-11) << "update " << k;
      const Vector v = random_vector(n, k);
      Vector product;
      B.apply(v, product);
      EXPECT_LT((product - expected * v).norm(), 1e-11 * expected.norm() * v.norm()) << "update " << k;
      EXPECT_LT((B.reference_product(v) - expected * v).norm(), 1e-11 * expected.norm() * v.norm()) << "update " << k;
      B.add({.u = 0.5 * v, .z = product});
      expected += 0.5 * (v * product.transpose() + product * v.transpose());
      EXPECT_LT(relative_error(B.matrix(), expected), 1e-11) << "update " << k;
    }
    const auto moved = B.congruent([](const Vector& v) { return Vector(2.0 * v); }, 0.25);
    EXPECT_LT(relative_error(dynamic_cast<const DenseInverseHessian&>(*moved).matrix(), expected), 1e-11);
    B.reset(0.25);
    EXPECT_EQ(B.matrix(), Matrix(0.25 * Matrix::Identity(n, n)));
  }
}

TEST_P(DenseInverseHessianOfSize, RescalingByCoordinatesIsAProductOnBothSides) {
  const Index n = GetParam();
  DenseInverseHessian B(n);
  B.reset(0.3);
  Matrix expected = 0.3 * Matrix::Identity(n, n);
  for (std::uint64_t k = 0; k < 4; ++k) {
    const Triple t = triple(n, 10 * k + 1);
    update(B, t);
    const Vector T = random_vector(n, k + 7).array().exp();
    B.rescale(T);
    expected = T.asDiagonal() * general_update(expected, t.d, t.delta_g, t.y) * T.asDiagonal();
    const Vector v = random_vector(n, k);
    Vector product;
    B.apply(v, product);
    EXPECT_LT((product - expected * v).norm(), 1e-11 * expected.norm() * v.norm()) << "update " << k;
    EXPECT_LT(relative_error(B.matrix(), expected), 1e-11) << "update " << k;
  }
}

TEST_P(DenseInverseHessianOfSize, ScaleIsSavedBitForBit) {
  const Index n = GetParam();
  DenseInverseHessian B(n), loaded(0);
  B.reset(1.0 / 3.0);
  update(B, triple(n, 1));
  B.rescale(0.7);
  TensorFile file;
  B.save(file);
  ASSERT_EQ(loaded.load(file).message(), "");
  const Vector v = random_vector(n, 3);
  Vector product, product_loaded;
  B.apply(v, product);
  loaded.apply(v, product_loaded);
  EXPECT_TRUE(same_bits(product, product_loaded));
  EXPECT_EQ(loaded.matrix(), B.matrix());
}

INSTANTIATE_TEST_SUITE_P(Sizes, DenseInverseHessianOfSize, testing::Values(1, 2, 3, 8, 17, 40));

TEST(DenseInverseHessian, WithYEqualToDIsBfgs) {
  // (I - rho d dg^T) B (I - rho dg d^T) + rho d d^T, the textbook form.
  const Index n = 12;
  const Triple t = triple(n, 1);
  const Vector& y = t.d;
  DenseInverseHessian B(n);
  B.reset(0.6);
  update(B, {t.d, t.delta_g, y});
  const double rho = 1.0 / t.delta_g.dot(t.d);
  const Matrix V = Matrix::Identity(n, n) - rho * t.delta_g * t.d.transpose();
  const Matrix expected = 0.6 * V.transpose() * V + rho * t.d * t.d.transpose();
  EXPECT_LT(relative_error(B.matrix(), expected), 1e-13);
}

TEST(DenseInverseHessian, WithYEqualToRIsSymmetricRankOne) {
  const Index n = 12;
  const Triple t = triple(n, 1);
  const Vector r = t.d - 0.6 * t.delta_g;
  DenseInverseHessian B(n);
  B.reset(0.6);
  update(B, {t.d, t.delta_g, r});
  const Matrix expected = 0.6 * Matrix::Identity(n, n) + r * r.transpose() / r.dot(t.delta_g);
  EXPECT_LT(relative_error(B.matrix(), expected), 1e-13);
}

TEST(DenseInverseHessian, EmptyWorks) {
  DenseInverseHessian B(0);
  B.reset(1.0);
  Vector out;
  B.apply(Vector(0), out);
  EXPECT_EQ(out.size(), 0);
  EXPECT_EQ(B.matrix().size(), 0);
}

TEST(DenseInverseHessian, CloneIsIndependent) {
  DenseInverseHessian B(4);
  B.reset(1.0);
  update(B, triple(4, 1));
  const Matrix before = B.matrix();
  const auto copy = B.clone();
  update(*copy, triple(4, 2));
  EXPECT_EQ(B.matrix(), before);
  EXPECT_NE(dynamic_cast<const DenseInverseHessian&>(*copy).matrix(), before);
}

TEST(DenseInverseHessian, LoadRefusesWhatDoesNotFit) {
  DenseInverseHessian B(4);
  B.reset(1.0);
  TensorFile good;
  B.save(good);
  for (const char* missing : {"B.rows", "B.u", "B.z"}) {
    TensorFile bad = good;
    bad.tensors.erase(missing);
    EXPECT_NE(DenseInverseHessian(0).load(bad).message(), "") << missing;
  }
  for (const char* wrong : {"B.rows", "B.u", "B.z"}) {
    TensorFile bad = good;
    bad.put(wrong, Vector::Ones(3));
    EXPECT_NE(DenseInverseHessian(0).load(bad).message(), "") << wrong;
  }
  TensorFile without = good;
  without.metadata.erase("B.sigma");
  EXPECT_NE(DenseInverseHessian(0).load(without).message(), "");
  for (const double sigma : {0.0, -1.0, 0x1p301, 0x1p-301, std::numeric_limits<double>::quiet_NaN()}) {
    TensorFile bad = good;
    bad.put_scalar("B.sigma", sigma);
    EXPECT_NE(DenseInverseHessian(0).load(bad).message(), "") << sigma;
  }
}

}  // namespace
}  // namespace loa
