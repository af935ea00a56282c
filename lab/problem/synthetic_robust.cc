// Synthetic families, robust regression: sum_i rho(r_i) with r = A z - b, a part of the b_i being outliers. Losses as
// in Barron, "A General and Adaptive Robust Loss Function", CVPR 2019, and Huber, "Robust Statistics" (1981).
#include "problem/synthetic.h"
#include "problem/synthetic_draw.h"

namespace loa::synthetic {
namespace {

template <class Loss>
Draft robust_regression(Index n, Random& random, Loss loss) {
  const Forms a = draw_forms(3 * n, n, random);
  const Vector truth = normals(n, random);
  Vector b = apply(a, truth) + normals(a.m, random, 0.1);
  const double outliers = random.uniform(0.0, 0.3);
  for (double& entry : b) {
    if (chance(outliers, random)) entry += 5.0 * random.normal();
  }
  return draft(truth, 1.0, [a, b, loss]<class T>(const T* z, T*) {
    T f = 0.0;
    for (Index i = 0; i < a.m; ++i) f += loss(a.dot(i, z) - b[i]);
    return f;
  });
}

// sqrt(1 + (r/delta)^2) - 1.
Draft make_pseudo_huber(Index n, Random& random) {
  const double inverse = power_of_ten(-0.3, 1.5, random);
  return robust_regression(n, random, [=](const auto& r) { return hypot1(inverse * r) - 1.0; });
}

// log cosh(r/delta).
Draft make_log_cosh(Index n, Random& random) {
  const double inverse = power_of_ten(-0.3, 1.3, random);
  return robust_regression(n, random, [=](const auto& r) { return log_cosh(inverse * r); });
}

// log(1 + (r/delta)^2).
Draft make_cauchy(Index n, Random& random) {
  const double inverse2 = power_of_ten(-1, 1.5, random);
  return robust_regression(n, random, [=](const auto& r) { return log1p(inverse2 * square(r)); });
}

// 1 - exp(-(r/delta)^2) plus a weak quadratic, without which the far field is flat.
Draft make_welsch(Index n, Random& random) {
  const double inverse2 = power_of_ten(-1.5, 0, random), weight = power_of_ten(-3, -1.5, random);
  return robust_regression(n, random, [=](const auto& r) {
    const auto r2 = square(r);
    return 1.0 - exp(-inverse2 * r2) + weight * r2;
  });
}

// r^2/(delta^2 + r^2), Geman and McClure, plus a weak quadratic.
Draft make_geman_mcclure(Index n, Random& random) {
  const double delta2 = power_of_ten(-0.5, 1, random), weight = power_of_ten(-3, -1.5, random);
  return robust_regression(n, random, [=](const auto& r) {
    const auto r2 = square(r);
    return r2 / (r2 + delta2) + weight * r2;
  });
}

// Student's t with the scale among the variables: (nu + 1)/2 mean log(1 + r_i^2/(nu s^2)) + log s, s = exp(z_n).
Draft make_student_t(Index n, Random& random) {
  const Index p = n - 1;
  const Forms a = draw_forms(4 * n, p, random);
  const Vector truth = normals(p, random);
  Vector b = apply(a, truth);
  for (double& entry : b) entry += 0.2 * random.normal() / std::max(0.05, std::abs(random.normal()));
  const double nu = random.uniform(1.5, 6.0), weight = 0.5 * (nu + 1.0) / static_cast<double>(a.m);
  return draft(Vector::Zero(n), 0.7, [=]<class T>(const T* z, T*) {
    const T inverse2 = exp(-2.0 * z[p]) / nu;
    T f = 0.0;
    for (Index i = 0; i < a.m; ++i) f += log1p(inverse2 * square(a.dot(i, z) - b[i]));
    return weight * f + z[p] + 1e-3 * square(z[p]);
  });
}

// Quantile regression, smoothed: tau r + delta softplus(-r/delta).
Draft make_quantile(Index n, Random& random) {
  const double tau = random.uniform(0.1, 0.9), inverse = power_of_ten(0, 1.5, random);
  return robust_regression(n, random,
                           [=](const auto& r) { return tau * r + (1.0 / inverse) * softplus(-inverse * r); });
}

// exp(t) - t - 1 with t = clipped r/delta: steep on one side, linear on the other (linex).
Draft make_linex(Index n, Random& random) {
  const double slope = power_of_ten(-0.5, 0.3, random);
  return robust_regression(n, random, [=](const auto& r) { return exp(slope * r) - slope * r; });
}

}  // namespace

const std::vector<Family>& robust_families() {
  static const std::vector<Family> families = {
      {"pseudo-huber", "robust regression, sqrt(1 + r^2)", 2, 10000, make_pseudo_huber},
      {"log-cosh", "robust regression, log cosh r", 2, 10000, make_log_cosh},
      {"cauchy", "robust regression, log(1 + r^2), nonconvex", 2, 10000, make_cauchy},
      {"welsch", "robust regression, 1 - exp(-r^2), nonconvex", 2, 10000, make_welsch},
      {"geman-mcclure", "robust regression, r^2/(1 + r^2), nonconvex", 2, 10000, make_geman_mcclure},
      {"student-t", "regression with Student's t and an unknown scale", 2, 10000, make_student_t},
      {"quantile", "quantile regression, smoothed", 2, 10000, make_quantile},
      {"linex", "regression with exp(r) - r", 2, 10000, make_linex},
  };
  return families;
}

}  // namespace loa::synthetic
