// f : R^n -> R, the function to minimize.
//
// Layer: core.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>

#include "loa/export.h"
#include "loa/vector.h"

LOA_EXPORT_BEGIN
namespace loa {

// What an objective whose gradients are not exact, such as differences, knows about their errors.
class GradientError {
 public:
  virtual ~GradientError() = default;

  // About how large the error of a coordinate is at x, where f(x) = f and second derivatives are up to `curvature`.
  virtual double bound(const Vector& x, double f, double curvature) const = 0;

  // Makes later gradients more accurate, at a higher price. Returns false where they are as accurate as they get.
  virtual bool refine() = 0;
};

// The user's side of an objective. The smallest one is a callable, see FunctionObjective.
// Non-finite values are allowed everywhere except at the start: they mean "outside the domain".
class Objective {
 public:
  virtual ~Objective() = default;

  virtual Index dimension() const = 0;

  // Returns f(x) and fills grad. REQUIRES: x and grad have length n; they do not alias.
  virtual double value_and_gradient(const Vector& x, Vector& grad) = 0;

  // Returns f(x) alone; override where that is cheaper. The default computes the gradient and drops it.
  virtual double value(const Vector& x);

  // out = Hessian(x) v. Returns false when the objective has no Hessian-vector product.
  virtual bool hessian_vector(const Vector& x, const Vector& v, Vector& out);

  // The full symmetric Hessian, n x n. Returns false when the objective has none.
  virtual bool hessian(const Vector& x, Matrix& hessian);

  // Null, the default: gradients are right up to rounding. Not asked in a distributed run.
  virtual GradientError* gradient_error() { return nullptr; }

 private:
  Vector scratch_;
};

// Any callable that fills the gradient and returns the value.
using Function = std::function<double(const Vector& x, Vector& grad)>;

// A callable with its dimension.
class FunctionObjective final : public Objective {
 public:
  FunctionObjective(Index n, Function f) : n_(n), f_(std::move(f)) {}
  Index dimension() const override { return n_; }
  double value_and_gradient(const Vector& x, Vector& grad) override { return f_(x, grad); }

 private:
  Index n_;
  Function f_;
};

// How often each part of f was asked for. A fused call counts as one value and one gradient.
struct Evaluations {
  std::int64_t value = 0;
  std::int64_t gradient = 0;
  std::int64_t hessian_vector = 0;
  std::int64_t hessian = 0;

  bool operator==(const Evaluations&) const = default;
};

// The one place where evaluations are counted. An exception of the user's function passes through unchanged.
class CountedObjective final : public Objective {
 public:
  explicit CountedObjective(Objective& f) : f_(f) {}

  Index dimension() const override { return f_.dimension(); }
  double value_and_gradient(const Vector& x, Vector& grad) override;
  double value(const Vector& x) override;
  bool hessian_vector(const Vector& x, const Vector& v, Vector& out) override;
  bool hessian(const Vector& x, Matrix& hessian) override;
  GradientError* gradient_error() override { return f_.gradient_error(); }

  const Evaluations& count() const { return count_; }
  void set_count(const Evaluations& count) { count_ = count; }

 private:
  Objective& f_;
  Evaluations count_;
};

}  // namespace loa
LOA_EXPORT_END
