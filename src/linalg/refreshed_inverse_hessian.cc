#include "linalg/refreshed_inverse_hessian.h"

#include <utility>

#include "linalg/tensor_file.h"

namespace loa {

RefreshedInverseHessian::RefreshedInverseHessian(Index n, const RefreshedOptions& options, const Reduction& reduction)
    : pairs_(n, {.capacity = options.num_pairs, .y_is_d = options.y_is_d, .exponent = options.exponent}, reduction),
      matrix_(n) {
  for (Vector& vector : scratch_) vector.resize(n);
}

void RefreshedInverseHessian::reset(double scale) {
  is_matrix_ = false;
  pairs_.reset(scale);
}

void RefreshedInverseHessian::apply(const Vector& v, Vector& out) {
  if (is_matrix_) {
    matrix_.apply(v, out);
  } else {
    pairs_.apply(v, out);
  }
}

void RefreshedInverseHessian::apply_to_change(const GradientChange& change, Vector& B_grad, Vector& B_delta_g) {
  if (is_matrix_) {
    matrix_.apply_to_change(change, B_grad, B_delta_g);
  } else {
    pairs_.apply_to_change(change, B_grad, B_delta_g);
  }
}

void RefreshedInverseHessian::update(const SecantPair& pair) {
  if (is_matrix_) {
    matrix_.update(pair);
    return;
  }
  pairs_.update(pair);
  if (pairs_.num_pairs() < pairs_.capacity()) return;
  pairs_.make_matrix(matrix_, scratch_);
  pairs_.reset(1.0);
  is_matrix_ = true;
}

// The pairs are saved with the matrix, though there are none then: how many and of which kind is for a restart.
void RefreshedInverseHessian::save(TensorFile& file) const {
  pairs_.save(file);
  if (is_matrix_) matrix_.save(file);
  file.metadata["B.kind"] = "refreshed";
  file.put_integer("B.is_matrix", is_matrix_ ? 1 : 0);
}

std::string RefreshedInverseHessian::load(const TensorFile& file) {
  std::int64_t is_matrix = 0;
  if (!file.get_integer("B.is_matrix", is_matrix)) return "the number B.is_matrix is missing";
  is_matrix_ = is_matrix != 0;
  if (std::string error = pairs_.load(file); !error.empty()) return error;
  if (pairs_.capacity() < 1) return "expected a B.capacity of 1 or more";
  matrix_ = DenseInverseHessian(pairs_.dimension());
  for (Vector& vector : scratch_) vector.resize(pairs_.dimension());
  if (!is_matrix_) return pairs_.num_pairs() < pairs_.capacity() ? "" : "expected B.num_pairs below B.capacity";
  if (std::string error = matrix_.load(file); !error.empty()) return error;
  return matrix_.dimension() == pairs_.dimension() ? "" : "expected B.rows of the dimension B.dimension";
}

std::unique_ptr<InverseHessian> RefreshedInverseHessian::congruent(const LinearMap& J, double factor) const {
  auto result = std::make_unique<RefreshedInverseHessian>(*this);
  std::unique_ptr<InverseHessian> part = is_matrix_ ? matrix_.congruent(J, factor) : pairs_.congruent(J, factor);
  if (part == nullptr) return nullptr;
  if (is_matrix_) {
    result->matrix_ = std::move(static_cast<DenseInverseHessian&>(*part));
  } else {
    result->pairs_ = std::move(static_cast<LimitedMemoryInverseHessian&>(*part));
  }
  return result;
}

}  // namespace loa
