#include "linalg/secant_error.h"

#include <cmath>

namespace loa {

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
  d_dg_ = made_.lazyProduct(d_dg).eval().lazyProduct(made_.transpose());
}

double SecantError::operator()(const Metric& metric) const {
  const Index m = d_dg_.rows() - 1;
  const double gamma = m > 0 ? newest_ / metric.delta_g(m - 1, m - 1) : 1.0;
  const auto of_made = [&](const Products& given) {
    return Products(made_.lazyProduct(given).eval().lazyProduct(made_.transpose()));
  };

  const Products delta_g = of_made(metric.delta_g);
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

  Products H = of_made(metric.d) / gamma;
  for (Index k = 0; k < m; ++k) {
    const Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, kPairs + 1, 1> column = H.col(k);
    H += d_dg_.col(k).lazyProduct(d_dg_.col(k).transpose()) / d_dg_(k, k);
    H -= column.lazyProduct(column.transpose()) / column(k);
  }
  return std::log(delta_g_B_delta_g / d_dg_(m, m)) + std::log(H(m, m) / d_dg_(m, m));
}

}  // namespace loa
