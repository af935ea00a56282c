// The problems in any number n of unknowns. The number before each name is the paper's.
//
// More, Garbow and Hillstrom (1981), see mgh.h, which also says how the minima were found.
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "problem/mgh.h"

namespace loa::mgh {
namespace {

// The paper's 1-based index as a real.
double number(Index i) { return static_cast<double>(i + 1); }

// (25) x_j - 1, S, S^2 with S = sum_j j (x_j - 1)
struct VariablyDimensioned {
  Index n = 0, m = n + 2;

  template <class T>
  void operator()(const T* x, T* r) const {
    T sum{};
    for (Index j = 0; j < n; ++j) {
      r[j] = x[j] - 1.0;
      sum += number(j) * r[j];
    }
    r[n] = sum;
    r[n + 1] = square(sum);
  }
};

// (20) p'(t_i) - p(t_i)^2 - 1 with p(t) = sum_j x_j t^{j-1}, t_i = i / 29, i = 1..29; then x_1, x_2 - x_1^2 - 1
struct Watson {
  Index n = 0, m = 31;

  template <class T>
  void operator()(const T* x, T* r) const {
    for (Index i = 0; i < 29; ++i) {
      const double t = number(i) / 29.0;
      T p{}, slope{};
      for (Index j = n - 1; j >= 0; --j) {  // Horner
        slope = slope * t + p;
        p = p * t + x[j];
      }
      r[i] = slope - square(p) - 1.0;
    }
    r[29] = x[0];
    r[30] = x[1] - square(x[0]) - 1.0;
  }
};

constexpr double kPenalty = 1e-5;  // a, in both penalty functions

// (23) sqrt(a) (x_j - 1), sum_j x_j^2 - 1/4
struct Penalty1 {
  Index n = 0, m = n + 1;

  template <class T>
  void operator()(const T* x, T* r) const {
    const double root = std::sqrt(kPenalty);
    r[n] = T{} - 0.25;
    for (Index j = 0; j < n; ++j) {
      r[j] = root * (x[j] - 1.0);
      r[n] += square(x[j]);
    }
  }
};

// (24) x_1 - 1/5, sqrt(a) (e(x_i) + e(x_{i-1}) - e(i) - e(i-1)) for i = 2..n, sqrt(a) (e(x_i) - e(-1)) for i = 2..n,
//      sum_j (n - j + 1) x_j^2 - 1, with e(x) = exp(x / 10)
struct Penalty2 {
  Index n = 0, m = 2 * n;

  template <class T>
  static T e(const T& x) {
    using std::exp;
    return exp(0.1 * x);
  }

  template <class T>
  void operator()(const T* x, T* r) const {
    const double root = std::sqrt(kPenalty);
    r[0] = x[0] - 0.2;
    r[2 * n - 1] = number(n - 1) * square(x[0]) - 1.0;
    T before = e(x[0]);
    for (Index i = 1; i < n; ++i) {
      const T here = e(x[i]);
      r[i] = root * (here + before - (e(number(i)) + e(number(i - 1))));
      r[n + i - 1] = root * (here - e(-1.0));
      r[2 * n - 1] += static_cast<double>(n - i) * square(x[i]);
      before = here;
    }
  }
};

// (26) n - sum_j cos(x_j) + i (1 - cos(x_i)) - sin(x_i)
struct Trigonometric {
  Index n = 0, m = n;

  template <class T>
  void operator()(const T* x, T* r) const {
    using std::cos, std::sin;
    T sum{};
    for (Index i = 0; i < n; ++i) {
      const T rest = 1.0 - cos(x[i]);
      sum += rest;
      r[i] = number(i) * rest - sin(x[i]);
    }
    for (Index i = 0; i < n; ++i) r[i] += sum;
  }
};

// (21) 10 (x_{2i} - x_{2i-1}^2), 1 - x_{2i-1}
struct ExtendedRosenbrock {
  Index n = 0, m = n;

