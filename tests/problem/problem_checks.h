// Checks that every built-in problem with exact derivatives passes: against numbers computed elsewhere and against
// differences of its own values.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <string>

#include "linalg/cholesky.h"
#include "loa/random.h"
#include "problem/spec.h"

namespace loa {

using Maker = void (*)(Spec&, Problem&);

// As the registry does it. Returns what is wrong, or an empty string.
inline std::string make(const std::string& text, Maker maker, Problem& problem) {
  Spec spec;
  if (const Error error = Spec::parse(text, spec)) return error.message();
  maker(spec, problem);
  return spec.finish().message();
}

// Computed with 50 digits from separately written formulas for f, by differences of step 1e-12.
struct Reference {
  const char* spec;
  double at_start;   // f(x_0)
  double value;      // f(z),      z_j = x_0j + (1 + |x_0j|) cos(j) / 10, j = 1..n
  double slope;      // grad . w,  w_j = sin(j) + 1/2
  double curvature;  // w . Hess w
};

// The spec in letters that GoogleTest allows.
inline std::string test_name(const testing::TestParamInfo<Reference>& param) {
  std::string name = param.param.spec;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

inline Vector reference_point(const Vector& start) {
  Vector z = start;
  for (Index j = 0; j < z.size(); ++j) z[j] += (1.0 + std::abs(z[j])) * std::cos(static_cast<double>(j + 1)) / 10.0;
  return z;
}

inline Vector reference_direction(Index n) {
  Vector w(n);
  for (Index j = 0; j < n; ++j) w[j] = std::sin(static_cast<double>(j + 1)) + 0.5;
  return w;
}

// The residuals lose up to four digits where large terms cancel.
inline void check_reference(const Reference& expected, Problem& problem) {
  const double tolerance = 1e-11;
  Objective& f = *problem.objective;
  const Index n = f.dimension();
  ASSERT_EQ(problem.start.size(), n);
  const Vector z = reference_point(problem.start), w = reference_direction(n);
  Vector grad(n), hessian_w(n);
  EXPECT_NEAR(f.value(problem.start), expected.at_start, tolerance * expected.at_start);
  EXPECT_NEAR(f.value_and_gradient(z, grad), expected.value, tolerance * expected.value);
  EXPECT_NEAR(grad.dot(w), expected.slope, tolerance * grad.norm() * w.norm());
  ASSERT_TRUE(f.hessian_vector(z, w, hessian_w));
  EXPECT_NEAR(w.dot(hessian_w), expected.curvature, tolerance * hessian_w.norm() * w.norm());
}

// Central differences at x. Their error is h^2 times the third derivative plus eps |f| / h; at brown-badly-scaled,
// where f = 1e12, the latter hides the small components, and the reference is the test.
inline void check_gradient_at(Objective& f, const Vector& x) {
  const double eps = std::numeric_limits<double>::epsilon();
  Vector grad(x.size()), moved = x;
  const double value = f.value_and_gradient(x, grad);
  for (Index j = 0; j < x.size(); ++j) {
    const double h = std::cbrt(eps) * std::max(0.1, std::abs(x[j]));
    moved[j] = x[j] + h;
    const double up = moved[j], f_up = f.value(moved);
    moved[j] = x[j] - h;
    const double difference = (f_up - f.value(moved)) / (up - moved[j]);
    moved[j] = x[j];
    EXPECT_NEAR(grad[j], difference, 1e-7 * grad.lpNorm<Eigen::Infinity>() + 20.0 * eps * std::abs(value) / h) << j;
  }
}

// Hessian v against differences of the gradient and against the full Hessian, which is symmetric to the bit.
inline void check_hessian(Objective& f, const Vector& x) {
  const Index n = x.size();
  const Vector v = reference_direction(n);
  Vector product(n), up(n), down(n);
  Matrix hessian;
  ASSERT_TRUE(f.hessian_vector(x, v, product));
  ASSERT_TRUE(f.hessian(x, hessian));
  ASSERT_EQ(hessian.rows(), n);
  EXPECT_TRUE(hessian == hessian.transpose());
  EXPECT_LE((hessian * v - product).norm(), 1e-12 * hessian.norm() * v.norm());
  const double eps = std::numeric_limits<double>::epsilon(), h = std::cbrt(eps);
  f.value_and_gradient(x + h * v, up);
  f.value_and_gradient(x - h * v, down);
  const Vector difference = (up - down) / (2.0 * h);
  EXPECT_LE((product - difference).norm(), 1e-7 * hessian.norm() * v.norm() + 20.0 * eps * up.norm() / h);
}

// The start and three random points around it.
inline void check_derivatives(Problem& problem) {
  Random random(7);
  for (int k = 0; k < 4; ++k) {
    Vector x = problem.start;
    if (k > 0) {
      for (double& s : x) s += 0.1 * (1.0 + std::abs(s)) * random.normal();
    }
    SCOPED_TRACE(k);
    check_gradient_at(*problem.objective, x);
    check_hessian(*problem.objective, x);
  }
}

// Two equal calls give equal bits, with other calls in between, and value() gives those of value_and_gradient().
inline void check_repeatable(Problem& problem) {
  Objective& f = *problem.objective;
  const Index n = f.dimension();
  const Vector z = reference_point(problem.start), w = reference_direction(n);
  Vector grad(n), grad_again(n), product(n), product_again(n);
  const double value = f.value_and_gradient(z, grad);
  f.hessian_vector(z, w, product);
  f.value_and_gradient(problem.start, grad_again);
  f.hessian_vector(z, w, product_again);
  EXPECT_EQ(f.value_and_gradient(z, grad_again), value);
  EXPECT_EQ(f.value(z), value);
  EXPECT_TRUE(grad == grad_again);
  EXPECT_TRUE(product == product_again);
}

// Newton's method with a shift of the Hessian that grows until f falls, or until the shift is 1e16 times the Hessian.
// Returns the last f.
inline double descend(Objective& f, Vector x) {
  const Index n = x.size();
  Vector grad(n);
  Matrix hessian(n, n);
  double value = f.value_and_gradient(x, grad), shift = 0.0;
  for (int k = 0; k < 2000; ++k) {
    f.hessian(x, hessian);
    const double unit = 1e-12 * hessian.norm();
    hessian.diagonal().array() += shift;
    const bool is_positive_definite = cholesky_in_place(hessian);
    Vector step = grad;
    cholesky_solve_in_place(hessian, step);
    const Vector trial = x - step;
    if (is_positive_definite && f.value(trial) < value) {
      x = trial;
      value = f.value_and_gradient(x, grad);
      shift = shift > unit ? 0.1 * shift : 0.0;
    } else {
      if (!(shift < 1e28 * unit)) break;
      shift = std::max(10.0 * shift, unit);
    }
  }
  return value;
}

}  // namespace loa
