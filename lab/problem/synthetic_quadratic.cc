// Synthetic families, polynomials of linear forms: quadratics with several spectra, higher powers, power means.
#include "problem/synthetic.h"
#include "problem/synthetic_draw.h"

namespace loa::synthetic {
namespace {

// sum_j w_j z_j^2 / 2 with the given weights; the frame may rotate it.
Draft diagonal_quadratic(const Vector& weights) {
  return draft(Vector::Zero(weights.size()), 1.0, [weights]<class T>(const T* z, T*) {
    T f = 0.0;
    for (Index j = 0; j < weights.size(); ++j) f += (0.5 * weights[j]) * square(z[j]);
    return f;
  });
}

// 1/2 sum_j w_j z_j^2, the w_j log-uniform.
Draft make_spread_quadratic(Index n, Random& random) {
  return diagonal_quadratic(spread(n, draw_condition(random), random));
}

// 1/2 sum_j w_j z_j^2 with two or three clusters of w_j.
Draft make_clustered_quadratic(Index n, Random& random) {
  const Vector levels = spread(integer(2, 3, random), draw_condition(random), random);
  Vector weights(n);
  for (double& w : weights) w = levels[integer(0, levels.size() - 1, random)] * (1.0 + 0.05 * random.uniform());
  return diagonal_quadratic(weights);
}

// 1/2 ||A z - b||^2, A with correlated rows.
Draft make_least_squares(Index n, Random& random) {
  const Forms a = draw_forms(2 * n, n, random);
  const Vector b = apply(a, normals(n, random)) + normals(a.m, random, 0.3);
  return draft(Vector::Zero(n), 1.0, [a, b]<class T>(const T* z, T*) {
    T f = 0.0;
    for (Index i = 0; i < a.m; ++i) f += 0.5 * square(a.dot(i, z) - b[i]);
    return f;
  });
}

// sum_j w_j/2 z_j^2 + (1/4) sum_i (<a_i, z> - b_i)^4.
Draft make_quartic(Index n, Random& random) {
  const Forms a = draw_forms(n, n, random);
  const Vector b = normals(n, random), w = spread(n, draw_condition(random), random) * power_of_ten(-3, 0, random);
  return draft(Vector::Zero(n), 2.0, [a, b, w, n]<class T>(const T* z, T*) {
    T f = 0.0;
    for (Index j = 0; j < n; ++j) f += 0.5 * w[j] * square(z[j]);
    for (Index i = 0; i < a.m; ++i) f += 0.25 * square(square(a.dot(i, z) - b[i]));
    return f;
  });
}

// sum_i |r_i|^p smoothed, (r_i^2 + delta^2)^(p/2) with p from 2.5 to 7 and r = A z - b.
Draft make_power(Index n, Random& random) {
  const Forms a = draw_forms(2 * n, n, random);
  const Vector b = apply(a, normals(n, random)) + normals(a.m, random, 0.5);
  const double half_p = random.uniform(1.25, 3.5), delta2 = power_of_ten(-3, -1, random);
  return draft(Vector::Zero(n), 1.0, [=]<class T>(const T* z, T*) {
    T f = 0.0;
    for (Index i = 0; i < a.m; ++i) f += pow(square(a.dot(i, z) - b[i]) + delta2, half_p);
    return f;
  });
}

// <b, z> + 1/2 z^T D z + sigma/3 (||z||^2 + delta)^(3/2) with an indefinite D: the cubic model of Nesterov and Polyak
// (2006), smoothed at 0.
Draft make_cubic_model(Index n, Random& random) {
  const double condition = draw_condition(random), sigma = power_of_ten(-1, 1, random);
  Vector d = spread(n, condition, random);
  for (double& entry : d) entry *= chance(0.2, random) ? -0.1 : 1.0;
  const Vector b = normals(n, random);
  return draft(Vector::Zero(n), 1.0, [=]<class T>(const T* z, T*) {
    T f = 0.0, norm2 = 1e-2;
    for (Index j = 0; j < n; ++j) {
      f += b[j] * z[j] + 0.5 * d[j] * square(z[j]);
      norm2 += square(z[j]);
    }
    return f + sigma / 3.0 * pow(norm2, 1.5);
  });
}

// sum over i of (<a_i, z>^2 - 1)^2 / 4 + 1/2 (<c_i, z> - b_i)^2: quartic with saddles.
Draft make_saddled_quartic(Index n, Random& random) {
  const Forms a = draw_forms(n, n, random), c = draw_forms(n, n, random);
  const Vector b = normals(n, random, 0.5);
  const double weight = power_of_ten(-2, 0, random);
  return draft(Vector::Zero(n), 1.5, [=]<class T>(const T* z, T*) {
    T f = 0.0;
    for (Index i = 0; i < n; ++i) {
      f += 0.25 * square(square(a.dot(i, z)) - 1.0) + 0.5 * weight * square(c.dot(i, z) - b[i]);
    }
    return f + ridge(z, n, 1e-3);
  });
}

}  // namespace

const std::vector<Family>& quadratic_families() {
  static const std::vector<Family> families = {
      {"spread-quadratic", "a quadratic, eigenvalues log-uniform, condition up to 1e4", 2, 100000,
       make_spread_quadratic},
      {"clustered-quadratic", "a quadratic, eigenvalues in two or three clusters", 2, 100000, make_clustered_quadratic},
      {"least-squares", "linear least squares with correlated columns", 2, 10000, make_least_squares},
      {"quartic", "fourth powers of linear forms and a weak quadratic", 2, 10000, make_quartic},
      {"power", "smoothed p-th powers of residuals, p from 2.5 to 7", 2, 10000, make_power},
      {"cubic-model", "a linear term, an indefinite quadratic and the cube of the norm", 2, 10000, make_cubic_model},
      {"saddled-quartic", "double wells along linear forms and a weak fit", 2, 10000, make_saddled_quartic},
  };
  return families;
}

}  // namespace loa::synthetic
