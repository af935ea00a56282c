// Gradients by differences, for an f that has values alone.
//
//   loa::Summary s = loa::minimize([](const loa::Vector& x) { return (x.array() - 1.0).square().sum(); }, x0);
//
// Layer: core. What a difference gets wrong, in each coordinate, for f with the relative precision eps and second
// derivatives up to kappa, at steps h = eps^(1/2) s and eps^(1/3) s with s = max(1, |x_i|):
//
//   forward   h kappa/2   + 2 eps |f|/h          n + 1 values
//   central   h^2 kappa/(6 s) + eps |f|/h        2 n + 1 values; a third derivative of kappa/s
#pragma once

#include <functional>
#include <limits>

#include "loa/export.h"
#include "loa/objective.h"
#include "loa/vector.h"

LOA_EXPORT_BEGIN
namespace loa {

// A callable that returns f(x).
using ValueFunction = std::function<double(const Vector& x)>;

// kForwardThenCentral: forward ones until their error stops the run or would make its claim untrue, then central ones.
enum class DifferenceRule { kForwardThenCentral, kForward, kCentral };

// How differences are taken.
struct DifferenceOptions {
  DifferenceRule rule = DifferenceRule::kForwardThenCentral;
  double step = 0.0;  // the same for all coordinates; 0: as above, the steps of SciPy
  // Relative, of the values of f.
  double precision = std::numeric_limits<double>::epsilon();
  // Of the run, or empty. f is not called outside: where a bound is in the way differences are taken to the other side,
  // central ones by f at x, x + h and x + 2h; where both bounds are nearer than a step, to the farther one. A fixed
  // variable has the derivative 0, without a value.
  Vector lower = {};
  Vector upper = {};
};

// Makes the gradients.
class Differences final : public GradientError {
 public:
  explicit Differences(DifferenceOptions options = {});

  // Fills grad and returns f(x), which the values at other points follow.
  double value_and_gradient(const ValueFunction& f, const Vector& x, Vector& grad);

  // Values of f for a value and a gradient, by the rule that is in force, or by central differences.
  std::int64_t num_values(Index n) const { return num_values(n, is_central()); }
  std::int64_t num_values(Index n, bool is_central) const;

  bool is_central() const { return is_central_; }
  // For values with fewer digits than a double, once that is known.
  void set_precision(double precision) { options_.precision = precision; }

  // For Objective::gradient_error(): null where the rule is one that stays, which is then taken to the letter.
  GradientError* error() { return options_.rule == DifferenceRule::kForwardThenCentral ? this : nullptr; }
  double bound(const Vector& x, double f, double curvature) const override;
  bool refine() override;

 private:
  double step(double coordinate) const;
  double partial_derivative(const ValueFunction& f, const Vector& x, Index i, double f_x);

  DifferenceOptions options_;
  bool is_central_;
  Vector moved_;
};

// f with its differences.
class DifferenceObjective final : public Objective {
 public:
  DifferenceObjective(Index n, ValueFunction f, DifferenceOptions options = {})
      : n_(n), f_(std::move(f)), differences_(std::move(options)) {}

  Index dimension() const override { return n_; }
  double value_and_gradient(const Vector& x, Vector& grad) override {
    return differences_.value_and_gradient(f_, x, grad);
  }
  double value(const Vector& x) override { return f_(x); }
  GradientError* gradient_error() override { return differences_.error(); }

 private:
  Index n_;
  ValueFunction f_;
  Differences differences_;
};

}  // namespace loa
LOA_EXPORT_END
