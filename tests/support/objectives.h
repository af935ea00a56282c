// Objectives with known answers and comparisons bit for bit, shared by the tests. Nothing here comes from lab/problem/,
// so a mistake there cannot hide one here.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "loa/objective.h"
#include "loa/random.h"

namespace loa::test {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kEps = std::numeric_limits<double>::epsilon();

inline bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

inline bool same_bits(const Vector& a, const Vector& b) {
  if (a.size() != b.size()) return false;
  for (Index i = 0; i < a.size(); ++i)
    if (!same_bits(a(i), b(i))) return false;
  return true;
}

inline Vector random_vector(Index n, std::uint64_t seed) {
  Random random(seed);
  Vector v(n);
  for (double& value : v) value = random.normal();
  return v;
}

// Symmetric with eigenvalues spaced logarithmically in [1, condition] and a random eigenbasis (two reflections).
inline Matrix random_spd(Index n, double condition, std::uint64_t seed) {
  Matrix A = Matrix::Zero(n, n);
  for (Index i = 0; i < n; ++i)
    A(i, i) = std::pow(condition, n == 1 ? 0.0 : static_cast<double>(i) / static_cast<double>(n - 1));
  for (std::uint64_t k = 0; k < 2; ++k) {
    const Vector v = random_vector(n, seed + k).normalized();
    const Matrix reflection = Matrix::Identity(n, n) - 2.0 * v * v.transpose();
    A = reflection * A * reflection;
  }
  return 0.5 * (A + A.transpose());
}

// offset + 1/2 <x - center, H (x - center)>.
class Quadratic final : public Objective {
 public:
  Quadratic(Matrix H, Vector center, double offset = 0.0)
      : H_(std::move(H)), center_(std::move(center)), offset_(offset) {}

  Index dimension() const override { return center_.size(); }
  double value_and_gradient(const Vector& x, Vector& grad) override {
    shifted_ = x - center_;
    grad.noalias() = H_ * shifted_;
    return offset_ + 0.5 * shifted_.dot(grad);
  }
  bool hessian_vector(const Vector&, const Vector& v, Vector& out) override {
    out.noalias() = H_ * v;
    return true;
  }
  bool hessian(const Vector&, Matrix& hessian) override {
    hessian = H_;
    return true;
  }

  const Matrix& H() const { return H_; }
  const Vector& center() const { return center_; }

 private:
  Matrix H_;
  Vector center_, shifted_;
  double offset_;
};

// sum over i of 100 (x_{i+1} - x_i^2)^2 + (1 - x_i)^2, with its Hessian.
class ChainedRosenbrock final : public Objective {
 public:
  explicit ChainedRosenbrock(Index n) : n_(n) {}

  static Vector start(Index n) {
    Vector x(n);
    for (Index i = 0; i < n; ++i) x(i) = i % 2 == 0 ? -1.2 : 1.0;
    return x;
  }

  Index dimension() const override { return n_; }
  double value_and_gradient(const Vector& x, Vector& grad) override {
    double f = 0.0;
    grad.setZero();
    for (Index i = 0; i + 1 < n_; ++i) {
      const double t = x(i + 1) - x(i) * x(i), u = 1.0 - x(i);
      f += 100.0 * t * t + u * u;
      grad(i) += -400.0 * t * x(i) - 2.0 * u;
      grad(i + 1) += 200.0 * t;
    }
    return f;
  }
  bool hessian(const Vector& x, Matrix& hessian) override {
    hessian.setZero(n_, n_);
    for (Index i = 0; i + 1 < n_; ++i) {
      hessian(i, i) += 1200.0 * x(i) * x(i) - 400.0 * x(i + 1) + 2.0;
      hessian(i, i + 1) += -400.0 * x(i);
      hessian(i + 1, i) += -400.0 * x(i);
      hessian(i + 1, i + 1) += 200.0;
    }
    return true;
  }
  bool hessian_vector(const Vector& x, const Vector& v, Vector& out) override {
    hessian(x, scratch_);
    out.noalias() = scratch_ * v;
    return true;
  }

 private:
  Index n_;
  Matrix scratch_;
};

// f_scale * f(x / x_scale). With powers of two both scalings are exact.
class Scaled final : public Objective {
 public:
  Scaled(Objective& f, double x_scale, double f_scale) : f_(f), x_scale_(x_scale), f_scale_(f_scale) {}

  Index dimension() const override { return f_.dimension(); }
  double value_and_gradient(const Vector& x, Vector& grad) override {
    inner_ = x / x_scale_;
    const double f = f_.value_and_gradient(inner_, grad);
    grad *= f_scale_ / x_scale_;
    return f_scale_ * f;
  }
  bool hessian_vector(const Vector& x, const Vector& v, Vector& out) override {
    inner_ = x / x_scale_;
    if (!f_.hessian_vector(inner_, v, out)) return false;
    out *= f_scale_ / x_scale_ / x_scale_;
    return true;
  }
  bool hessian(const Vector& x, Matrix& hessian) override {
    inner_ = x / x_scale_;
    if (!f_.hessian(inner_, hessian)) return false;
    hessian *= f_scale_ / x_scale_ / x_scale_;
    return true;
  }

 private:
  Objective& f_;
  double x_scale_, f_scale_;
  Vector inner_;
};

// "more-thuente" -> "more_thuente": names of parameters may hold letters, digits and underscores only.
inline std::string test_name(std::string text) {
  for (char& c : text)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))) c = '_';
  return text;
}

}  // namespace loa::test