  template <class T>
  void operator()(const T* x, T* r) const {
    for (Index i = 0; i < n; i += 2) {
      r[i] = 10.0 * (x[i + 1] - square(x[i]));
      r[i + 1] = 1.0 - x[i];
    }
  }
};

// (22) x_1 + 10 x_2, sqrt(5) (x_3 - x_4), (x_2 - 2 x_3)^2, sqrt(10) (x_1 - x_4)^2 for each four unknowns
struct ExtendedPowellSingular {
  Index n = 0, m = n;

  template <class T>
  void operator()(const T* x, T* r) const {
    for (Index i = 0; i < n; i += 4) {
      r[i] = x[i] + 10.0 * x[i + 1];
      r[i + 1] = std::sqrt(5.0) * (x[i + 2] - x[i + 3]);
      r[i + 2] = square(x[i + 1] - 2.0 * x[i + 2]);
      r[i + 3] = std::sqrt(10.0) * square(x[i] - x[i + 3]);
    }
  }
};

// (35) (1/n) sum_j T_i(x_j) - int_0^1 T_i, i = 1..m, where T_i is the Chebyshev polynomial shifted to [0, 1];
//      the integral is 0 for odd i and -1 / (i^2 - 1) for even i
struct Chebyquad {
  Index n = 0, m = 0;

