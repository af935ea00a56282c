#include "problem/data_matrix.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "linalg/kernels.h"
#include "loa/random.h"
#include "problem/decompositions.h"

namespace loa {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Slice = Eigen::Map<const RowMajor>;

Slice dense_slice(const DataMatrix& a, Index first, Index count) {
  return Slice(a.values.data() + first * a.cols, count, a.cols);
}

// out += A^T diag(weights) A in the lower triangle.
void add_dense_gram(const DataMatrix& a, const Vector& weights, Matrix& out) {
  RowMajor scaled;
  const Index slice = a.slice_rows();
  for (Index first = 0; first < a.rows; first += slice) {
    const Index count = std::min(slice, a.rows - first);
    scaled.noalias() = weights.segment(first, count).cwiseSqrt().asDiagonal() * dense_slice(a, first, count);
    out.selfadjointView<Eigen::Lower>().rankUpdate(scaled.transpose());
  }
}

void add_sparse_gram(const DataMatrix& a, const Vector& weights, Matrix& out) {
  for (Index i = 0; i < a.rows; ++i) {
    const auto begin = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(i)]);
    const auto end = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(i) + 1]);
    for (std::size_t q = begin; q < end; ++q) {
      const double factor = weights[i] * a.values[q];
      for (std::size_t p = q; p < end; ++p) out(a.columns[p], a.columns[q]) += factor * a.values[p];
    }
  }
}

}  // namespace

Index DataMatrix::slice_rows() const {
  // 2^14 doubles are 128 KiB, which stay in the second-level cache between the two products.
  constexpr Index kSliceEntries = Index{1} << 14;
  const Index per_row = rows > 0 ? num_entries() / rows + 1 : 1;
  return std::max<Index>(1, std::min(rows, kSliceEntries / per_row));
}

void DataMatrix::multiply(Index first, Index count, const Vector& x, Vector& out) const {
  if (!is_sparse()) {
    kernels().multiply_rows(values.data() + first * cols, count, cols, x.data(), out.data());
    return;
  }
  const Index* offset = offsets.data() + first;
  for (Index i = 0; i < count; ++i) {
    double sum = 0.0;
    for (Index p = offset[i]; p < offset[i + 1]; ++p) sum += values.data()[p] * x[columns.data()[p]];
    out[i] = sum;
  }
}

void DataMatrix::add_transposed(Index first, Index count, const Vector& c, Vector& out) const {
  if (!is_sparse()) {
    kernels().add_rows(values.data() + first * cols, count, cols, c.data(), out.data());
    return;
  }
  const Index* offset = offsets.data() + first;
  for (Index i = 0; i < count; ++i) {
    for (Index p = offset[i]; p < offset[i + 1]; ++p) out[columns.data()[p]] += c[i] * values.data()[p];
  }
}

void DataMatrix::weighted_gram(const Vector& weights, Matrix& out) const {
  out.setZero(cols, cols);
  if (is_sparse()) {
    add_sparse_gram(*this, weights, out);
  } else {
    add_dense_gram(*this, weights, out);
  }
  out.triangularView<Eigen::StrictlyUpper>() = out.transpose();
}

double DataMatrix::squared_norm() const {
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size())).squaredNorm();
}

double largest_gram_eigenvalue_bound(const DataMatrix& a) {
  constexpr Index kSteps = 64;
  constexpr double kEnlarge = 1.02;
  const double frobenius = a.squared_norm();
  if (!(frobenius > 0.0) || !std::isfinite(frobenius)) return frobenius;

  // The three-term recurrence of Lanczos without reorthogonalization: lost orthogonality repeats eigenvalues and never
  // exceeds the largest one by more than round-off.
  Random random(0);
  Vector v(a.cols), v_prev = Vector::Zero(a.cols), w(a.cols), slice_product(a.slice_rows());
  for (double& entry : v) entry = random.normal();
  v.normalize();
  Vector diagonal(kSteps), off_diagonal(kSteps);
  Index steps = 0;
  while (steps < kSteps) {
    w = steps == 0 ? Vector(Vector::Zero(a.cols)) : Vector(-off_diagonal[steps - 1] * v_prev);
    for (Index first = 0; first < a.rows; first += a.slice_rows()) {
      const Index count = std::min(a.slice_rows(), a.rows - first);
      a.multiply(first, count, v, slice_product);
      a.add_transposed(first, count, slice_product, w);
    }
    diagonal[steps] = w.dot(v);
    w -= diagonal[steps] * v;
    off_diagonal[steps] = w.norm();
    ++steps;
    // The space is invariant up to round-off: the largest eigenvalue is in the tridiagonal matrix already.
    if (!(off_diagonal[steps - 1] > 1e-14 * frobenius)) break;
    v_prev = v;
    v = w / off_diagonal[steps - 1];
  }
  const Vector ritz_values = tridiagonal_eigenvalues(diagonal.head(steps), off_diagonal.head(steps - 1));
  return std::min(frobenius, kEnlarge * ritz_values.maxCoeff());
}

}  // namespace loa
