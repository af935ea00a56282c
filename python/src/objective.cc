#include "objective.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace loa::python {
namespace {

constexpr double kDouble = std::numeric_limits<double>::epsilon();

// Callables::gradient_error, which outlives it.
class PythonGradientError final : public GradientError {
 public:
  explicit PythonGradientError(nb::handle object) : object_(object) {}

  double bound(const Vector& x, double f, double curvature) const override {
    const nb::gil_scoped_acquire gil;
    return nb::cast<double>(object_.attr("bound")(to_numpy(x), f, curvature));
  }
  bool refine() override {
    const nb::gil_scoped_acquire gil;
    return nb::cast<bool>(object_.attr("refine")());
  }

 private:
  nb::handle object_;
};

void check_signals() {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

// The value and the gradient, from a tuple or a list, which may change while they are read.
std::pair<nb::object, nb::object> parts_of(nb::handle pair) {
  if (PyTuple_Check(pair.ptr()) && PyTuple_GET_SIZE(pair.ptr()) == 2)
    return {nb::borrow(PyTuple_GET_ITEM(pair.ptr(), 0)), nb::borrow(PyTuple_GET_ITEM(pair.ptr(), 1))};
  if (PyList_Check(pair.ptr()) && PyList_GET_SIZE(pair.ptr()) == 2)
    return {nb::borrow(PyList_GET_ITEM(pair.ptr(), 0)), nb::borrow(PyList_GET_ITEM(pair.ptr(), 1))};
  const nb::object name = pair.type().attr("__name__");
  const std::string type = nb::str(nb::handle(name)).c_str();
  throw nb::type_error(("fun: expected a tuple (value, gradient), found " + type).c_str());
}

// A value where a value alone was expected: a value and a gradient are refused.
nb::object alone(nb::object value) {
  const bool is_pair = (PyTuple_Check(value.ptr()) && PyTuple_GET_SIZE(value.ptr()) == 2) ||
                       (PyList_Check(value.ptr()) && PyList_GET_SIZE(value.ptr()) == 2);
  if (is_pair)
    throw nb::value_error(
        "fun: expected one number, found two values; did you mean jac=True? "
        "The user-provided objective function must return a scalar value.");
  return value;
}

}  // namespace

double precision_of(nb::handle value) {
  if (PyFloat_Check(value.ptr()) || !nb::hasattr(value, "dtype")) return kDouble;
  const nb::object dtype = value.attr("dtype");
  const std::string type = nb::str(nb::handle(dtype)).c_str();
  const auto is = [&](std::string_view name) { return type.ends_with(name); };  // torch.float32
  if (is("bfloat16")) return 0x1p-7;
  if (is("float16")) return 0x1p-10;
  return is("float32") ? std::numeric_limits<float>::epsilon() : kDouble;
}

DifferenceOptions Callables::differences() const {
  const auto found = [this] {
    if (rule == GradientRule::kCentral) return DifferenceRule::kCentral;
    return rule == GradientRule::kForward ? DifferenceRule::kForward : DifferenceRule::kForwardThenCentral;
  };
  return {.rule = found(), .step = step, .lower = lower, .upper = upper};
}

std::int64_t Callables::calls(Index n, bool is_refined) const {
  if (rule == GradientRule::kFused || rule == GradientRule::kSeparate) return 1;
  const bool refines = is_refined && rule == GradientRule::kForwardThenCentral;
  return Differences(differences()).num_values(n, refines || rule == GradientRule::kCentral);
}

PythonObjective::PythonObjective(Index n, std::shared_ptr<const Callables> callables)
    : n_(n), callables_(std::move(callables)) {
  if (callables_->gradient_error.is_valid())
    own_error_ = std::make_unique<PythonGradientError>(callables_->gradient_error);
  else if (callables_->rule != GradientRule::kFused && callables_->rule != GradientRule::kSeparate)
    differences_.emplace(callables_->differences());
}

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
      const auto [f, gradient] = parts_of(pair);
      from_numpy(gradient, "gradient", grad);
      return number(f);
    }
    case GradientRule::kSeparate: {
      const double f = number(alone(call(callables_->fun, x)));
      from_numpy(call(callables_->jac, x), "jac", grad);
      return f;
    }
    default:
      return differences_->value_and_gradient([this](const Vector& point) { return plain_value(point); }, x, grad);
  }
}

double PythonObjective::plain_value(const Vector& x) {
  const double f = number(alone(call(callables_->fun, x)));
  if (differences_) differences_->set_precision(std::max(callables_->precision, kDouble));
  return f;
}

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
  return to_double(parts_of(pair).first, "fun");
}

GradientError* PythonObjective::gradient_error() {
  if (differences_) return differences_->error();
  return own_error_.get();
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
