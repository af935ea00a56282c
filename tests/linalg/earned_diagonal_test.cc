// When a diagonal is earned, on quadratics.
//
// Would catch: a diagonal that is judged by whether it fits the pairs, as it was once, and not by what it adds to the
// pairs in the memory: then `coupled` earns one that slows the run down; a sign, a weight or a metric that is wrong.
#include "linalg/earned_diagonal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "linalg/conjugated_inverse_hessian.h"
#include "linalg/tensor_file.h"
#include "problem/decompositions.h"
#include "support/objectives.h"

namespace loa {
namespace {

Vector B_times(InverseHessian& B, const Vector& v) {
  Vector out;
  B.apply(v, out);
  return out;
}

// With eigenvalues from 1 to the condition, and all variables coupled.
Matrix coupled(Index n, double condition) {
  Matrix random(n, n);
  for (Index j = 0; j < n; ++j) random.col(j) = test::random_vector(n, static_cast<std::uint64_t>(j) + 100);
  const Matrix Q = orthonormal(random);
  const Vector exponents = Vector::LinSpaced(n, 0.0, std::log(condition));
  return Q * exponents.array().exp().matrix().asDiagonal() * Q.transpose();
}

struct Course {
  double largest_theta = 0.0, last_theta = 0.0;
  double mean_fit = 0.0;  // of log <d,d> <dg,dg>/(<dg,D dg> <d,D^-1 d>), D the root of the ratio of the mean squares
};

// 60 iterations on f(x) = <x,Hx>/2 with exact steps.
Course run(const Matrix& H) {
  const Index n = H.rows(), iterations = 60;
  ConjugatedInverseHessian B(n, {.capacity = 9, .diagonal = true});
  B.reset(1.0 / H.norm());
  Vector x = test::random_vector(n, 5), grad = H * x, direction = -B_times(B, grad);
  Vector a = Vector::Zero(n), b = a;
  Course course;
  for (Index k = 0; k < iterations; ++k) {
    const Vector d = -grad.dot(direction) / direction.dot(H * direction) * direction, delta_g = H * d;
    if (k > 0) {
      const Vector D = ((a.array() + 0.01 * a.mean()) / (b.array() + 0.01 * b.mean())).sqrt();
      course.mean_fit += std::log(d.squaredNorm() / d.dot(d.cwiseQuotient(D)) * delta_g.squaredNorm() /
                                  delta_g.dot(delta_g.cwiseProduct(D))) /
                         static_cast<double>(iterations - 1);
    }
    a = 0.9 * a + d.cwiseAbs2() / d.squaredNorm();
    b = 0.9 * b + delta_g.cwiseAbs2() / delta_g.squaredNorm();
    B.update({.d = d, .delta_g = delta_g, .B_delta_g = d, .y = d});
    TensorFile file;
    B.save(file);
    EXPECT_TRUE(file.get_scalar("B.diagonal.theta", course.last_theta));
    course.largest_theta = std::max(course.largest_theta, course.last_theta);
    x += d;
    grad += delta_g;
    direction = -B_times(B, grad);
  }
  return course;
}

// The variables are coupled: a diagonal fits the pairs better than a scale, and the pairs together better than that.
TEST(EarnedDiagonal, IsNotEarnedByFittingThePairsAlone) {
  const Course course = run(coupled(80, 1e3));
  EXPECT_GT(course.mean_fit, 0.05);
  EXPECT_LT(course.largest_theta, 0.01);
}

TEST(EarnedDiagonal, IsEarnedWhereTheVariablesHaveScales) {
  const Index n = 80;
  Vector scales(n);
  for (Index i = 0; i < n; ++i) scales(i) = std::exp2(static_cast<double>(i % 7));
  const Matrix H = scales.asDiagonal() * coupled(n, 3.0) * scales.asDiagonal();
  const Course scaled = run(H);
  EXPECT_GT(scaled.last_theta, 0.2);
}

}  // namespace
}  // namespace loa
