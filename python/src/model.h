// M_theta as a Python callable.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "loa/model.h"
#include "numpy.h"

namespace loa::python {

// Python's side of a model: predict(vectors, covectors, features, gamma) returns y; pullback(..., d_y) returns
// (d_vectors, d_theta), or is None. Takes the GIL in each call.
class PythonModel final : public Model {
 public:
  // REQUIRES: the GIL is held.
  PythonModel(nb::object predict, nb::object pullback, Vector theta);
  ~PythonModel() override;

  void predict(const Input& input, Prediction& prediction) const override;
  void pullback(const Input& input, const Vector& d_y, std::vector<Vector>& d_vectors, Vector& d_theta) const override;
  const Vector& theta() const override { return theta_; }

 private:
  nb::object predict_, pullback_;
  Vector theta_;
};

}  // namespace loa::python
