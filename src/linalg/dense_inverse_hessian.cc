#include "linalg/dense_inverse_hessian.h"

#include <algorithm>

#include "linalg/tensor_file.h"
#include "loa/reduction.h"

namespace loa {
namespace {

// Row i of a packed lower triangle: columns 0 to i.
Eigen::Map<Vector> row(std::vector<double>& rows, Index i) {
  return Eigen::Map<Vector>(rows.data() + i * (i + 1) / 2, i + 1);
}

}  // namespace

DenseInverseHessian::DenseInverseHessian(Index n)
    : n_(n), rows_(static_cast<std::size_t>(n * (n + 1) / 2), 0.0), term_{Vector::Zero(n), Vector::Zero(n)} {}

void DenseInverseHessian::reset(double scale) {
  queued_ = false;
  std::fill(rows_.begin(), rows_.end(), 0.0);
  for (Index i = 0; i < n_; ++i) row(rows_, i)(i) = scale;
}

void DenseInverseHessian::apply(const Vector& v, Vector& out) {
  out.resize(n_);
  for (Index i = 0; i < n_; ++i) {
    Eigen::Map<Vector> b = row(rows_, i);  // stays in the first-level cache for the three lines below
    if (queued_) b += term_.u(i) * term_.z.head(i + 1) + term_.z(i) * term_.u.head(i + 1);
    out(i) = b.dot(v.head(i + 1));
    out.head(i) += v(i) * b.head(i);
  }
  queued_ = false;
}

void DenseInverseHessian::update(const SecantPair& pair) {
  if (queued_) apply_queued();
  make_secant_term(pair, term_);
  term_.u *= pair.factor;
  queued_ = true;
}

void DenseInverseHessian::add(const SecantTerm& term) {
  if (queued_) apply_queued();
  term_ = term;
  queued_ = true;
}

void DenseInverseHessian::apply_queued() {
  for (Index i = 0; i < n_; ++i) row(rows_, i) += term_.u(i) * term_.z.head(i + 1) + term_.z(i) * term_.u.head(i + 1);
  queued_ = false;
}

void DenseInverseHessian::copy_to(Matrix& B) const {
  for (Index i = 0; i < n_; ++i) {
    B.row(i).head(i + 1) = Eigen::Map<const Vector>(rows_.data() + i * (i + 1) / 2, i + 1);
    if (queued_) B.row(i).head(i + 1) += term_.u(i) * term_.z.head(i + 1) + term_.z(i) * term_.u.head(i + 1);
  }
}

Matrix DenseInverseHessian::matrix() const {
  DenseInverseHessian copy(*this);
  if (queued_) copy.apply_queued();
  Matrix B(n_, n_);
  for (Index i = 0; i < n_; ++i) {
    B.row(i).head(i + 1) = row(copy.rows_, i);
    B.col(i).head(i + 1) = row(copy.rows_, i);
  }
  return B;
}

std::unique_ptr<InverseHessian> DenseInverseHessian::congruent(const LinearMap& J, double factor) const {
  Matrix B = matrix();
  for (int side = 0; side < 2; ++side) {
    for (Index j = 0; j < n_; ++j) B.col(j) = J(B.col(j));
    B.transposeInPlace();
  }
  auto result = std::make_unique<DenseInverseHessian>(n_);
  for (Index i = 0; i < n_; ++i) row(result->rows_, i) = factor * B.row(i).head(i + 1).transpose();
  return result;
}

void DenseInverseHessian::save(TensorFile& file) const {
  file.metadata["B.kind"] = "dense";
  file.put("B.rows", Eigen::Map<const Vector>(rows_.data(), static_cast<Index>(rows_.size())));
  file.put_integer("B.queued", queued_ ? 1 : 0);
  file.put("B.u", term_.u);
  file.put("B.z", term_.z);
}

std::string DenseInverseHessian::load(const TensorFile& file) {
  Vector rows;
  std::int64_t queued = 0;
  if (!file.get("B.rows", rows) || !file.get_integer("B.queued", queued) || !file.get("B.u", term_.u) ||
      !file.get("B.z", term_.z))
    return "the tensors B.rows, B.u, B.z or the number B.queued are missing";
  n_ = term_.u.size();
  if (term_.z.size() != n_ || rows.size() != n_ * (n_ + 1) / 2)
    return "the sizes of B.rows, B.u and B.z do not fit together";
  rows_.assign(rows.begin(), rows.end());
  queued_ = queued != 0;
  return "";
}

}  // namespace loa
