// B_k as a list of pairs: O(m n) numbers instead of n^2/2, and two passes over them an iteration.
//
// With rho = 1/<dg,y> and V = I - rho dg y^T, the general secant update (Eq. (6), eq::genBFGSupdate) reads
//
//   B_k = V^T B_{k-1} V + rho (d y^T + y d^T) - rho^2 <dg,d> y y^T,
//
// so B_k v follows from scale I and the triples (dg_i, d_i, y_i), oldest first, by two loops (for y = d those of
// Nocedal, Math. Comp. 35 (1980), 773-782). With q_N = v and p_0 = scale q_0,
//
//   alpha_i = rho_i <y_i, q_i>,   q_{i-1} = q_i - alpha_i dg_i                                      newest to oldest
//   beta_i  = rho_i (<d_i, q_{i-1}> - <dg_i, p_{i-1}>),   p_i = p_{i-1} + alpha_i d_i + beta_i y_i    oldest to newest
//
// and B_k v = p_N. The vectors q_i and p_i are never formed: all inner products above follow from those of v with the
// stored vectors, one pass over the memory and one reduction, and from those of the dg_j with the stored vectors, which
// are kept. A second pass adds up the result. Several v share both passes.
//
// Layer: linalg.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "loa/error.h"
#include "loa/inverse_hessian.h"
#include "loa/reduction.h"

namespace loa {

// More pairs than this are no limited memory.
inline constexpr Index kLargestMemory = 1000;

struct LimitedMemoryOptions {
  // Triples that are kept. With the pair that an iteration adds to the product by itself, a memory of m is m - 1 here.
  Index capacity = 9;
  bool y_is_d = false;        // no room for y: it is made when another y than d comes
  bool refresh_scale = true;  // 0.8 gamma_BB of the latest pair in every iteration, instead of that of reset()
};

class LimitedMemoryInverseHessian final : public InverseHessian {
 public:
  // REQUIRES: n >= 0, capacity >= 0. All memory is taken here. `reduction` must outlive the operator.
  LimitedMemoryInverseHessian(Index n, const LimitedMemoryOptions& options,
                              const Reduction& reduction = Reduction::serial());

  void reset(double scale) override;
  void apply(const Vector& v, Vector& out) override;
  void apply_to_change(const GradientChange& change, Vector& B_grad, Vector& B_delta_g) override;
  // Drops the oldest triple when there is no room. REQUIRES: pair.factor = 1; and pair.delta_g is that of the last
  // apply_to_change() when there was one since the last update. B_delta_g is not read.
  void update(const SecantPair& pair) override;
  void save(TensorFile& file) const override;
  Error load(const TensorFile& file) override;
  std::unique_ptr<InverseHessian> clone() const override {
    return std::make_unique<LimitedMemoryInverseHessian>(*this);
  }
  // Null unless J is a multiple of an orthogonal map: other maps do not keep the form scale I.
  std::unique_ptr<InverseHessian> congruent(const LinearMap& J, double factor) const override;
  bool forgets() const override { return true; }

  Index dimension() const { return n_; }
  Index capacity() const { return delta_g_.cols(); }
  Index num_pairs() const { return static_cast<Index>(order_.size()); }

 private:
  static constexpr std::size_t kMaxVectors = 2;  // that share the two passes

  // One number for each triple, oldest first: inner products with v, or coefficients of a sum.
  struct PerTriple {
    std::vector<double> delta_g, d, y;
  };

  Index slot(Index i) const { return order_[static_cast<std::size_t>(i)]; }
  bool y_is_d(Index i) const { return y_is_d_[static_cast<std::size_t>(slot(i))]; }
  void make_columns(Matrix& columns);
  void list_columns();
  void take_products(std::span<const Vector* const> vectors, const GradientChange* change);
  void find_coefficients(const PerTriple& products, PerTriple& coefficients);
  void add_up(std::span<const Vector* const> vectors, std::span<const double> factors, std::span<Vector* const> out);
  void refresh_scale(const GradientChange& change);
  Index make_room();

  // Fixed.
  LimitedMemoryOptions options_;
  const Reduction* reduction_;
  Index n_;

  // B, changed by reset(), update() and the scale in apply_to_change(). B is unit_ times the operator made of scale_
  // and the columns. Powers of two bring the numbers near 1: products of two of them neither overflow nor underflow.
  double unit_ = 1.0, scale_ = 0.0;
  Matrix delta_g_, d_, y_;      // n x capacity; y_ is empty until it is needed. Unused columns are not initialized.
  std::vector<Index> order_;    // columns in use, oldest first
  std::vector<char> y_is_d_;    // for each column: y = d, and the column of y_ is unused
  Matrix dg_dg_, d_dg_, y_dg_;  // <dg_i,dg_j>, <d_i,dg_j>, <y_i,dg_j> by columns, j not older than i

  // Rewritten in each call; members so that nothing is allocated.
  bool delta_g_is_known_ = false;               // products_[1] are those with delta_g of the next update
  std::array<double, 3> change_products_ = {};  // <dg,dg>, <dg,d>, <d,d> of the latest change
  std::vector<const double*> columns_;
  std::vector<double> shares_;  // the sums of each piece of a pass
  std::array<std::vector<double>, kMaxVectors> column_coefficients_;
  std::array<PerTriple, kMaxVectors> products_, coefficients_;
  std::vector<double> alpha_, d_q_;
};

}  // namespace loa
