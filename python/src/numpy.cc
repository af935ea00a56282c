#include "numpy.h"

#include <nanobind/stl/string.h>

#include <cstring>

namespace loa::python {
namespace {

// NumPy's functions, found when loa is imported and kept for the life of the process: NumPy cannot be unloaded
// either. Not found at the first use, where two threads could wait for each other, one with the GIL.
nb::handle numpy_empty, numpy_asarray, numpy_float64;

// NumPy would make NaN of None, which is what a function without a return statement returns, and numbers of text.
nb::object as_array(nb::handle source, const char* what) {
  const auto refuse = [what](const std::string& found) {
    throw nb::type_error((std::string(what) + ": expected numbers, found " + found).c_str());
  };
  if (source.is_none()) refuse("None");
  if (PyUnicode_Check(source.ptr()) || PyBytes_Check(source.ptr())) refuse("text");
  const nb::object array = numpy_asarray(source);
  const std::string kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
  if (kind == "U" || kind == "S") refuse("text");
  return numpy_asarray(array, numpy_float64);
}

// The memory of an array while it is looked at.
class Buffer {
 public:
  Buffer(nb::handle object, int flags) : valid_(PyObject_GetBuffer(object.ptr(), &view_, flags) == 0) {
    if (!valid_) PyErr_Clear();
  }
  ~Buffer() {
    if (valid_) PyBuffer_Release(&view_);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  // "=d" is how NumPy says that the numbers are not aligned. All reading is by memcpy.
  bool holds_doubles() const {
    if (!valid_ || view_.itemsize != sizeof(double) || view_.format == nullptr) return false;
    return std::strcmp(view_.format, "d") == 0 || std::strcmp(view_.format, "=d") == 0;
  }
  const Py_buffer& view() const { return view_; }

 private:
  Py_buffer view_ = {};
  bool valid_;
};

constexpr int kRead = PyBUF_STRIDES | PyBUF_FORMAT;

std::string shape_text(const Py_buffer& view) {
  std::string text = "(";
  for (int i = 0; i < view.ndim; ++i) text += (i == 0 ? "" : ", ") + std::to_string(view.shape[i]);
  return text + (view.ndim == 1 ? ",)" : ")");
}

[[noreturn]] void refuse(const char* what, const std::string& expected, const Py_buffer& found) {
  throw nb::value_error((std::string(what) + ": expected shape " + expected + ", found " + shape_text(found)).c_str());
}

// Copies view[i] for all i, whatever the stride.
void copy_row(const char* from, Py_ssize_t stride, Index n, double* to) {
  if (stride == sizeof(double)) {
    std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(double));
    return;
  }
  for (Index i = 0; i < n; ++i, from += stride) std::memcpy(to + i, from, sizeof(double));
}

void fill(const Py_buffer& view, const char* what, Vector& out) {
  const bool single = view.ndim == 0 && out.size() == 1;
  if (!single && !(view.ndim == 1 && view.shape[0] == out.size()))
    refuse(what, "(" + std::to_string(out.size()) + ",)", view);
  copy_row(static_cast<const char*>(view.buf), single ? 0 : view.strides[0], out.size(), out.data());
}

void fill(const Py_buffer& view, const char* what, Matrix& out) {
  if (!(view.ndim == 2 && view.shape[0] == out.rows() && view.shape[1] == out.cols()))
    refuse(what, "(" + std::to_string(out.rows()) + ", " + std::to_string(out.cols()) + ")", view);
  for (Index j = 0; j < out.cols(); ++j)
    copy_row(static_cast<const char*>(view.buf) + j * view.strides[1], view.strides[0], out.rows(), out.col(j).data());
}

template <typename Out>
void read(nb::handle source, const char* what, Out& out) {
  {
    const Buffer buffer(source, kRead);
    if (buffer.holds_doubles()) return fill(buffer.view(), what, out);
  }
  const nb::object array = as_array(source, what);
  const Buffer buffer(array, kRead);
  if (!buffer.holds_doubles()) throw nb::type_error((std::string(what) + ": expected numbers").c_str());
  fill(buffer.view(), what, out);
}

}  // namespace

void import_numpy() {
  const nb::module_ numpy = nb::module_::import_("numpy");
  numpy_empty = nb::object(numpy.attr("empty")).release();
  numpy_asarray = nb::object(numpy.attr("asarray")).release();
  numpy_float64 = nb::object(numpy.attr("float64")).release();
}

Array new_array(Index n, double*& data) {
  auto array = nb::steal<Array>(nb::object(numpy_empty(n)).release());
  const Buffer buffer(array, PyBUF_WRITABLE | kRead);
  if (!buffer.holds_doubles()) throw std::runtime_error("numpy.empty: expected an array of doubles");
  data = static_cast<double*>(buffer.view().buf);
  return array;
}

Array to_numpy(const Vector& values) {
  double* data = nullptr;
  Array array = new_array(values.size(), data);
  Eigen::Map<Vector>(data, values.size()) = values;
  return array;
}

Array to_numpy(const Matrix& values) {
  auto array = nb::steal<Array>(nb::object(numpy_empty(nb::make_tuple(values.rows(), values.cols()))).release());
  const Buffer buffer(array, PyBUF_WRITABLE | kRead);
  if (!buffer.holds_doubles()) throw std::runtime_error("numpy.empty: expected an array of doubles");
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<RowMajor>(static_cast<double*>(buffer.view().buf), values.rows(), values.cols()) = values;
  return array;
}

void from_numpy(nb::handle source, const char* what, Vector& out) { read(source, what, out); }

void from_numpy(nb::handle source, const char* what, Matrix& out) { read(source, what, out); }

Vector vector_from(nb::handle source, const char* what) {
  Vector out(static_cast<Index>(nb::len(source)));
  from_numpy(source, what, out);
  return out;
}

double to_double(nb::handle source, const char* what) {
  if (PyFloat_Check(source.ptr())) return PyFloat_AS_DOUBLE(source.ptr());
  const nb::object array = as_array(source, what);
  const Buffer buffer(array, kRead);
  if (!buffer.holds_doubles() || buffer.view().len != sizeof(double))
    throw nb::value_error((std::string(what) + ": expected one number, found shape " + shape_text(buffer.view()) +
                           ". The user-provided objective function must return a scalar value.")
                              .c_str());
  double result;
  std::memcpy(&result, buffer.view().buf, sizeof(double));
  return result;
}

}  // namespace loa::python
