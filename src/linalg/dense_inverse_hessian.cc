#include "linalg/dense_inverse_hessian.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/parallel.h"
#include "linalg/kernels.h"
#include "linalg/pass.h"
#include "linalg/tensor_file.h"

namespace loa {
namespace {

// From this n on the sweep is cut into pieces. Two threads gain 1.1 to 1.4 there and 1.7 at n = 1000
// (docs/performance.md).
constexpr Index kSmallestCut = 512;
// Equal pieces for up to this many threads; the shares cost kNumPieces n numbers, little beside n^2/2.
constexpr Index kNumPieces = 16;
// sigma within [1/this, this], otherwise it goes into the matrix: M then has entries that are this much larger or
// smaller than those of B at most, far from the ends of the range of numbers, 2^1024 and 2^-1022.
constexpr double kLargestSigma = 0x1p300;

Index num_panels(Index n) { return (n + kPanel - 1) / kPanel; }

Index num_pieces(Index n) { return n < kSmallestCut ? 1 : kNumPieces; }

// Panels 0 to p - 1 have 8 (1 + ... + p) columns of eight numbers.
Index panel_offset(Index p) { return kPanel * kPanel * (p * (p + 1) / 2); }

Index row_offset(Index i) {
  const Index p = i / kPanel;
  return panel_offset(p) + (i % kPanel) * kPanel * (p + 1);
}

// The first panel of a piece: the work up to panel p grows like p^2.
Index first_panel(Index piece, Index n) {
  const double share = static_cast<double>(piece) / static_cast<double>(num_pieces(n));
  return std::lround(std::sqrt(share) * static_cast<double>(num_panels(n)));
}

}  // namespace

DenseInverseHessian::DenseInverseHessian(Index n)
    : n_(n),
      panels_(static_cast<std::size_t>(panel_offset(num_panels(n)))),
      u_(Vector::Zero(num_panels(n) * kPanel)),
      z_(u_),
      v_(u_),
      shares_(u_.size(), num_pieces(n)) {}

void DenseInverseHessian::reset(double scale) {
  queued_ = false;
  sigma_ = 1.0;
  std::fill_n(panels_.data(), panels_.size(), 0.0);
  for (Index i = 0; i < n_; ++i) panels_.data()[row_offset(i) + i] = scale;
}

void DenseInverseHessian::reset(const Vector& D) {
  reset(0.0);
  for (Index i = 0; i < n_; ++i) panels_.data()[row_offset(i) + i] = D(i);
}

void DenseInverseHessian::reset(const Matrix& lower) {
  reset(0.0);
  set([&](Index i, Index j) { return lower(i, j); });
}

void DenseInverseHessian::apply(const Vector& v, Vector& out) {
  v_.head(n_) = v;
  const Index count = num_pieces(n_);
  parallel_for(count, [&](Index i) {
    const Index piece = backwards_ ? count - 1 - i : i;
    const Index first = first_panel(piece, n_), last = first_panel(piece + 1, n_);
    shares_.col(piece).head(last * kPanel).setZero();
    kernels().sweep(panels_.data() + panel_offset(first), first, last, queued_ ? u_.data() : nullptr, z_.data(),
                    v_.data(), shares_.col(piece).data());
  });
  out.resize(n_);
  out = shares_.col(count - 1).head(n_);  // the only one of full length
  for (Index piece = 0; piece < count - 1; ++piece) {
    const Index length = first_panel(piece + 1, n_) * kPanel;
    out.head(length) += shares_.col(piece).head(length);
  }
  if (sigma_ != 1.0) out *= sigma_;
  queued_ = false;
  backwards_ = !backwards_;
}

// B g_{k-1} is known from the last step, so B dg = B g_k - B g_{k-1} costs no second sweep.
void DenseInverseHessian::combine(const GradientChange& change, double, const Reduction&, Vector& B_grad,
                                  Vector& B_delta_g, SecantProducts&) {
  apply(change.grad, B_grad);
  if (change.delta_g == nullptr || change.direction_prev == nullptr) {
    if (change.delta_g != nullptr) apply(*change.delta_g, B_delta_g);
    if (change.grad_factor != 1.0) pass(n_, [&](const Block& block) { block.of(B_grad) *= change.grad_factor; });
    return;
  }
  B_delta_g.resize(n_);
  pass(n_, [&](const Block& block) {
    block.of(B_delta_g) = block.of(B_grad) - block.of(*change.direction_prev) / change.grad_factor;
    block.of(B_grad) *= change.grad_factor;
  });
}

Vector DenseInverseHessian::reference_product(const Vector& v) const {
  Vector out = Vector::Zero(n_);
  for (Index i = 0; i < n_; ++i)
    for (Index j = 0; j < n_; ++j) out(i) += entry(i, j) * v(j);
  return out;
}

void DenseInverseHessian::update(const SecantPair& pair, const Reduction&) {
  if (queued_) apply_queued();
  make_secant_term(pair, u_.head(n_), z_.head(n_));
  u_ *= pair.factor / sigma_;
  queued_ = true;
}

void DenseInverseHessian::rescale(double factor) {
  sigma_ *= factor;
  if (sigma_ >= 1.0 / kLargestSigma && sigma_ <= kLargestSigma) return;
  for (std::size_t i = 0; i < panels_.size(); ++i) panels_.data()[i] *= sigma_;
  u_ *= sigma_;
  sigma_ = 1.0;
}

void DenseInverseHessian::rescale(const Vector& T) {
  for (Index i = 0; i < n_; ++i) {
    const Index end = std::min(n_, (i / kPanel + 1) * kPanel);  // of the row in its panel
    for (Index j = 0; j < end; ++j) panels_.data()[row_offset(i) + j] *= T(i) * T(j);
  }
  u_.head(n_).array() *= T.array();
  z_.head(n_).array() *= T.array();
}

void DenseInverseHessian::add(const SecantTerm& term) {
  if (queued_) apply_queued();
  u_.head(n_) = term.u / sigma_;
  z_.head(n_) = term.z;
  queued_ = true;
}

// Rare: two updates without a product between them.
void DenseInverseHessian::apply_queued() {
  for (Index i = 0; i < n_; ++i) {
    Eigen::Map<Vector> row(panels_.data() + row_offset(i), (i / kPanel + 1) * kPanel);
    row += u_(i) * z_.head(row.size()) + z_(i) * u_.head(row.size());
  }
  queued_ = false;
}

double DenseInverseHessian::entry_of_M(Index i, Index j) const {
  const double stored = panels_.data()[i >= j ? row_offset(i) + j : row_offset(j) + i];
  return queued_ ? stored + (u_(i) * z_(j) + z_(i) * u_(j)) : stored;
}

void DenseInverseHessian::lower_triangle(Matrix& out) const {
  for (Index j = 0; j < n_; ++j)
    for (Index i = j; i < n_; ++i) out(i, j) = entry(i, j);
}

Matrix DenseInverseHessian::matrix() const {
  Matrix B(n_, n_);
  lower_triangle(B);
  B.triangularView<Eigen::StrictlyUpper>() = B.transpose();
  return B;
}

// Both triangles of the diagonal blocks, from the lower triangle of a matrix.
void DenseInverseHessian::set(const std::function<double(Index, Index)>& lower) {
  for (Index i = 0; i < n_; ++i) {
    for (Index j = 0; j <= i; ++j) panels_.data()[row_offset(i) + j] = lower(i, j);
    for (Index j = i / kPanel * kPanel; j < i; ++j) panels_.data()[row_offset(j) + i] = lower(i, j);
  }
}

// sigma stays beside the matrix, so that a power of two as J keeps all bits.
std::unique_ptr<InverseHessian> DenseInverseHessian::congruent(const LinearMap& J, double factor) const {
  Matrix M(n_, n_);
  for (Index j = 0; j < n_; ++j)
    for (Index i = 0; i < n_; ++i) M(i, j) = entry_of_M(i, j);
  for (int side = 0; side < 2; ++side) {
    for (Index j = 0; j < n_; ++j) M.col(j) = J(M.col(j));
    M.transposeInPlace();
  }
  auto result = std::make_unique<DenseInverseHessian>(n_);
  result->set([&](Index i, Index j) { return factor * M(i, j); });
  result->sigma_ = sigma_;
  return result;
}

void DenseInverseHessian::save(TensorFile& file) const {
  Vector rows(n_ * (n_ + 1) / 2);
  for (Index i = 0; i < n_; ++i)
    rows.segment(i * (i + 1) / 2, i + 1) = Eigen::Map<const Vector>(panels_.data() + row_offset(i), i + 1);
  file.metadata["B.kind"] = "dense";
  file.put("B.rows", rows);
  file.put_scalar("B.sigma", sigma_);
  file.put_integer("B.queued", queued_ ? 1 : 0);
  file.put("B.u", u_.head(n_));
  file.put("B.z", z_.head(n_));
}

Error DenseInverseHessian::load(const TensorFile& file) {
  Vector rows, u, z;
  double sigma = 1.0;
  bool queued = false;
  if (!file.get("B.rows", rows) || !file.get_flag("B.queued", queued) || !file.get("B.u", u) || !file.get("B.z", z))
    return "the tensors B.rows, B.u, B.z or the flag B.queued are missing or out of range";
  if (z.size() != u.size() || rows.size() != u.size() * (u.size() + 1) / 2)
    return "the sizes of B.rows, B.u and B.z do not fit together";
  if (!file.get_scalar("B.sigma", sigma) || !(sigma >= 1.0 / kLargestSigma && sigma <= kLargestSigma))
    return "the number B.sigma is missing, or not one from 2^-300 to 2^300";
  *this = DenseInverseHessian(u.size());
  set([&](Index i, Index j) { return rows(i * (i + 1) / 2 + j); });
  u_.head(n_) = u;
  z_.head(n_) = z;
  queued_ = queued;
  sigma_ = sigma;
  return {};
}

}  // namespace loa
