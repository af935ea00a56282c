#include "loa/transform.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/text.h"
#include "principle/scale_power.h"
#include "problem/decompositions.h"

namespace loa {
namespace {

void require(bool condition, const std::string& what) {
  if (!condition) throw std::invalid_argument("Transform: " + what);
}

void require_scale(double lambda) {
  require(lambda > 0.0 && std::isfinite(lambda), "expected a positive lambda, found " + real_text(lambda));
}

}  // namespace

Transform Transform::translation(Vector v) {
  Transform transform(Principle::kTranslation, 1.0);
  transform.shift_ = std::move(v);
  return transform;
}

Transform Transform::permutation(std::vector<Index> order) {
  std::vector<bool> seen(order.size(), false);
  for (const Index i : order) {
    const bool fits = i >= 0 && i < static_cast<Index>(order.size()) && !seen[static_cast<std::size_t>(i)];
    require(fits, "expected a permutation, found " + std::to_string(i) + " outside or twice");
    seen[static_cast<std::size_t>(i)] = true;
  }
  Transform transform(Principle::kPermutation, 1.0);
  transform.order_ = std::move(order);
  return transform;
}

Transform Transform::orthogonal(Matrix P) {
  constexpr double kOrthogonal = 1e-10;
  require(P.rows() == P.cols() && (P.transpose() * P - Matrix::Identity(P.rows(), P.cols())).norm() <= kOrthogonal,
          "expected an orthogonal matrix");
  Transform transform(Principle::kOrthogonal, 1.0);
  transform.P_ = std::move(P);
  return transform;
}

Transform Transform::geometric_scaling(double lambda) {
  require_scale(lambda);
  return {Principle::kGeometricScaling, lambda};
}

Transform Transform::function_scaling(double lambda) {
  require_scale(lambda);
  return {Principle::kFunctionScaling, lambda};
}

Transform Transform::random_permutation(Index n, Random& random) {
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return permutation(std::move(order));
}

Transform Transform::random_orthogonal(Index n, Random& random) {
  Matrix gaussian(n, n);
  for (double& entry : gaussian.reshaped()) entry = random.normal();
  return orthogonal(orthonormal(gaussian));
}

std::string Transform::name() const {
  switch (principle_) {
    case Principle::kDimension:
      break;
    case Principle::kTranslation:
      return "x -> x + v";
    case Principle::kPermutation:
      return "x -> P x, P a permutation";
    case Principle::kOrthogonal:
      return "x -> P x, P orthogonal";
    case Principle::kGeometricScaling:
      return fmt::format("x -> {} x", lambda_);
    case Principle::kFunctionScaling:
      return fmt::format("f -> {} f", lambda_);
  }
  return "";
}

Vector Transform::rotate(const Vector& v) const {
  if (P_.size() > 0) return P_ * v;
  if (order_.empty()) return v;
  Vector out(v.size());
  for (Index i = 0; i < v.size(); ++i) out(i) = v(order_[static_cast<std::size_t>(i)]);
  return out;
}

Vector Transform::rotate_back(const Vector& v) const {
  if (P_.size() > 0) return P_.transpose() * v;
  if (order_.empty()) return v;
  Vector out(v.size());
  for (Index i = 0; i < v.size(); ++i) out(order_[static_cast<std::size_t>(i)]) = v(i);
  return out;
}

double Transform::factor(const Units& units) const {
  if (principle_ == Principle::kGeometricScaling) return scale_power(lambda_, units.x);
  if (principle_ == Principle::kFunctionScaling) return scale_power(lambda_, units.f);
  return 1.0;
}

Vector Transform::quantity(const Vector& v, const Units& units) const {
  Vector out = factor(units) * rotate(v);
  if (units.is_place && shift_.size() > 0) out += shift_;
  return out;
}

double Transform::quantity(double value, const Units& units) const { return factor(units) * value; }

Vector Transform::point(const Vector& x) const { return quantity(x, units::kPlace); }

Vector Transform::inverse_point(const Vector& x) const {
  if (shift_.size() > 0) return x - shift_;
  return inverse_vector(x);
}

Vector Transform::vector(const Vector& v) const { return quantity(v, units::kVector); }

Vector Transform::inverse_vector(const Vector& v) const { return rotate_back(v) / factor(units::kVector); }

Vector Transform::covector(const Vector& g) const { return quantity(g, units::kCovector); }

Matrix Transform::hessian(const Matrix& H) const {
  Matrix out = H;
  for (int side = 0; side < 2; ++side) {
    for (Index j = 0; j < out.cols(); ++j) out.col(j) = rotate(out.col(j));
    out.transposeInPlace();
  }
  // Symmetric to the last bit, as H is.
  out.triangularView<Eigen::StrictlyUpper>() = out.transpose();
  return out * factor({.x = -2, .f = 1});
}

std::unique_ptr<InverseHessian> Transform::inverse_hessian(const InverseHessian& B) const {
  return B.congruent([this](const Vector& v) { return vector(v); }, factor({.x = 0, .f = -1}));
}

double TransformedObjective::value_and_gradient(const Vector& x, Vector& grad) {
  const double f = f_.value_and_gradient(transform_.inverse_point(x), grad);
  grad = transform_.covector(grad);
  return transform_.quantity(f, {.x = 0, .f = 1});
}

double TransformedObjective::value(const Vector& x) {
  return transform_.quantity(f_.value(transform_.inverse_point(x)), {.x = 0, .f = 1});
}

bool TransformedObjective::hessian_vector(const Vector& x, const Vector& v, Vector& out) {
  if (!f_.hessian_vector(transform_.inverse_point(x), transform_.inverse_vector(v), out)) return false;
  out = transform_.covector(out);
  return true;
}

bool TransformedObjective::hessian(const Vector& x, Matrix& hessian) {
  if (!f_.hessian(transform_.inverse_point(x), hessian)) return false;
  hessian = transform_.hessian(hessian);
  return true;
}

State transformed_state(const State& state, const Storage& storage, const Transform& transform) {
  const StateUnits known = storage.units();
  const auto require_units = [](const char* what, std::size_t found, std::size_t expected) {
    if (found != expected)
      throw std::invalid_argument(fmt::format(
          "transformed_state: expected the units of {} {} from Storage::units(), found {}", expected, what, found));
  };
  require_units("vectors of memory", known.memory.size(), state.memory.size());
  require_units("scalars", known.scalars.size(), state.scalars.size());

  constexpr Units kValue = {.x = 0, .f = 1};
  State out;
  static_cast<StateValues&>(out) = state;
  out.x = transform.point(state.x);
  out.x_prev = transform.point(state.x_prev);
  out.grad = transform.covector(state.grad);
  out.grad_prev = transform.covector(state.grad_prev);
  out.direction_prev = transform.vector(state.direction_prev);
  for (double* value : {&out.f, &out.f_prev, &out.f_start, &out.lowest_f, &out.f_at_progress, &out.best_f,
                        &out.evidence.f_without_promise, &out.evidence.f_returned_to, &out.evidence.noise})
    *value = transform.quantity(*value, kValue);
  constexpr Units kCurvature = {.x = -2, .f = 1};
  for (double* curvature : {&out.evidence.largest_curvature, &out.evidence.smallest_curvature})
    *curvature = transform.quantity(*curvature, kCurvature);
  for (std::size_t i = 0; i < known.memory.size(); ++i)
    out.memory[i] = transform.quantity(state.memory[i], known.memory[i]);
  for (Index column = 0; column < state.hidden.cols(); ++column)
    out.hidden.col(column) = transform.quantity(Vector(state.hidden.col(column)), units::kDimensionless);
  for (std::size_t i = 0; i < known.scalars.size(); ++i)
    out.scalars[i] = transform.quantity(state.scalars[i], known.scalars[i]);
  // A rotation does not say what the largest entry becomes. Only the tests of convergence ask for it.
  for (double* norm : {&out.grad_inf_norm_start, &out.lowest_grad_inf_norm})
    *norm = transform.quantity(*norm, units::kCovector);
  if (state.best_is_behind) {
    out.best_x = transform.point(state.best_x);
    out.best_grad = transform.covector(state.best_grad);
  }
  if (state.B != nullptr) {
    out.B = transform.inverse_hessian(*state.B);
    if (out.B == nullptr)
      throw std::invalid_argument("transformed_state: expected a B that can be transformed, found one that cannot");
  }
  return out;
}

}  // namespace loa
