// What the synthetic families draw alike: random vectors, linear forms with correlated coefficients, conditions.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "loa/random.h"
#include "problem/synthetic_tape.h"

namespace loa::synthetic {

inline bool chance(double p, Random& random) { return random.uniform() < p; }

// 10^U[low, high].
inline double power_of_ten(double low, double high, Random& random) {
  return std::pow(10.0, random.uniform(low, high));
}

// An integer from low to high.
inline Index integer(Index low, Index high, Random& random) {
  return low + static_cast<Index>(random.below(static_cast<std::uint64_t>(high - low + 1)));
}

inline Vector normals(Index n, Random& random, double scale = 1.0) {
  Vector v(n);
  for (double& entry : v) entry = scale * random.normal();
  return v;
}

inline Vector uniforms(Index n, double low, double high, Random& random) {
  Vector v(n);
  for (double& entry : v) entry = random.uniform(low, high);
  return v;
}

// Between 1 and `condition`, log-uniformly; both ends are reached when n > 1.
inline Vector spread(Index n, double condition, Random& random) {
  Vector v(n);
  for (double& entry : v) entry = std::pow(condition, random.uniform());
  if (n > 1) v[integer(0, n - 1, random)] = condition;
  return v / v.minCoeff();
}

// A third is easy (1 to 10), a third middling (10 to 300), a third hard (300 to 1e4).
inline double draw_condition(Random& random) {
  const Index kind = integer(0, 2, random);
  if (kind == 0) return power_of_ten(0.0, 1.0, random);
  return kind == 1 ? power_of_ten(1.0, 2.5, random) : power_of_ten(2.5, 4.0, random);
}

// m linear forms <a_i, z>. Form i sees `width` neighbouring variables from first_i on: all of them for n <= 40, else a
// window of 20 that slides from the first variable to the last, so that the forms cost O(m).
struct Forms {
  Index m, width;
  std::vector<double> a;  // m x width
  std::vector<Index> first;

  template <class T>
  T dot(Index i, const T* z) const {
    return synthetic::dot(row(i), z + first[static_cast<std::size_t>(i)], width);
  }
  const double* row(Index i) const { return &a[static_cast<std::size_t>(i * width)]; }
};

// Entries N(0, 1/width) with the correlation rho^|j-k| along a row: the condition of E a a^T is at most
// ((1 + rho)/(1 - rho))^2.
inline Forms draw_forms(Index m, Index n, double rho, Random& random) {
  const Index width = n <= 40 ? n : 20;
  Forms forms{.m = m, .width = width, .a = {}, .first = {}};
  const double scale = 1.0 / std::sqrt(static_cast<double>(width)), fresh = std::sqrt(1.0 - rho * rho);
  for (Index i = 0; i < m; ++i) {
    forms.first.push_back(m > 1 ? i * (n - width) / (m - 1) : 0);
    double entry = random.normal();
    for (Index j = 0; j < width; ++j) {
      forms.a.push_back(scale * entry);
      entry = rho * entry + fresh * random.normal();
    }
  }
  return forms;
}

// Uncorrelated, correlated or strongly correlated, a third each.
inline double draw_correlation(Random& random) {
  const Index kind = integer(0, 2, random);
  return kind == 0 ? 0.0 : kind == 1 ? random.uniform(0.3, 0.9) : 1.0 - power_of_ten(-2.5, -1.0, random);
}

inline Forms draw_forms(Index m, Index n, Random& random) {
  const double rho = draw_correlation(random);
  return draw_forms(m, n, rho, random);
}

// The values of the forms at z.
inline Vector apply(const Forms& forms, const Vector& z) {
  Vector t(forms.m);
  for (Index i = 0; i < forms.m; ++i) t[i] = forms.dot(i, z.data());
  return t;
}

// weight/2 ||z||^2.
template <class T>
T ridge(const T* z, Index n, double weight) {
  T sum = square(z[0]);
  for (Index j = 1; j < n; ++j) sum += square(z[j]);
  return (0.5 * weight) * sum;
}

}  // namespace loa::synthetic
