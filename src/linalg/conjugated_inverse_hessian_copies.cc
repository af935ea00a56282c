// The operator elsewhere: as a matrix, in other coordinates, in a file.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "linalg/conjugated_inverse_hessian.h"
#include "linalg/dense_inverse_hessian.h"
#include "linalg/limited_memory_inverse_hessian.h"
#include "linalg/power_of_two.h"
#include "linalg/tensor_file.h"

namespace loa {
namespace {

std::string numbered(const char* name, Index i) { return std::string(name) + "." + std::to_string(i); }

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// Whether J is c P, P a permutation up to signs.
bool is_permutation(const InverseHessian::LinearMap& J, double c, Index n) {
  constexpr double kTolerance = 1e-8;
  Vector values = J(Vector::LinSpaced(n, 1.0, static_cast<double>(n))).cwiseAbs() / c;
  std::sort(values.begin(), values.end());
  for (Index i = 0; i < n; ++i)
    if (!(std::abs(values(i) - static_cast<double>(i + 1)) <= kTolerance * static_cast<double>(n))) return false;
  return true;
}

}  // namespace

void ConjugatedInverseHessian::make_matrix(DenseInverseHessian& matrix, Scratch& scratch) {
  matrix.reset(unit_ * (spare_is_pair_ ? spare_scale_ : scale_));
  std::vector<double>& coefficients = coefficients_.front();
  for (Index i = 0; i < num_pairs(); ++i) {
    std::fill(made_.begin(), made_.end(), 0.0);
    made_[at(i)] = 1.0;
    pairs_.expand(made_, coefficients);
    scratch.d.setZero(n_);
    scratch.delta_g.setZero(n_);
    for (Index l = i; l < num_used(); ++l) {
      if (coefficients[at(l)] == 0.0) continue;
      scratch.d += (unit_ * coefficients[at(l)]) * d_.col(slot(l));
      scratch.delta_g += coefficients[at(l)] * delta_g_.col(slot(l));
    }
    matrix.apply(scratch.delta_g, scratch.B_delta_g);
    matrix.update({.d = scratch.d, .delta_g = scratch.delta_g, .B_delta_g = scratch.B_delta_g, .y = scratch.d});
  }
}

// With J = c Q, Q orthogonal, factor J B J^T = factor c^2 Q B Q^T: all vectors are turned and the d_i are scaled.
std::unique_ptr<InverseHessian> ConjugatedInverseHessian::congruent(const LinearMap& J, double factor) const {
  constexpr double kTolerance = 1e-10;
  const Vector ones = Vector::Ones(n_);
  const double c = J(ones).norm() / ones.norm();
  const bool diagonal = options_.diagonal && diagonal_.is_made();
  if (diagonal && !is_permutation(J, c, n_)) return nullptr;
  auto result = std::make_unique<ConjugatedInverseHessian>(*this);
  result->spare_is_set_ = result->spare_is_pair_ = false;
  const double total = factor * c * c, whole = power_of_two(total), rest = total / whole;
  result->unit_ *= whole;
  result->scale_ *= rest;
  result->next_unit_ *= power_of_two(1.0 / (factor * c));
  for (Index i = 0; i < num_pairs(); ++i) {
    const Vector delta_g = delta_g_.col(slot(i)), d = d_.col(slot(i)), turned = J(delta_g) / c;
    if (!(std::abs(turned.squaredNorm() / delta_g.squaredNorm() - 1.0) <= kTolerance)) return nullptr;
    result->delta_g_.col(slot(i)) = turned;
    result->d_.col(slot(i)) = J(d) * (rest / c);
    for (Index j = 0; j < num_pairs(); ++j) result->d_dg_(slot(i), slot(j)) *= rest;
  }
  if (diagonal) result->diagonal_.permute([&](const Vector& a) { return Vector((J(a) / c).cwiseAbs()); });
  return result;
}

void ConjugatedInverseHessian::save(TensorFile& file) const {
  file.metadata["B.kind"] = "conjugated";
  file.put_integer("B.dimension", n_);
  file.put_integer("B.capacity", capacity());
  file.put_integer("B.has_diagonal", options_.diagonal ? 1 : 0);
  file.put_integer("B.num_pairs", num_pairs());
  file.put_integer("B.geometric_scale", options_.geometric_scale ? 1 : 0);
  file.put_integer("B.depth", options_.conjugation.depth);
  file.put_scalar("B.damping", options_.conjugation.damping);
  file.put_scalar("B.unit", unit_);
  file.put_scalar("B.scale", scale_);
  file.put_scalar("B.next_unit", next_unit_);
  Vector products(2 * num_pairs() * num_pairs());
  Index next = 0;
  for (Index i = 0; i < num_pairs(); ++i) {
    file.put(numbered("B.delta_g", i), delta_g_.col(slot(i)));
    file.put(numbered("B.d", i), d_.col(slot(i)));
    for (Index j = 0; j < num_pairs(); ++j)
      for (const Matrix* matrix : {&d_dg_, &dg_dg_}) products(next++) = (*matrix)(slot(i), slot(j));
  }
  file.put("B.products", products);
  if (options_.diagonal) diagonal_.save(file);
}

Error ConjugatedInverseHessian::load(const TensorFile& file) {
  std::int64_t n = 0, capacity = 0, num_pairs = 0, depth = 0;
  bool has_diagonal = false, geometric_scale = false;
  double damping = 0.0;
  double unit = 0.0, scale = 0.0, next_unit = 0.0;
  Vector products;
  if (!file.get_integer("B.dimension", n) || !file.get_integer("B.capacity", capacity) ||
      !file.get_flag("B.has_diagonal", has_diagonal) || !file.get_integer("B.num_pairs", num_pairs) ||
      !file.get_flag("B.geometric_scale", geometric_scale) || !file.get_integer("B.depth", depth) ||
      !file.get_scalar("B.damping", damping) || !file.get_scalar("B.unit", unit) ||
      !file.get_scalar("B.scale", scale) || !file.get_scalar("B.next_unit", next_unit) ||
      !file.get("B.products", products))
    return "one of B.dimension, B.capacity, B.has_diagonal, B.num_pairs, B.geometric_scale, B.depth, "
           "B.damping, B.unit, B.scale, B.next_unit, B.products is missing or out of range";
  if (n < 0 || capacity < 0 || capacity >= kLargestMemory || num_pairs < 0 || num_pairs > capacity || depth < 0 ||
      products.size() != 2 * num_pairs * num_pairs)
    return "the numbers B.dimension, B.capacity, B.num_pairs and the size of B.products do not fit together";
  // Before memory is taken for what is not there.
  std::vector<Vector> delta_g(at(num_pairs)), d = delta_g;
  for (Index i = 0; i < num_pairs; ++i) {
    if (!file.get(numbered("B.delta_g", i), delta_g[at(i)]) || !file.get(numbered("B.d", i), d[at(i)]))
      return "the tensors " + numbered("B.delta_g", i) + " or " + numbered("B.d", i) + " are missing";
    if (delta_g[at(i)].size() != n || d[at(i)].size() != n)
      return "the tensors of pair " + std::to_string(i) + " do not have the length B.dimension";
  }
  EarnedDiagonal diagonal(0, options_.earned);
  if (has_diagonal)
    if (Error error = diagonal.load(file, n)) return error;

  ConjugatedOptions options = options_;
  options.capacity = capacity;
  options.diagonal = has_diagonal;
  options.geometric_scale = geometric_scale;
  options.conjugation.depth = depth;
  options.conjugation.damping = damping;
  ConjugatedInverseHessian loaded(n, options, *reduction_);
  loaded.unit_ = unit;
  loaded.scale_ = scale;
  loaded.next_unit_ = next_unit;
  loaded.diagonal_ = std::move(diagonal);
  Index next = 0;
  for (Index i = 0; i < num_pairs; ++i) {
    loaded.order_.push_back(i);
    loaded.delta_g_.col(i) = delta_g[at(i)];
    loaded.d_.col(i) = d[at(i)];
    for (Index j = 0; j < num_pairs; ++j)
      for (Matrix* matrix : {&loaded.d_dg_, &loaded.dg_dg_}) (*matrix)(i, j) = products(next++);
  }
  loaded.spare_ = num_pairs;
  *this = std::move(loaded);
  return {};
}

}  // namespace loa
