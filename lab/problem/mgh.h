// The unconstrained minimization problems of J. J. More, B. S. Garbow and K. E. Hillstrom, "Testing Unconstrained
// Optimization Software", ACM TOMS 7 (1981), 17-41, section "unconstrained minimization". Each is a sum of squares
//
//   f(x) = sum_{i=1}^m r_i(x)^2
//   grad f = 2 sum_i r_i grad r_i
//   Hess f = 2 sum_i (grad r_i grad r_i^T + r_i Hess r_i)
//
// A problem is written once, as residuals over any scalar type; the derivatives come from Jets (mgh_jet.h).
// A family of residuals is a struct with
//
//   Index n, m;
//   template <class T> void operator()(const T* x, T* r) const;   // x has length n, r length m; fills all of r
//
// The known minima that are not 0 were computed from separate formulas with 70 digits: Newton's method with differences
// of step 1e-15, from the end of a double-precision run, until the step is below 1e-25. They are the least of the
// values found, and local_minima the others, by a trust-region Newton method and BFGS from the starts with factor 1, 10
// and 100 and from 60 to 400 random ones; a limit at infinity was solved as the problem that remains there.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "loa/objective.h"
#include "problem/mgh_jet.h"
#include "problem/spec.h"

namespace loa::mgh {

// f, its gradient and its Hessian from a family of residuals. The gradient takes ceil(n / kWidth) sweeps over the
// residuals, a Hessian-vector product as many of about twice the cost, the Hessian n of those products.
// No call allocates: the buffers have their size from construction on.
template <class Residuals>
class SumOfSquares final : public Objective {
 public:
  explicit SumOfSquares(Residuals residuals)
      : residuals_(std::move(residuals)),
        plain_(residuals_.n, residuals_.m),
        first_(residuals_.n, residuals_.m),
        second_(residuals_.n, residuals_.m),
        unit_(Vector::Zero(residuals_.n)),
        column_(residuals_.n) {}

  Index dimension() const override { return residuals_.n; }

  double value(const Vector& x) override {
    std::copy(x.begin(), x.end(), plain_.x.begin());
    return evaluate(plain_);
  }

  double value_and_gradient(const Vector& x, Vector& grad) override {
    for (Index j = 0; j < dimension(); ++j) first_.at(j) = {.a = x[j]};
    double f = 0.0;
    for (Index begin = 0; begin < dimension(); begin += kWidth) {
      const First result = sweep(first_, begin, 1.0);
      f = result.a;
      for (Index j = begin; j < block_end(begin); ++j) grad[j] = result.d[static_cast<std::size_t>(j - begin)];
    }
    return f;
  }

  bool hessian_vector(const Vector& x, const Vector& v, Vector& out) override {
    for (Index j = 0; j < dimension(); ++j) second_.at(j) = {.a = {.a = x[j], .d = {v[j]}}};
    for (Index begin = 0; begin < dimension(); begin += kWidth) {
      const Second result = sweep(second_, begin, {.a = 1.0});
      for (Index j = begin; j < block_end(begin); ++j) out[j] = result.d[static_cast<std::size_t>(j - begin)].d[0];
    }
    return true;
  }

  // Symmetric to the bit: the lower triangle is copied to the upper one.
  bool hessian(const Vector& x, Matrix& hessian) override {
    hessian.resize(dimension(), dimension());
    for (Index j = 0; j < dimension(); ++j) {
      unit_[j] = 1.0;
      hessian_vector(x, unit_, column_);
      unit_[j] = 0.0;
      hessian.col(j) = column_;
    }
    for (Index j = 0; j < dimension(); ++j) {
      for (Index i = 0; i < j; ++i) hessian(i, j) = hessian(j, i);
    }
    return true;
  }

 private:
  // Partial derivatives in one sweep. Most of the problems have at most four unknowns, and four doubles fill a
  // register.
  static constexpr Index kWidth = 4;
  using First = Jet<double, kWidth>;
  using Second = Jet<Jet<double, 1>, kWidth>;  // d[k].d[0] = d/dx_k of the derivative along v

  template <class T>
  struct Buffers {
    Buffers(Index n, Index m) : x(static_cast<std::size_t>(n)), r(static_cast<std::size_t>(m)) {}
    T& at(Index j) { return x[static_cast<std::size_t>(j)]; }
    std::vector<T> x, r;
  };

  Index block_end(Index begin) const { return std::min(begin + kWidth, dimension()); }

  // Returns f with derivatives along the unit vectors `begin` to `begin + kWidth`, as far as there are such.
  template <class S>
  Jet<S, kWidth> sweep(Buffers<Jet<S, kWidth>>& buffers, Index begin, const S& one) {
    for (Index j = begin; j < block_end(begin); ++j) buffers.at(j).d[static_cast<std::size_t>(j - begin)] = one;
    const Jet<S, kWidth> f = evaluate(buffers);
    for (Index j = begin; j < block_end(begin); ++j) buffers.at(j).d.fill(S{});
    return f;
  }

  template <class T>
  T evaluate(Buffers<T>& buffers) {
    residuals_(buffers.x.data(), buffers.r.data());
    T f{};
    for (const T& r : buffers.r) f += r * r;
    return f;
  }

  Residuals residuals_;
  Buffers<double> plain_;
  Buffers<First> first_;
  Buffers<Second> second_;
  Vector unit_, column_;  // for hessian()
};

template <class Residuals>
std::unique_ptr<Objective> sum_of_squares(Residuals residuals) {
  return std::make_unique<SumOfSquares<Residuals>>(std::move(residuals));
}

template <class T>
T square(const T& x) {
  return x * x;
}

// Bounds of n and m where the paper has none: a gradient costs O(n m), so more than this would be the wrong tool.
inline constexpr Index kMaxDimension = 10000;

// Makers in the order of the paper. Each reads its keys n and m, fills the objective, the standard start and the
// minima, and leaves `start=` to make_mgh.
void make_helical_valley(Spec& spec, Problem& problem);
void make_biggs_exp6(Spec& spec, Problem& problem);
void make_gaussian(Spec& spec, Problem& problem);
void make_powell_badly_scaled(Spec& spec, Problem& problem);
void make_box_3d(Spec& spec, Problem& problem);
void make_variably_dimensioned(Spec& spec, Problem& problem);
void make_watson(Spec& spec, Problem& problem);
void make_penalty_1(Spec& spec, Problem& problem);
void make_penalty_2(Spec& spec, Problem& problem);
void make_brown_badly_scaled(Spec& spec, Problem& problem);
void make_brown_and_dennis(Spec& spec, Problem& problem);
void make_gulf(Spec& spec, Problem& problem);
void make_trigonometric(Spec& spec, Problem& problem);
void make_extended_rosenbrock(Spec& spec, Problem& problem);
void make_extended_powell_singular(Spec& spec, Problem& problem);
void make_beale(Spec& spec, Problem& problem);
void make_wood(Spec& spec, Problem& problem);
void make_chebyquad(Spec& spec, Problem& problem);

}  // namespace loa::mgh
