// Synthetic families, barriers, penalties and smooth maxima. Nocedal and Wright, "Numerical Optimization", 2nd ed.,
// chapters 17 and 19; Boyd and Vandenberghe, "Convex Optimization", chapters 3 and 11.
#include <limits>

#include "problem/synthetic.h"
#include "problem/synthetic_draw.h"

namespace loa::synthetic {
namespace {

// Half-spaces <a_i, z> < b_i that hold at 0; m = 3 n.
struct Polytope {
  Forms a;
  Vector b;
};

Polytope draw_polytope(Index n, Random& random) {
  Forms a = draw_forms(3 * n, n, random);
  return {.a = a, .b = uniforms(a.m, 0.2, 2.0, random)};
}

// <c, z> mu^-1 + sum_i barrier(b_i - <a_i, z>) + a weak ridge for unbounded polytopes.
template <class Barrier>
Draft barrier_problem(Index n, Random& random, Barrier barrier) {
  const Polytope p = draw_polytope(n, random);
  const Vector c = normals(n, random, power_of_ten(-1, 2.5, random));
  return draft(Vector::Zero(n), 0.5, [=]<class T>(const T* z, T*) {
    T f = ridge(z, n, 0.1) + dot(c.data(), z, n);
    for (Index i = 0; i < p.a.m; ++i) f += barrier(p.b[i] - p.a.dot(i, z));
    return f;
  });
}

// -log(slack); not a number outside.
Draft make_log_barrier(Index n, Random& random) {
  return barrier_problem(n, random, [](const auto& slack) { return -log(slack); });
}

// 1/slack inside; infinite outside.
Draft make_inverse_barrier(Index n, Random& random) {
  return barrier_problem(n, random, []<class T>(const T& slack) {
    return primal(slack) > 0.0 ? 1.0 / slack : T(std::numeric_limits<double>::infinity());
  });
}

// mu/2 softplus(k violation)^2/k^2: an exterior penalty, smoothed.
Draft make_exterior_penalty(Index n, Random& random) {
  const double mu = power_of_ten(1, 4, random), k = power_of_ten(0, 1, random);
  return barrier_problem(n, random,
                         [=](const auto& slack) { return (0.5 * mu / (k * k)) * square(softplus(-k * slack)); });
}

// 1/2 sum_j w_j (z_j - b_j)^2 + sum_i lambda_i c_i + mu/2 c_i^2, c_i = <a_i, z>^2 + <e_i, z> - d_i: the augmented
// Lagrangian of a quadratic program with quadratic constraints, lambda = 0 in half of the instances.
Draft make_augmented_lagrangian(Index n, Random& random) {
  const Index m = std::max<Index>(1, n / 3);
  const Forms a = draw_forms(m, n, random), e = draw_forms(m, n, random);
  const Vector w = spread(n, std::sqrt(draw_condition(random)), random), b = normals(n, random);
  const Vector d = uniforms(m, 0.5, 2.0, random), lambda = normals(m, random, chance(0.5, random) ? 0.3 : 0.0);
  const double mu = power_of_ten(0, 4, random);
  return draft(b, 1.0, [=]<class T>(const T* z, T*) {
    T f = 0.0;
    for (Index j = 0; j < n; ++j) f += 0.5 * w[j] * square(z[j] - b[j]);
    for (Index i = 0; i < m; ++i) {
      const T c = square(a.dot(i, z)) + e.dot(i, z) - d[i];
      f += lambda[i] * c + 0.5 * mu * square(c);
    }
    return f;
  });
}

// mu log sum_i exp((<a_i, z> - b_i)/mu) + ridge: a smooth maximum of linear functions.
Draft make_log_sum_exp(Index n, Random& random) {
  const Polytope p = draw_polytope(n, random);
  const double mu = power_of_ten(-1.5, 0.5, random), l2 = power_of_ten(-2, 0, random);
  return draft(Vector::Zero(n), 1.0, [=]<class T>(const T* z, T*) {
    T s = (p.a.dot(0, z) - p.b[0]) / mu;
    for (Index i = 1; i < p.a.m; ++i) {
      const T t = (p.a.dot(i, z) - p.b[i]) / mu;
      s = primal(t) > primal(s) ? t + softplus(s - t) : s + softplus(t - s);
    }
    return mu * s + ridge(z, n, l2);
  });
}

// The smooth maximum of a few quadratics 1/2 sum_j w_kj (z_j - b_kj)^2.
Draft make_max_of_quadratics(Index n, Random& random) {
  const Index count = integer(2, 5, random);
  const double mu = power_of_ten(-1, 1, random), condition = draw_condition(random);
  Matrix w(n, count), b(n, count);
  for (Index k = 0; k < count; ++k) {
    w.col(k) = spread(n, condition, random) / std::sqrt(condition);
    b.col(k) = normals(n, random);
  }
  return draft(Vector::Zero(n), 1.0, [=]<class T>(const T* z, T*) {
    T s = 0.0;
    for (Index k = 0; k < count; ++k) {
      T q = 0.0;
      for (Index j = 0; j < n; ++j) q += 0.5 * w(j, k) * square(z[j] - b(j, k));
      s = k == 0 ? q / mu : s + softplus(q / mu - s);
    }
    return mu * s;
  });
}

// sum_j z_j log(z_j/p_j) - z_j + mu/2 sum_i (<a_i, z> - b_i)^2, z > 0: entropy; not a number outside.
Draft make_entropy(Index n, Random& random) {
  const Index m = std::max<Index>(1, n / 2);
  const Forms a = draw_forms(m, n, random);
  const Vector prior = uniforms(n, 0.2, 2.0, random), truth = uniforms(n, 0.1, 3.0, random), b = apply(a, truth);
  const double mu = power_of_ten(0, 3, random);
  return draft(prior, 0.5, [=]<class T>(const T* z, T*) {
    T f = 0.0;
    for (Index j = 0; j < n; ++j) f += z[j] * log(z[j] / prior[j]) - z[j];
    for (Index i = 0; i < m; ++i) f += 0.5 * mu * square(a.dot(i, z) - b[i]);
    return f;
  });
}

// -mean_i log(<r_i, w>) + l2/2 ||z||^2, w = softmax(z), r_i > 0: growth-optimal portfolios, Kelly (1956).
Draft make_portfolio(Index n, Random& random) {
  const Index m = 2 * n + 5;
  std::vector<double> returns;
  for (Index i = 0; i < m * n; ++i) returns.push_back(std::exp(random.uniform(0.1, 1.0) * random.normal()));
  const double l2 = power_of_ten(-4, -2, random), weight = 1.0 / static_cast<double>(m);
  return draft(
      Vector::Zero(n), 1.5,
      [=]<class T>(const T* z, T* share) {
        T total = 0.0;
        for (Index j = 0; j < n; ++j) {
          share[j] = exp(z[j]);
          total += share[j];
        }
        T f = 0.0;
        for (Index i = 0; i < m; ++i) {
          const double* r = &returns[static_cast<std::size_t>(i * n)];
          T growth = r[0] * share[0];
          for (Index j = 1; j < n; ++j) growth += r[j] * share[j];
          f += log(total / growth);
        }
        return weight * f + ridge(z, n, l2);
      },
      n);
}

// sum_i c_i exp(<a_i, z>) with the a_i around 0: an unconstrained geometric program.
Draft make_geometric(Index n, Random& random) {
  const Forms a = draw_forms(4 * n, n, random);
  Vector c(a.m);
  for (double& entry : c) entry = power_of_ten(-1, 1, random);
  return draft(Vector::Zero(n), 1.5, [=]<class T>(const T* z, T*) {
    T f = ridge(z, n, 1e-2);
    for (Index i = 0; i < a.m; ++i) f += c[i] * exp(a.dot(i, z));
    return f;
  });
}

// 1/2 ||A z - b||^2 - mu sum_j log(1 - z_j^2): least squares in a box, by a barrier.
Draft make_box_barrier(Index n, Random& random) {
  const Forms a = draw_forms(2 * n, n, random);
  const Vector b = apply(a, normals(n, random, 1.5));
  const double mu = power_of_ten(-3, 0, random);
  return draft(Vector::Zero(n), 0.3, [=]<class T>(const T* z, T*) {
    T f = 0.0;
    for (Index j = 0; j < n; ++j) f -= mu * log(1.0 - square(z[j]));
    for (Index i = 0; i < a.m; ++i) f += 0.5 * square(a.dot(i, z) - b[i]);
    return f;
  });
}

// 1/2 ||A z - b||^2 + lambda sum_j smoothed |z_j|: sparse regression.
Draft make_sparse_regression(Index n, Random& random) {
  const Forms a = draw_forms(n + 2, n, random);
  Vector truth = normals(n, random, 2.0);
  for (double& entry : truth) entry *= chance(0.3, random) ? 1.0 : 0.0;
  const Vector b = apply(a, truth) + normals(a.m, random, 0.05);
  const double lambda = power_of_ten(-3, -0.5, random), sharp = power_of_ten(1, 2.5, random);
  return draft(Vector::Zero(n), 1.0, [=]<class T>(const T* z, T*) {
    T f = 0.0;
    for (Index j = 0; j < n; ++j) f += (lambda / sharp) * hypot1(sharp * z[j]);
    for (Index i = 0; i < a.m; ++i) f += 0.5 * square(a.dot(i, z) - b[i]);
    return f;
  });
}

}  // namespace

const std::vector<Family>& penalty_families() {
  static const std::vector<Family> families = {
      {"log-barrier", "a linear function with the logarithmic barrier of a polytope", 2, 1000, make_log_barrier},
      {"inverse-barrier", "a linear function with the inverse barrier of a polytope", 2, 1000, make_inverse_barrier},
      {"exterior-penalty", "a linear function with a smoothed exterior penalty", 2, 1000, make_exterior_penalty},
      {"augmented-lagrangian", "a quadratic with quadratic constraints", 2, 1000, make_augmented_lagrangian},
      {"log-sum-exp", "a smooth maximum of linear functions", 2, 10000, make_log_sum_exp},
      {"max-of-quadratics", "a smooth maximum of quadratics", 2, 10000, make_max_of_quadratics},
      {"entropy", "relative entropy with a penalty on linear equations", 2, 10000, make_entropy},
      {"portfolio", "the growth rate of a portfolio", 2, 40, make_portfolio},
      {"geometric", "a geometric program", 2, 10000, make_geometric},
      {"box-barrier", "least squares in a box by a barrier", 2, 10000, make_box_barrier},
      {"sparse-regression", "least squares with smoothed absolute values", 2, 10000, make_sparse_regression},
  };
  return families;
}

}  // namespace loa::synthetic
