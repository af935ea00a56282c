#include "loa/objective.h"

#include <stdexcept>
#include <string>

namespace loa {

double Objective::value(const Vector& x) {
  scratch_.resize(x.size());
  return value_and_gradient(x, scratch_);
}

bool Objective::hessian_vector(const Vector&, const Vector&, Vector&) { return false; }

bool Objective::hessian(const Vector&, Matrix&) { return false; }

double CountedObjective::value_and_gradient(const Vector& x, Vector& grad) {
  ++count_.value;
  ++count_.gradient;
  const double f = f_.value_and_gradient(x, grad);
  if (grad.size() != x.size())
    throw std::invalid_argument("objective: expected a gradient of length " + std::to_string(x.size()) +
                                ", found one of " + std::to_string(grad.size()));
  return f;
}

double CountedObjective::value(const Vector& x) {
  ++count_.value;
  return f_.value(x);
}

bool CountedObjective::hessian_vector(const Vector& x, const Vector& v, Vector& out) {
  if (!f_.hessian_vector(x, v, out)) return false;
  ++count_.hessian_vector;
  return true;
}

bool CountedObjective::hessian(const Vector& x, Matrix& hessian) {
  if (!f_.hessian(x, hessian)) return false;
  ++count_.hessian;
  return true;
}

}  // namespace loa
