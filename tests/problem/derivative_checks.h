// Derivatives against differences of what they are the derivatives of, with steps scaled to x.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "loa/objective.h"
#include "loa/random.h"

namespace loa {

inline Vector random_vector(Index n, std::uint64_t seed) {
  Random random(seed);
  Vector v(n);
  for (double& entry : v) entry = random.normal();
  return v;
}

// Central differences of the value; the error of D(h) is about h^2 f''' / 6 + epsilon |f| / h.
inline void expect_gradient(Objective& f, const Vector& x, double tolerance) {
  const double length = x.norm() / std::sqrt(static_cast<double>(x.size()));
  Vector grad(x.size()), differences(x.size()), y = x;
  const double value = f.value_and_gradient(x, grad);
  EXPECT_NEAR(f.value(x), value, 1e-14 * std::abs(value));
  for (Index i = 0; i < x.size(); ++i) {
    const double h = 1e-5 * std::max(std::abs(x[i]), length);
    y[i] = x[i] + h;
    const double right = f.value(y), right_x = y[i];
    y[i] = x[i] - h;
    differences[i] = (right - f.value(y)) / (right_x - y[i]);
    y[i] = x[i];
  }
  EXPECT_LE((grad - differences).norm(), tolerance * grad.norm());
}

// H v against central differences of the gradient along v.
inline void expect_hessian_vector(Objective& f, const Vector& x, const Vector& v, double tolerance) {
  const double h = 1e-5 * x.norm() / v.norm();
  Vector product(x.size()), right(x.size()), left(x.size());
  ASSERT_TRUE(f.hessian_vector(x, v, product));
  f.value_and_gradient(x + h * v, right);
  f.value_and_gradient(x - h * v, left);
  EXPECT_LE((product - (right - left) / (2.0 * h)).norm(), tolerance * product.norm());
}

// H against H e_i, column by column, and against its transpose bit for bit.
inline void expect_hessian(Objective& f, const Vector& x, double tolerance) {
  Matrix hessian;
  ASSERT_TRUE(f.hessian(x, hessian));
  ASSERT_EQ(hessian.rows(), x.size());
  EXPECT_EQ(hessian, Matrix(hessian.transpose()));
  Vector product(x.size());
  for (Index i = 0; i < x.size(); ++i) {
    ASSERT_TRUE(f.hessian_vector(x, Vector::Unit(x.size(), i), product));
    EXPECT_LE((product - hessian.col(i)).norm(), tolerance * hessian.norm());
  }
}

}  // namespace loa
