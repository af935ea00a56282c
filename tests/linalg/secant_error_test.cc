// Would catch: a wrong term in either quadratic form, a pair that is not conjugated, a wrong gamma, a faster way whose
// bits are others.
#include "linalg/secant_error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

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

// The formulas of the header with whole matrices, all sums from the first term to the last.
Matrix product_of(const Matrix& a, const Matrix& b) {
  Matrix result(a.rows(), b.cols());
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < b.cols(); ++j) {
      result(i, j) = a(i, 0) * b(0, j);
      for (Index l = 1; l < a.cols(); ++l) result(i, j) += a(i, l) * b(l, j);
    }
  return result;
}

double plain_error(const Matrix& d_dg, const SecantError::Metric& metric) {
  const Index m = d_dg.rows() - 1;
  ConjugatedPairs conjugated(SecantError::kPairs);
  conjugated.conjugate(d_dg, m);
  Matrix made = Matrix::Identity(m + 1, m + 1);
  for (Index l = 0; l < m; ++l) {
    std::vector<double> unit(3), column(3);
    unit[static_cast<std::size_t>(l)] = 1.0;
    conjugated.combine(unit, column);
    for (Index i = 0; i < m; ++i) made(i, l) = column[static_cast<std::size_t>(i)];
  }
  const auto of_made = [&](const Matrix& given) { return product_of(product_of(made, given), made.transpose()); };
  const Matrix s = of_made(d_dg);
  const double gamma = m > 0 ? d_dg(m - 1, m - 1) / metric.delta_g(m - 1, m - 1) : 1.0;
  Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, 4, 1> q(m + 1);
  q(m) = 1.0;
  double of_delta_g = 0.0;
  for (Index i = m - 1; i >= 0; --i) {
    double d_q = 0.0;
    for (Index j = i + 1; j <= m; ++j) d_q += s(i, j) * q(j);
    q(i) = -d_q / s(i, i);
    of_delta_g += s(i, i) * q(i) * q(i);
  }
  of_delta_g += gamma * q.dot(SecantError::Products(of_made(metric.delta_g)).lazyProduct(q));
  Matrix H = of_made(metric.d) / gamma;
  for (Index k = 0; k < m; ++k) {
    const Vector column = H.col(k);
    for (Index i = 0; i <= m; ++i)
      for (Index j = 0; j <= m; ++j) {
        H(i, j) += s(i, k) * s(j, k) / s(k, k);
        H(i, j) -= column(i) * column(j) / column(k);
      }
  }
  return std::log(of_delta_g / s(m, m)) + std::log(H(m, m) / s(m, m));
}

TEST(SecantError, HasTheBitsOfWholeMatrices) {
  const Vector W = random_vector(12, 1).array().exp();
  for (Index num = 1; num <= SecantError::kPairs + 1; ++num)
    for (const double change : {0.0, 0.02, 0.5}) {
      const Pairs pairs = random_pairs(12, num, change);
      const Matrix d_dg = pairs.d.transpose() * pairs.delta_g;
      const SecantError::Metric metric{.delta_g = pairs.delta_g.transpose() * W.asDiagonal() * pairs.delta_g,
                                       .d = pairs.d.transpose() * W.cwiseInverse().asDiagonal() * pairs.d};
      SecantError error;
      error.set_pairs(d_dg);
      EXPECT_EQ(error(metric), plain_error(d_dg, metric)) << num << ' ' << change;
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
