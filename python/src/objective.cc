#include "objective.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

namespace loa::python {
namespace {

void check_signals() {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

[[noreturn]] void refuse_pair(nb::handle found) {
  const nb::object name = found.type().attr("__name__");
  const std::string type = nb::str(nb::handle(name)).c_str();
  throw nb::type_error(("fun: expected a tuple (value, gradient), found " + type).c_str());
}

// The spacing of numbers next to 1 in the type of an array or a scalar of NumPy, jax or torch.
double precision_of(nb::handle value) {
  constexpr double kDouble = std::numeric_limits<double>::epsilon();
  if (PyFloat_Check(value.ptr()) || !nb::hasattr(value, "dtype")) return kDouble;
  const nb::object dtype = value.attr("dtype");
  const std::string type = nb::str(nb::handle(dtype)).c_str();
  const auto is = [&](std::string_view name) { return type.ends_with(name); };  // torch.float32
  if (is("bfloat16")) return 0x1p-7;
  if (is("float16")) return 0x1p-10;
  return is("float32") ? std::numeric_limits<float>::epsilon() : kDouble;
}

}  // namespace

std::int64_t Callables::calls(Index n) const {
  Index num_free = n;
  if (lower.size() == n && upper.size() == n) num_free -= (lower.array() == upper.array()).count();
  if (rule == GradientRule::kForward) return num_free + 1;
  return rule == GradientRule::kCentral ? 2 * num_free + 1 : 1;
}

PythonObjective::PythonObjective(Index n, std::shared_ptr<const Callables> callables)
    : n_(n), callables_(std::move(callables)) {}

PythonObjective::~PythonObjective() {
  const nb::gil_scoped_acquire gil;
  array_.reset();
}

// The array that was used last, unless the callable has kept it or a part of it.
nb::handle PythonObjective::array_of(const Vector& x) {
  if (!array_.is_valid() || Py_REFCNT(array_.ptr()) != 1) array_ = new_array(n_, data_);
  std::copy(x.data(), x.data() + n_, data_);
  return array_;
}

nb::object PythonObjective::call(const nb::object& function, const Vector& x, const nb::object* more) {
  const nb::tuple& args = callables_->args;
  arguments_.clear();
  arguments_.push_back(array_of(x).ptr());
  if (more != nullptr) arguments_.push_back(more->ptr());
  for (std::size_t i = 0; i < args.size(); ++i) arguments_.push_back(PyTuple_GET_ITEM(args.ptr(), Py_ssize_t(i)));
  PyObject* result = PyObject_Vectorcall(function.ptr(), arguments_.data(), arguments_.size(), nullptr);
  if (result == nullptr) throw nb::python_error();
  check_signals();
  return nb::steal(result);
}

double PythonObjective::value_and_gradient(const Vector& x, Vector& grad) {
  const nb::gil_scoped_acquire gil;
  switch (callables_->rule) {
    case GradientRule::kFused: {
      const nb::object pair = call(callables_->fun, x);
      if (!PyTuple_Check(pair.ptr()) || PyTuple_GET_SIZE(pair.ptr()) != 2) refuse_pair(pair);
      from_numpy(PyTuple_GET_ITEM(pair.ptr(), 1), "gradient", grad);
      return number(PyTuple_GET_ITEM(pair.ptr(), 0));
    }
    case GradientRule::kSeparate: {
      const double f = number(call(callables_->fun, x));
      from_numpy(call(callables_->jac, x), "jac", grad);
      return f;
    }
    default:
      return difference(x, grad);
  }
}

double PythonObjective::plain_value(const Vector& x) { return number(call(callables_->fun, x)); }

// A value of f. The type of the first one tells how many digits it has.
double PythonObjective::number(nb::handle value) {
  if (callables_->precision == 0.0) callables_->precision = precision_of(value);
  return to_double(value, "fun");
}

double PythonObjective::value(const Vector& x) {
  const nb::gil_scoped_acquire gil;
  if (!callables_->value.is_none()) return to_double(call(callables_->value, x), "value");
  if (callables_->rule != GradientRule::kFused) return plain_value(x);
  const nb::object pair = call(callables_->fun, x);
  if (!PyTuple_Check(pair.ptr()) || PyTuple_GET_SIZE(pair.ptr()) != 2) refuse_pair(pair);
  return to_double(PyTuple_GET_ITEM(pair.ptr(), 0), "fun");
}

double PythonObjective::difference(const Vector& x, Vector& grad) {
  const double f = plain_value(x);
  moved_ = x;
  for (Index i = 0; i < n_; ++i) {
    grad[i] = partial_derivative(x, i, f);
    moved_[i] = x[i];
  }
  return f;
}

// Where a bound is in the way differences are taken to the other side, central ones by f at x, x + h and x + 2h; where
// both bounds are nearer than a step, to the farther one. A fixed variable has the derivative 0.
double PythonObjective::partial_derivative(const Vector& x, Index i, double f) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity(),
                   kEpsilon = std::numeric_limits<double>::epsilon();
  const bool central = callables_->rule == GradientRule::kCentral;
  const double relative = central ? std::cbrt(kEpsilon) : std::sqrt(kEpsilon);
  const double lower = callables_->lower.size() == n_ ? callables_->lower[i] : -kInfinity;
  const double upper = callables_->upper.size() == n_ ? callables_->upper[i] : kInfinity;
  const auto at = [&](double coordinate) {
    moved_[i] = coordinate;
    return plain_value(moved_);
  };
  // Away from 0, as SciPy does.
  const double size = callables_->step > 0.0 ? callables_->step : relative * std::max(1.0, std::abs(x[i]));
  double step = x[i] < 0.0 ? -size : size;
  const auto is_inside = [&](double coordinate) { return coordinate >= lower && coordinate <= upper; };
  // Divided by the distance that the rounded points really have.
  if (central && is_inside(x[i] + step) && is_inside(x[i] - step)) {
    const double right = x[i] + step, left = x[i] - step;
    const double f_right = at(right), f_left = at(left);
    return (f_right - f_left) / (right - left);
  }
  const double reach = central ? 2.0 : 1.0;
  if (!is_inside(x[i] + reach * step)) step = -step;
  double far = x[i] + reach * step;
  if (!is_inside(far)) far = upper - x[i] >= x[i] - lower ? upper : lower;
  if (far == x[i]) return 0.0;
  if (!central) return (at(far) - f) / (far - x[i]);
  const double near = std::clamp(x[i] + 0.5 * (far - x[i]), lower, upper), h = near - x[i], whole = far - x[i];
  const double f_near = at(near), f_far = at(far);
  if (h == 0.0 || near == far) return (f_far - f) / whole;
  // The derivative at x of the parabola through the three points.
  return ((f_near - f) / h * whole - (f_far - f) / whole * h) / (whole - h);
}

bool PythonObjective::hessian_vector(const Vector& x, const Vector& v, Vector& out) {
  const nb::gil_scoped_acquire gil;
  if (!callables_->hessp.is_none()) {
    const nb::object direction = to_numpy(v);
    from_numpy(call(callables_->hessp, x, &direction), "hessp", out);
    return true;
  }
  if (callables_->hess.is_none()) return false;
  Matrix H(n_, n_);
  from_numpy(call(callables_->hess, x), "hess", H);
  out.noalias() = H * v;
  return true;
}

bool PythonObjective::hessian(const Vector& x, Matrix& hessian) {
  const nb::gil_scoped_acquire gil;
  if (callables_->hess.is_none()) return false;
  hessian.resize(n_, n_);
  from_numpy(call(callables_->hess, x), "hess", hessian);
  return true;
}

}  // namespace loa::python
