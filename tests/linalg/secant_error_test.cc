// Would catch: a wrong term in either quadratic form, a pair that is not conjugated, a wrong gamma.
#include "linalg/secant_error.h"

#include <gtest/gtest.h>

#include <cmath>

#include "problem/decompositions.h"
#include "support/objectives.h"

namespace loa {
namespace {

using test::random_vector;

struct Pairs {
  Matrix d, delta_g;  // by columns, the further pair last
};

Pairs random_pairs(Index n, Index num, double change) {
  const Matrix H = test::random_spd(n, 20.0, 3), other = test::random_spd(n, 20.0, 5);
  Pairs pairs{Matrix(n, num), Matrix(n, num)};
  for (Index i = 0; i < num; ++i) {
    pairs.d.col(i) = random_vector(n, static_cast<std::uint64_t>(i) + 20);
    pairs.delta_g.col(i) = H * pairs.d.col(i) + change * static_cast<double>(i) * (other * pairs.d.col(i));
  }
  return pairs;
}

double error_of(const Pairs& pairs, const Vector& W) {
  SecantError error;
  error.set_pairs(pairs.d.transpose() * pairs.delta_g);
  return error({.delta_g = pairs.delta_g.transpose() * W.asDiagonal() * pairs.delta_g,
                .d = pairs.d.transpose() * W.cwiseInverse().asDiagonal() * pairs.d});
}

// The same with the matrix B.
double error_of_matrix(const Pairs& pairs, const Vector& W) {
  const Index m = pairs.d.cols() - 1;
  Matrix d = pairs.d.leftCols(m), delta_g = pairs.delta_g.leftCols(m), B = W.asDiagonal();
  if (m > 0) B *= d.col(m - 1).dot(delta_g.col(m - 1)) / delta_g.col(m - 1).dot(W.cwiseProduct(delta_g.col(m - 1)));
  ConjugatedPairs conjugated(SecantError::kPairs);
  conjugated.conjugate(d.transpose() * delta_g, m);
  for (Index i = 0; i < m; ++i) {
    std::vector<double> made(3), given(3);
    made[static_cast<std::size_t>(i)] = 1.0;
    conjugated.expand(made, given);
    const Eigen::Map<const Vector> coefficients(given.data(), m);
    const Vector d_i = d * coefficients, delta_g_i = delta_g * coefficients;
    const double h = d_i.dot(delta_g_i);
    const Matrix V = Matrix::Identity(d.rows(), d.rows()) - delta_g_i * d_i.transpose() / h;
    B = (V.transpose() * B * V + d_i * d_i.transpose() / h).eval();
  }
  const Vector u = pairs.d.col(m), v = pairs.delta_g.col(m);
  return std::log(v.dot(B * v) * u.dot(symmetric_solver(B)(u)) / std::pow(u.dot(v), 2));
}

TEST(SecantError, IsThatOfTheMatrix) {
  const Index n = 12;
  const Vector W = random_vector(n, 1).array().exp();
  for (Index num = 1; num <= SecantError::kPairs + 1; ++num)
    for (const double change : {0.0, 0.02, 0.5}) {
      const Pairs pairs = random_pairs(n, num, change);
      for (const Vector& metric : {W, Vector(Vector::Ones(n))}) {
        const double expected = error_of_matrix(pairs, metric);
        EXPECT_NEAR(error_of(pairs, metric), expected, 1e-11) << num << ' ' << change;
        EXPECT_GT(expected, 0.0);
      }
    }
}

// B = W = the inverse of a diagonal Hessian: nothing is left.
TEST(SecantError, IsZeroForTheInverseHessian) {
  const Index n = 9;
  const Vector H = random_vector(n, 4).array().exp();
  Pairs pairs = random_pairs(n, 4, 0.0);
  pairs.delta_g = H.asDiagonal() * pairs.d;
  EXPECT_NEAR(error_of(pairs, H.cwiseInverse()), 0.0, 1e-12);
  EXPECT_GT(error_of(pairs, Vector::Ones(n)), 0.05);
}

TEST(SecantError, IsNaNWhereNothingIsLeft) {
  Pairs pairs = random_pairs(5, 3, 0.1);
  pairs.d.col(2).setConstant(test::kNaN);
  EXPECT_TRUE(std::isnan(error_of(pairs, Vector::Ones(5))));
}

}  // namespace
}  // namespace loa