  template <class T>
  void operator()(const T* x, T* r) const {
    for (Index i = 0; i < m; ++i) r[i] = T{};
    for (Index j = 0; j < n; ++j) {
      const T u = 2.0 * x[j] - 1.0;
      T before = T{} + 1.0, here = u;
      for (Index i = 0; i < m; ++i) {
        r[i] += here;
        const T next = 2.0 * u * here - before;
        before = here;
        here = next;
      }
    }
    for (Index i = 0; i < m; ++i) {
      r[i] = r[i] / static_cast<double>(n);
      if (i % 2 == 1) r[i] = r[i] + 1.0 / (square(number(i)) - 1.0);
    }
  }
};

// The key n, which must be a multiple of `block`.
Index read_blocks(Spec& spec, Index otherwise, Index block) {
  const Index n = spec.integer("n", otherwise, block, kMaxDimension);
  if (n % block == 0) return n;
  spec.fail("found n=" + std::to_string(n) + ", expected a multiple of " + std::to_string(block));
  return otherwise;
}

// The value of `minima` at n, where it is known.
std::optional<double> find_minimum(const std::map<Index, double>& minima, Index n) {
  const auto found = minima.find(n);
  return found == minima.end() ? std::nullopt : std::optional(found->second);
}

// The minimum of penalty-1 for any n. From grad f = 0 every x_j = a / (a + 2 (s - 1/4)) with s = sum_k x_k^2, so all
// are equal to the positive root t of the cubic c(t) = a (t - 1) + 2 t (n t^2 - 1/4); with t < 0 the point is a saddle.
// c is convex for t > 0 and c(1) > 0, so Newton's method descends from 1 to the largest root, which is the positive
// one.
double penalty_1_minimum(Index n) {
  const double size = static_cast<double>(n);
  double t = 1.0;
  for (;;) {
    const double c = kPenalty * (t - 1.0) + 2.0 * t * (size * t * t - 0.25);
    const double next = t - c / (kPenalty - 0.5 + 6.0 * size * t * t);
    if (!(next < t)) break;
    t = next;
  }
  // s - 1/4 = a (1 - t) / (2 t), free of cancellation.
  return size * kPenalty * (t - 1.0) * (t - 1.0) + std::pow(kPenalty * (1.0 - t) / (2.0 * t), 2);
}

}  // namespace

// Minimizer (1, ..., 1).
void make_variably_dimensioned(Spec& spec, Problem& problem) {
  const Index n = spec.integer("n", 10, 1, kMaxDimension);
  problem.objective = sum_of_squares(VariablyDimensioned{.n = n});
  problem.start.resize(n);
  for (Index j = 0; j < n; ++j) problem.start[j] = 1.0 - number(j) / static_cast<double>(n);
  problem.minimum = 0.0;
}

void make_watson(Spec& spec, Problem& problem) {
  const Index n = spec.integer("n", 6, 2, 31);
  problem.objective = sum_of_squares(Watson{.n = n});
  problem.start = Vector::Zero(n);
  problem.minimum = find_minimum({{6, 2.2876700535524362e-3},
                                  {9, 1.3997601380990199e-6},
                                  {12, 4.7223811058917574e-10},
                                  {20, 2.4866163724161812e-20}},
                                 n);
}

void make_penalty_1(Spec& spec, Problem& problem) {
  const Index n = spec.integer("n", 4, 1, kMaxDimension);
  problem.objective = sum_of_squares(Penalty1{.n = n});
  problem.start.resize(n);
  for (Index j = 0; j < n; ++j) problem.start[j] = number(j);
  problem.minimum = penalty_1_minimum(n);
}

void make_penalty_2(Spec& spec, Problem& problem) {
  const Index n = spec.integer("n", 4, 1, kMaxDimension);
  problem.objective = sum_of_squares(Penalty2{.n = n});
  problem.start = Vector::Constant(n, 0.5);
  problem.minimum = find_minimum({{4, 9.3762930073554415e-6}, {10, 2.9366053745674594e-4}}, n);
}

// Minimizer 0, up to multiples of 2 pi, and another with f = 0 nearby. From the standard start methods end at 2.79e-5.
void make_trigonometric(Spec& spec, Problem& problem) {
  const Index n = spec.integer("n", 10, 1, kMaxDimension);
  problem.objective = sum_of_squares(Trigonometric{.n = n});
  problem.start = Vector::Constant(n, 1.0 / static_cast<double>(n));
  problem.minimum = 0.0;
  if (n == 10) {
    problem.local_minima = {4.4735658128062946e-7, 2.7950561218794563e-5, 4.2186338879237259e-5, 8.7882252182189827e-4};
  }
}

// Minimizer (1, ..., 1).
void make_extended_rosenbrock(Spec& spec, Problem& problem) {
  const Index n = read_blocks(spec, 10, 2);
  problem.objective = sum_of_squares(ExtendedRosenbrock{.n = n});
  problem.start = Vector{{-1.2, 1.0}}.replicate(n / 2, 1);
  problem.minimum = 0.0;
}

// Minimizer 0, where the Hessian is singular.
void make_extended_powell_singular(Spec& spec, Problem& problem) {
  const Index n = read_blocks(spec, 12, 4);
  problem.objective = sum_of_squares(ExtendedPowellSingular{.n = n});
  problem.start = Vector{{3.0, -1.0, 0.0, 1.0}}.replicate(n / 4, 1);
  problem.minimum = 0.0;
}

// For m = n the minimizer is Chebyshev's quadrature rule, of zero error, where its nodes are real: n <= 7 and n = 9.
// Another m has an overdetermined fit and no known minimum.
void make_chebyquad(Spec& spec, Problem& problem) {
  const Index n = spec.integer("n", 8, 1, 1000);
  const Index m = spec.integer("m", n, n, 1000);
  problem.objective = sum_of_squares(Chebyquad{.n = n, .m = m});
  problem.start.resize(n);
  for (Index j = 0; j < n; ++j) problem.start[j] = number(j) / static_cast<double>(n + 1);
  if (m != n) return;
  if (n <= 7 || n == 9) {
    problem.minimum = 0.0;
  } else {
    problem.minimum = find_minimum({{8, 3.5168737256779317e-3}, {10, 4.7727136963753490e-3}}, n);
  }
  // The paper's value for n = 10 is the first of these.
  if (n == 10) problem.local_minima = {6.5039548008823061e-3, 9.5006288502216725e-3};
}

}  // namespace loa::mgh
