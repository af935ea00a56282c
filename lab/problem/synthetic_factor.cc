// Synthetic families, products of unknowns: factorizations of matrices and tensors, quadratic measurements. They have
// saddles, scale freedoms and, without the small ridge, whole curves of minimizers. Variables that do not fill a
// factor are offsets of the first entries.
#include "problem/synthetic.h"
#include "problem/synthetic_draw.h"

namespace loa::synthetic {
namespace {

// U V^T, U p x r and V q x r, from r (p + q) variables, row by row; the n - r (p + q) others are offsets.
struct Factors {
  Index n, r, p, q;

  template <class T>
  T entry(Index i, Index j, const T* z) const {
    const T *u = z + i * r, *v = z + (p + j) * r;
    T sum = u[0] * v[0];
    for (Index k = 1; k < r; ++k) sum += u[k] * v[k];
    const Index extra = r * (p + q) + i + j;
    if (extra < n) sum += z[extra];
    return sum;
  }
};

Factors draw_factors(Index n, Random& random) {
  const Index r = n < 8 ? 1 : integer(1, std::min<Index>(4, n / 4), random), both = n / r;
  const Index p = integer(std::max<Index>(1, both / 3), std::max<Index>(1, both / 2), random);
  return {.n = n, .r = r, .p = p, .q = both - p};
}

struct Entry {
  Index i, j;
  double value;
};

// The entries of the product at a random point that are seen: about `density` of them, yet all for small n.
std::vector<Entry> draw_entries(const Factors& factors, double noise, Random& random) {
  const Vector truth = normals(factors.n, random);
  const double all = static_cast<double>(factors.p * factors.q), wanted = 6.0 * static_cast<double>(factors.n);
  std::vector<Entry> entries;
  for (Index i = 0; i < factors.p; ++i) {
    for (Index j = 0; j < factors.q; ++j) {
      const bool is_seen = (i == 0 && j == 0) || chance(wanted / all, random);
      const double value = factors.entry(i, j, truth.data()) + noise * random.normal();
      if (is_seen) entries.push_back({.i = i, .j = j, .value = value});
    }
  }
  return entries;
}

template <class Loss>
Draft factorization(Index n, Random& random, Loss loss) {
  const Factors factors = draw_factors(n, random);
  const std::vector<Entry> entries = draw_entries(factors, random.uniform(0.0, 0.5), random);
  const double l2 = power_of_ten(-4, -1, random);
  return draft(Vector::Zero(n), 1.0, [=]<class T>(const T* z, T*) {
    T f = ridge(z, n, l2);
    for (const Entry& entry : entries) f += loss(factors.entry(entry.i, entry.j, z), entry.value);
    return f;
  });
}

// 1/2 (UV^T - M)^2 over the entries that are seen.
Draft make_matrix_factorization(Index n, Random& random) {
  return factorization(n, random, [](const auto& x, double value) { return 0.5 * square(x - value); });
}

// log(1 + exp(-sign(M) UV^T)).
Draft make_logistic_matrix(Index n, Random& random) {
  return factorization(n, random, [](const auto& x, double value) { return softplus(value > 0.0 ? -x : x); });
}

// log cosh of (UV^T - M).
Draft make_robust_factorization(Index n, Random& random) {
  return factorization(n, random, [](const auto& x, double value) { return log_cosh(2.0 * (x - value)); });
}

// 1/4 ||Z Z^T - M||^2, Z p x r with the entries behind the n-th zero.
Draft make_symmetric_factorization(Index n, Random& random) {
  const Index r = n < 6 ? 1 : integer(1, 3, random), p = (n + r - 1) / r;
  const Index band = p <= 12 ? p : 6;  // only entries with |i - j| < band are seen
  const auto product = [=]<class T>(Index i, Index j, const T* z) {
    T sum = z[i * r] * z[j * r];
    for (Index k = 1; k < r && std::max(i, j) * r + k < n; ++k) sum += z[i * r + k] * z[j * r + k];
    return sum;
  };
  const Vector truth = normals(n, random);
  std::vector<Entry> entries;
  for (Index i = 0; i < p; ++i) {
    for (Index j = i; j < std::min(p, i + band); ++j) {
      entries.push_back({.i = i, .j = j, .value = product(i, j, truth.data()) + 0.2 * random.normal()});
    }
  }
  const double l2 = power_of_ten(-4, -2, random);
  return draft(Vector::Zero(n), 1.0, [=]<class T>(const T* z, T*) {
    T f = ridge(z, n, l2);
    for (const Entry& e : entries) f += (e.i == e.j ? 0.25 : 0.5) * square(product(e.i, e.j, z) - e.value);
    return f;
  });
}

// 1/2 sum_ijk (sum_s a_is b_js c_ks - t_ijk)^2, three p x r factors; the variables left over are offsets.
Draft make_tensor(Index n, Random& random) {
  const Index r = n < 18 ? 1 : integer(1, 3, random), p = std::min<Index>(6, n / (3 * r)), used = 3 * p * r;
  const auto entry = [=]<class T>(Index i, Index j, Index k, const T* z) {
    T sum = 0.0;
    for (Index s = 0; s < r; ++s) sum += z[i * r + s] * z[(p + j) * r + s] * z[(2 * p + k) * r + s];
    return sum;
  };
  const Vector truth = normals(n, random);
  Vector t(p * p * p);
  Index at = 0;
  for (Index i = 0; i < p; ++i) {
    for (Index j = 0; j < p; ++j) {
      for (Index k = 0; k < p; ++k) t[at++] = entry(i, j, k, truth.data()) + 0.1 * random.normal();
    }
  }
  const double l2 = power_of_ten(-4, -1, random);
  return draft(Vector::Zero(n), 1.0, [=]<class T>(const T* z, T*) {
    T f = ridge(z, n, l2);
    Index l = 0;
    for (Index i = 0; i < p; ++i) {
      for (Index j = 0; j < p; ++j) {
        for (Index k = 0; k < p; ++k) f += 0.5 * square(entry(i, j, k, z) - t[l++]);
      }
    }
    for (Index j = used; j < n; ++j) f += 0.5 * square(z[j] - z[j - used] * z[j - 1]);
    return f;
  });
}

// 1/4 sum_i (<a_i, z>^2 - b_i)^2, phase retrieval: Candes, Li and Soltanolkotabi (2015).
Draft make_phase_retrieval(Index n, Random& random) {
  const Forms a = draw_forms(5 * n, n, draw_correlation(random) * 0.9, random);
  const Vector truth = normals(n, random, 1.5);
  const Vector b = apply(a, truth).array().square() + normals(a.m, random, random.uniform(0.0, 0.3)).array();
  const double weight = 1.0 / static_cast<double>(a.m);
  return draft(Vector::Zero(n), 1.5, [=]<class T>(const T* z, T*) {
    T f = 0.0;
    for (Index i = 0; i < a.m; ++i) f += 0.25 * weight * square(square(a.dot(i, z)) - b[i]);
    return f;
  });
}

// 1/2 sum_i (<a_i, u> <c_i, v> - b_i)^2, z = (u, v): blind deconvolution.
Draft make_bilinear(Index n, Random& random) {
  const Index p = n / 2, m = 3 * n;
  const Forms a = draw_forms(m, p, random), c = draw_forms(m, n - p, random);
  const Vector truth = normals(n, random, 1.5);
  Vector b(m);
  for (Index i = 0; i < m; ++i) {
    b[i] = a.dot(i, truth.data()) * c.dot(i, truth.data() + p) + 0.1 * random.normal();
  }
  const double l2 = power_of_ten(-3, -1, random);
  return draft(truth, 1.0, [=]<class T>(const T* z, T*) {
    T f = ridge(z, n, l2);
    for (Index i = 0; i < m; ++i) f += 0.5 * square(a.dot(i, z) * c.dot(i, z + p) - b[i]);
    return f;
  });
}

// <z, D z>/<z, z> + (||z||^2 - 1)^2/4, D diagonal: the smallest eigenvalue.
Draft make_rayleigh(Index n, Random& random) {
  const Vector d = spread(n, draw_condition(random), random);
  const double w = power_of_ten(-1, 1, random);
  const Vector center = normals(n, random, 1.0 / std::sqrt(static_cast<double>(n)));
  return draft(center, 0.3, [=]<class T>(const T* z, T*) {
    T top = 0.0, norm2 = 0.0;
    for (Index j = 0; j < n; ++j) {
      top += d[j] * square(z[j]);
      norm2 += square(z[j]);
    }
    return top / norm2 + 0.25 * w * square(norm2 - 1.0);
  });
}

// sum over the entries of x - m log x, x = sum_k exp(u_ik + v_jk): nonnegative factorization by Kullback-Leibler.
Draft make_nonnegative_factorization(Index n, Random& random) {
  const Factors factors = draw_factors(n, random);
  std::vector<Entry> entries = draw_entries(factors, 0.3, random);
  for (Entry& entry : entries) entry.value = std::exp(std::min(1.0, entry.value));
  const double l2 = power_of_ten(-3, -1, random);
  return draft(Vector::Zero(n), 0.7, [=]<class T>(const T* z, T*) {
    T f = ridge(z, n, l2);
    for (const Entry& entry : entries) {
      const T *u = z + entry.i * factors.r, *v = z + (factors.p + entry.j) * factors.r;
      T x = exp(u[0] + v[0]);
      for (Index k = 1; k < factors.r; ++k) x += exp(u[k] + v[k]);
      f += x - entry.value * log(x);
    }
    return f;
  });
}

// ||Z^2 - M||^2/2, Z p x p: a square root of a matrix; the variables left over are tied to the first ones.
Draft make_matrix_root(Index n, Random& random) {
  const Index p = static_cast<Index>(std::sqrt(static_cast<double>(n) + 0.5));
  const double size = 0.5 / std::sqrt(static_cast<double>(p));
  const Matrix truth = Matrix::Identity(p, p) + normals(p * p, random, size).reshaped(p, p);
  const Matrix target = truth * truth;
  return draft(normals(n, random, 0.5), 0.5, [=]<class T>(const T* z, T*) {
    T f = ridge(z, n, 1e-3);
    for (Index i = 0; i < p; ++i) {
      for (Index j = 0; j < p; ++j) {
        T sum = z[i] * z[j * p];
        for (Index k = 1; k < p; ++k) sum += z[i + k * p] * z[k + j * p];
        f += 0.5 * square(sum - target(i, j));
      }
    }
    for (Index j = p * p; j < n; ++j) f += 0.5 * square(z[j] - square(z[j - p * p]));
    return f;
  });
}

}  // namespace

const std::vector<Family>& factor_families() {
  static const std::vector<Family> families = {
      {"matrix-factorization", "a low-rank factorization of a matrix seen in part", 2, 10000,
       make_matrix_factorization},
      {"logistic-matrix", "a low-rank factorization of signs, logistic loss", 2, 10000, make_logistic_matrix},
      {"robust-factorization", "a low-rank factorization by log cosh", 2, 10000, make_robust_factorization},
      {"symmetric-factorization", "Z Z^T against a symmetric matrix", 2, 10000, make_symmetric_factorization},
      {"tensor", "a canonical decomposition of a tensor", 3, 200, make_tensor},
      {"phase-retrieval", "squares of linear forms against data", 2, 10000, make_phase_retrieval},
      {"bilinear", "products of two linear forms against data", 4, 10000, make_bilinear},
      {"rayleigh", "a Rayleigh quotient with a penalty on the length", 2, 100000, make_rayleigh},
      {"nonnegative-factorization", "a factorization with exponentials, Kullback-Leibler loss", 2, 10000,
       make_nonnegative_factorization},
      {"matrix-root", "a square root of a matrix", 4, 400, make_matrix_root},
  };
  return families;
}

}  // namespace loa::synthetic
