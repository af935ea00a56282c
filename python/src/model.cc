#include "model.h"

#include <string>

namespace loa::python {
namespace {

nb::list arrays(const std::vector<Vector>& vectors) {
  nb::list list;
  for (const Vector& vector : vectors) list.append(to_numpy(vector));
  return list;
}

}  // namespace

PythonModel::PythonModel(nb::object predict, nb::object pullback, Vector theta)
    : predict_(std::move(predict)), pullback_(std::move(pullback)), theta_(std::move(theta)) {}

PythonModel::~PythonModel() {
  const nb::gil_scoped_acquire gil;
  predict_.reset();
  pullback_.reset();
}

void PythonModel::predict(const Input& input, Prediction& prediction) const {
  const nb::gil_scoped_acquire gil;
  const nb::object y = predict_(arrays(input.vectors), arrays(input.covectors), to_numpy(input.features), input.gamma);
  prediction.y.resize(input.dimension());
  from_numpy(y, "predict", prediction.y);
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void PythonModel::pullback(const Input& input, const Vector& d_y, std::vector<Vector>& d_vectors,
                           Vector& d_theta) const {
  const nb::gil_scoped_acquire gil;
  if (pullback_.is_none()) throw nb::type_error("pullback: expected a model with one, found a model without");
  const nb::object pair =
      pullback_(arrays(input.vectors), arrays(input.covectors), to_numpy(input.features), input.gamma, to_numpy(d_y));
  if (!nb::isinstance<nb::tuple>(pair) || nb::len(pair) != 2)
    throw nb::type_error("pullback: expected a tuple (d_vectors, d_theta)");
  const nb::object vectors = pair[0];
  if (nb::len(vectors) != d_vectors.size())
    throw nb::value_error(("pullback: expected " + std::to_string(d_vectors.size()) + " vectors, found " +
                           std::to_string(nb::len(vectors)))
                              .c_str());
  Vector part(input.dimension());
  for (std::size_t i = 0; i < d_vectors.size(); ++i) {
    from_numpy(nb::object(vectors[i]), "pullback", part);
    d_vectors[i] += part;
  }
  part.resize(d_theta.size());
  from_numpy(nb::object(pair[1]), "pullback", part);
  d_theta += part;
}

}  // namespace loa::python
