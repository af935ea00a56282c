#include "linalg/secant_error.h"

#include <cmath>

namespace loa {
namespace {

using Products = SecantError::Products;

// made given made^T. Row i of `made` has nothing before column i, and its last row and column are those of I. The sums
// that are 1 times a number are left out, and with m known the compiler needs no loops.
template <Index m>
void transform(const Products& made, const Products& given, Products& result) {
  double half[m + 1][m + 1];
  for (Index j = 0; j <= m; ++j) {
    for (Index i = 0; i < m; ++i) {
      half[i][j] = given(i, j);
      for (Index l = i + 1; l < m; ++l) half[i][j] += made(i, l) * given(l, j);
    }
    half[m][j] = given(m, j);
  }
  for (Index i = 0; i <= m; ++i) {
    for (Index j = 0; j < m; ++j) {
      result(i, j) = half[i][j];
      for (Index l = j + 1; l < m; ++l) result(i, j) += half[i][l] * made(j, l);
    }
    result(i, m) = half[i][m];
  }
}

Products transformed(const Products& made, const Products& given) {
  static_assert(SecantError::kPairs == 3);
  Products result(given.rows(), given.cols());
  switch (given.rows() - 1) {
    case 0:
      transform<0>(made, given, result);
      break;
    case 1:
      transform<1>(made, given, result);
      break;
    case 2:
      transform<2>(made, given, result);
      break;
    default:
      transform<3>(made, given, result);
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
  q_.resize(m + 1);
  q_(m) = 1.0;
  sum_of_pairs_ = 0.0;
  for (Index i = m - 1; i >= 0; --i) {
    double d_q = 0.0;
    for (Index j = i + 1; j <= m; ++j) d_q += d_dg_(i, j) * q_(j);
    q_(i) = -d_q / d_dg_(i, i);
    sum_of_pairs_ += d_dg_(i, i) * q_(i) * q_(i);
  }
}

double SecantError::operator()(const Metric& metric) const {
  const Index m = d_dg_.rows() - 1;
  const double gamma = m > 0 ? newest_ / metric.delta_g(m - 1, m - 1) : 1.0;
  const Products delta_g = transformed(made_, metric.delta_g);
  const double delta_g_B_delta_g = sum_of_pairs_ + gamma * q_.dot(delta_g.lazyProduct(q_));

  // Only what later steps read is made: what is on and below the diagonal, and right of column k.
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
