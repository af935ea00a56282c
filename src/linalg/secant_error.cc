#include "linalg/secant_error.h"

#include <cmath>

namespace loa {
namespace {

using Products = SecantError::Products;

// made given made^T. Row i of `made` has nothing before column i, and its last row and column are those of I.
Products transformed(const Products& made, const Products& given) {
  const Index m = given.rows() - 1;
  Products half(m + 1, m + 1), result(m + 1, m + 1);
  for (Index j = 0; j <= m; ++j) {
    for (Index i = 0; i < m; ++i) {
      double sum = made(i, i) * given(i, j);
      for (Index l = i + 1; l < m; ++l) sum += made(i, l) * given(l, j);
      half(i, j) = sum;
    }
    half(m, j) = given(m, j);
  }
  for (Index i = 0; i <= m; ++i) {
    for (Index j = 0; j < m; ++j) {
      double sum = half(i, j) * made(j, j);
      for (Index l = j + 1; l < m; ++l) sum += half(i, l) * made(j, l);
      result(i, j) = sum;
    }
    result(i, m) = half(i, m);
  }
  return result;
}

}  // namespace

void SecantError::set_pairs(const Products& d_dg) {
  const Index m = d_dg.rows() - 1;
  newest_ = m > 0 ? d_dg(m - 1, m - 1) : 1.0;
  conjugated_.conjugate(d_dg, m);
  made_.setIdentity(m + 1, m + 1);
  for (Index l = 0; l < m; ++l) {
    std::array<double, kPairs> given = {}, made = {};
    given[static_cast<std::size_t>(l)] = 1.0;
    conjugated_.combine(given, made);
    for (Index i = 0; i < m; ++i) made_(i, l) = made[static_cast<std::size_t>(i)];
  }
  d_dg_ = transformed(made_, d_dg);
}

double SecantError::operator()(const Metric& metric) const {
  const Index m = d_dg_.rows() - 1;
  const double gamma = m > 0 ? newest_ / metric.delta_g(m - 1, m - 1) : 1.0;
  const Products delta_g = transformed(made_, metric.delta_g);
  Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, kPairs + 1, 1> q(m + 1);  // coefficients of the dg_i
  q(m) = 1.0;
  double delta_g_B_delta_g = 0.0;
  for (Index i = m - 1; i >= 0; --i) {
    double d_q = 0.0;
    for (Index j = i + 1; j <= m; ++j) d_q += d_dg_(i, j) * q(j);
    q(i) = -d_q / d_dg_(i, i);
    delta_g_B_delta_g += d_dg_(i, i) * q(i) * q(i);
  }
  delta_g_B_delta_g += gamma * q.dot(delta_g.lazyProduct(q));

  // Only what later steps read is made: what is below the diagonal, and right of column k.
  Products H = transformed(made_, metric.d);
  for (Index j = 0; j <= m; ++j)
    for (Index i = j; i <= m; ++i) H(i, j) /= gamma;
  for (Index k = 0; k < m; ++k)
    for (Index j = k + 1; j <= m; ++j)
      for (Index i = j; i <= m; ++i) {
        H(i, j) += d_dg_(i, k) * d_dg_(j, k) / d_dg_(k, k);
        H(i, j) -= H(i, k) * H(j, k) / H(k, k);
      }
  return std::log(delta_g_B_delta_g / d_dg_(m, m)) + std::log(H(m, m) / d_dg_(m, m));
}

}  // namespace loa
