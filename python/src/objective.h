// f as a Python callable.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <vector>

#include "loa/differences.h"
#include "loa/objective.h"
#include "numpy.h"

namespace loa::python {

// How the gradient is found.
enum class GradientRule {
  kFused,     // fun returns (value, gradient)
  kSeparate,  // jac returns the gradient
  kForward,   // forward differences, n + 1 calls of fun
  kCentral,   // central differences, 2 n + 1 calls
  kForwardThenCentral,
};

// The spacing of numbers next to 1 in the type of an array or a scalar of NumPy, jax or torch.
double precision_of(nb::handle value);

// The callables. What is None is not there. Made and copied with the GIL.
struct Callables {
  nb::object fun, jac, value, hess, hessp;
  nb::tuple args;
  GradientRule rule = GradientRule::kSeparate;
  // Of differences. 0: epsilon^(1/2) max(1, |x_i|), or epsilon^(1/3) for central ones, as SciPy has it.
  double step = 0.0;
  // Of the run, or empty: differences stay inside, and those of a fixed variable are not made.
  Vector lower = {}, upper = {};
  // The relative precision of the values of f. 0: not known yet, found by the type of the first value.
  mutable double precision = 0.0;
  // With kFused: a Python object with bound(x, f, curvature) and refine(), as a GradientError. Not valid for none.
  nb::object gradient_error = {};
  // Whether gradients are by differences: by the rule, or inside `fun`.
  bool by_differences = rule != GradientRule::kFused && rule != GradientRule::kSeparate;

  // What the differences are, by the type of the first value.
  DifferenceOptions differences() const;
  // Calls of fun for a value and a gradient, before and after gradients were refined.
  std::int64_t calls(Index n, bool is_refined) const;
};

// Takes the GIL in each call, so that it can be used from any thread that does not hold it. The array that the callable
// gets is its own to keep: it is used again only when nobody else refers to it. An exception of a callable, and one of
// a signal (Ctrl-C), comes out as nb::python_error.
class PythonObjective final : public Objective {
 public:
  PythonObjective(Index n, std::shared_ptr<const Callables> callables);
  ~PythonObjective() override;

  Index dimension() const override { return n_; }
  double value_and_gradient(const Vector& x, Vector& grad) override;
  double value(const Vector& x) override;
  bool hessian_vector(const Vector& x, const Vector& v, Vector& out) override;
  bool hessian(const Vector& x, Matrix& hessian) override;
  GradientError* gradient_error() override;

 private:
  nb::object call(const nb::object& function, const Vector& x, const nb::object* more = nullptr);
  double plain_value(const Vector& x);
  double number(nb::handle value);
  nb::handle array_of(const Vector& x);

  Index n_;
  std::shared_ptr<const Callables> callables_;
  nb::object array_;        // what the callable sees as x
  double* data_ = nullptr;  // its numbers
  std::optional<Differences> differences_;
  std::unique_ptr<GradientError> own_error_;  // Callables::gradient_error
  std::vector<PyObject*> arguments_;
};

}  // namespace loa::python
