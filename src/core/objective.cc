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

namespace {

// A count that is given by set_count() may be as large as it can be: it stays there.
void add_one(std::int64_t& count) {
  if (count < std::numeric_limits<std::int64_t>::max()) ++count;
}

}  // namespace

double CountedObjective::value_and_gradient(const Vector& x, Vector& grad) {
  add_one(count_.value);
  add_one(count_.gradient);
  const double f = f_.value_and_gradient(x, grad);
  if (grad.size() != x.size())
    throw std::invalid_argument("objective: expected a gradient of length " + std::to_string(x.size()) +
                                ", found one of " + std::to_string(grad.size()));
  return f;
}

double CountedObjective::value(const Vector& x) {
  add_one(count_.value);
  return f_.value(x);
}

bool CountedObjective::hessian_vector(const Vector& x, const Vector& v, Vector& out) {
  if (!f_.hessian_vector(x, v, out)) return false;
  add_one(count_.hessian_vector);
  return true;
}

bool CountedObjective::hessian(const Vector& x, Matrix& hessian) {
  if (!f_.hessian(x, hessian)) return false;
  add_one(count_.hessian);
  return true;
}

}  // namespace loa
