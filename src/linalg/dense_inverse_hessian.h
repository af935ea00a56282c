// B_k as a matrix: half of it, one sweep over it an iteration.
//
// The general secant update adds a rank-two term u z^T + z u^T (secant_term.h). update() only queues (u, z); the next
// apply() adds the term to each row just before the row is used for the product. So each byte of the matrix is read and
// written once an iteration.
//
// Storage. The rows come in panels of eight (kPanel). All rows of panel p have the columns 0 to 8 p + 7: the lower
// triangle, and both triangles of the 8 x 8 blocks on the diagonal. So rows begin at cache lines, and no loop has an
// end that does not fill a register; n is rounded up to a multiple of eight, with zeros. A panel is read as eight
// streams side by side (linalg/kernels.h).
//
// Scale. B = sigma M, where M is the matrix in memory: B times a number costs nothing. sigma is 1 until rescale(), and
// then no product and no entry has other bits than it would have without a sigma.
//
// Threads. The panels are cut into pieces of equal work, whose number depends on n alone. Each piece adds up its share
// of the product by itself, and the shares are added in order: the result does not depend on the number of threads.
#pragma once

#include <functional>

#include "base/large_array.h"
#include "linalg/linear_map.h"
#include "linalg/secant_term.h"
#include "loa/error.h"
#include "loa/inverse_hessian.h"

namespace loa {

class TensorFile;

class DenseInverseHessian final : public InverseHessian {
 public:
  // REQUIRES: n >= 0. The matrix is 0 until reset().
  explicit DenseInverseHessian(Index n);

  void reset(double scale) override;
  // B = diag(D).
  void reset(const Vector& D);
  // B from its lower triangle.
  void reset(const Matrix& lower);
  // Nothing is summed beforehand: the vectors must be whole, and a sweep does everything.
  std::span<double> products(const GradientChange&) override { return {}; }
  void combine(const GradientChange& change, double ratio, const Reduction& reduction, Vector& B_grad,
               Vector& B_delta_g, SecantProducts& found) override;
  void update(const SecantPair& pair, const Reduction& reduction = Reduction::serial()) override;
  std::unique_ptr<InverseHessian> clone() const override { return std::make_unique<DenseInverseHessian>(*this); }

  // out = B v. v and out must not alias.
  void apply(const Vector& v, Vector& out);

  // See linalg/inverse_hessian_kinds.h.
  void save(TensorFile& file) const;
  Error load(const TensorFile& file);
  std::unique_ptr<InverseHessian> congruent(const LinearMap& J, double factor) const;
  void lower_triangle(Matrix& out) const;

  Index dimension() const { return n_; }

  // B <- factor B. A product with B that somebody kept, direction_prev of the next change among them, has to be
  // multiplied too. REQUIRES: factor > 0, finite.
  void rescale(double factor);
  // B <- T B T with the diagonal T, in the same way. REQUIRES: entries > 0, finite.
  void rescale(const Vector& T);

  // Adds a term that was made elsewhere.
  void add(const SecantTerm& term);

  // The whole matrix, for tests and for users who want to look at it.
  Matrix matrix() const;

  // What apply() must give, by its definition: the plain version that the fast one is tested against.
  Vector reference_product(const Vector& v) const;

 private:
  double entry_of_M(Index i, Index j) const;                                  // with the queued term; any i and j
  double entry(Index i, Index j) const { return sigma_ * entry_of_M(i, j); }  // of B
  // Makes M the matrix with this lower triangle. Nothing may be queued.
  void set(const std::function<double(Index i, Index j)>& lower);
  void apply_queued();

  Index n_;
  LargeArray panels_;  // M
  double sigma_ = 1.0;
  bool queued_ = false;
  bool backwards_ = false;  // sweeps alternate: what the last one read at its end is still in the cache

  // Of the rounded length, zeros at the end.
  Vector u_, z_;   // the queued term of M, valid when queued_
  Vector v_;       // scratch of apply()
  Matrix shares_;  // likewise: a column for what each piece gives
};

}  // namespace loa
