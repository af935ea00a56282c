// B_k as a list of conjugated pairs on top of a scale or a diagonal: limited memory whose secant equations hold longer.
//
// With the pairs of linalg/conjugated_pairs.h, oldest first, h_i = <d_i,dg_i> and B_0 = gamma I or the diagonal D of
// linalg/earned_diagonal.h, B_k = V_m^T ... V_1^T B_0 V_1 ... V_m + ... is made by the BFGS updates of limited memory
// (Nocedal, Math. Comp. 35 (1980), 773-782): with q_m = v and p_0 = B_0 q_0,
//
//   alpha_i = <d_i, q_i>/h_i,         q_{i-1} = q_i - alpha_i dg_i                                newest to oldest
//   beta_i  = <dg_i, p_{i-1}>/h_i,    p_i = p_{i-1} + (alpha_i - beta_i) d_i                      oldest to newest
//
// and B_k v = p_m. Nothing but the pairs as they came is stored. The conjugated ones are combinations of them, so that
// sums over them are sums over the stored vectors, and their products follow from those of the stored vectors.
//
// The newest pair is the one to which the others are conjugated, and that of B_0. It comes in apply_to_change():
// B_{k-1} is made there of the older pairs alone, conjugated to the newest, on a B_0 that knows the newest; the update
// of Eq. (6) (update/secant_update.cc) then adds the newest pair itself, and the result is the B_k above.
//
// Passes over the memory: one for the products of v with the d_i; with a diagonal one over the dg_i that makes B_0 q_0
// and its products with the dg_i, and one that adds the d_i; with a scale one that adds up everything, since <dg_i,q_0>
// follows from the <dg_i,dg_j>, which are kept. So each vector is read twice an iteration. The numbers, once an
// iteration, take O(m^3) operations, or O(m^2) where the pairs are conjugated to few newer ones.
//
// Layer: linalg.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "linalg/conjugated_pairs.h"
#include "linalg/earned_diagonal.h"
#include "loa/error.h"
#include "loa/inverse_hessian.h"
#include "loa/reduction.h"

namespace loa {

class DenseInverseHessian;

struct ConjugatedOptions {
  // Pairs that are kept. With the pair that an iteration adds to the product by itself, a memory of m is m - 1 here.
  Index capacity = 9;
  bool diagonal = true;          // B_0 = D; otherwise a scale of the newest pair:
  bool geometric_scale = false;  // ||d||/||dg|| instead of <d,dg>/||dg||^2
  ConjugationOptions conjugation = {};
  EarnedDiagonalOptions earned = {};
};

class ConjugatedInverseHessian final : public InverseHessian {
 public:
  // REQUIRES: n >= 0, capacity >= 0. All memory is taken here. `reduction` must outlive the operator.
  ConjugatedInverseHessian(Index n, const ConjugatedOptions& options, const Reduction& reduction = Reduction::serial());

  void reset(double scale) override;
  void apply(const Vector& v, Vector& out) override;
  // A change without positive curvature is no pair: then B_{k-1} is what it was after the last update.
  void apply_to_change(const GradientChange& change, Vector& B_grad, Vector& B_delta_g) override;
  // Drops the oldest pair when there is no room. A pair without positive curvature is not kept. REQUIRES: y = d and
  // factor = 1; the pair is that of the last apply_to_change() when there was one since the last update. B_delta_g is
  // not read.
  void update(const SecantPair& pair) override;
  void save(TensorFile& file) const override;
  Error load(const TensorFile& file) override;
  std::unique_ptr<InverseHessian> clone() const override { return std::make_unique<ConjugatedInverseHessian>(*this); }
  // Null unless J is a multiple of an orthogonal map or, with a diagonal, of a permutation up to signs.
  std::unique_ptr<InverseHessian> congruent(const LinearMap& J, double factor) const override;
  bool forgets() const override { return true; }

  // B_{k-1} of the last apply_to_change() as a matrix, by the updates of Eq. (6). REQUIRES: without a diagonal; nothing
  // was called since; `matrix` and the vectors have the same dimension.
  struct Scratch {
    Vector d, delta_g, B_delta_g;
  };
  void make_matrix(DenseInverseHessian& matrix, Scratch& scratch);

  Index dimension() const { return n_; }
  Index capacity() const { return options_.capacity; }
  Index num_pairs() const { return static_cast<Index>(order_.size()); }
  const ConjugationOptions& conjugation() const { return options_.conjugation; }
  bool has_diagonal() const { return options_.diagonal; }
  bool has_geometric_scale() const { return options_.geometric_scale; }

 private:
  static constexpr std::size_t kMaxVectors = 2;  // that share the passes

  // out = factor B v.
  struct Product {
    const double* v;
    double factor;
    double* out;
  };

  // Numbers for the pairs, oldest first, that belong to one v.
  struct PerPair {
    std::vector<double> d_v, delta_g_v;    // products of the stored vectors with v
    std::vector<double> B0_q;              // and of dg_i with B_0 q_0
    std::vector<double> alpha, gain;       // of the conjugated pairs; gain = alpha - beta
    std::vector<double> of_delta_g, of_d;  // coefficients of the stored vectors in q_0 and in p_m - p_0
  };

  // The stored pairs, then the spare one.
  Index slot(Index i) const { return i < num_pairs() ? order_[static_cast<std::size_t>(i)] : spare_; }
  // The pairs of B_0 and of the conjugation.
  Index num_used() const { return num_pairs() + (spare_is_pair_ ? 1 : 0); }
  bool uses_diagonal() const { return options_.diagonal && (spare_is_pair_ || diagonal_.is_made()); }

  // The newest pairs, which judge the diagonal.
  Index num_judges() const { return options_.diagonal ? std::min(SecantError::kPairs, num_pairs()) : 0; }
  // The sums that concern the spare pair alone.
  std::size_t num_own_sums() const { return 2 + (options_.diagonal ? diagonal_.num_products(num_judges() + 1) : 0); }

  void take_spare(const Vector& d, const Vector& delta_g, const Vector* v);
  void propose_diagonal();
  void sum_products(std::span<const double* const> v, const Vector* d, const Vector* delta_g);
  void read_sums(std::size_t num_v);
  void add_pieces(std::size_t num_sums);
  void list_columns(std::span<const Matrix* const> matrices, Index num);
  void multiply(std::span<const Product> products);
  void find_alpha(PerPair& numbers);
  void find_B0_q(PerPair& numbers);
  void find_gain(PerPair& numbers);
  void weigh(std::span<const Product> products);
  void add_up(std::span<const Product> products);
  void find_diagonal();

  // Fixed.
  ConjugatedOptions options_;
  const Reduction* reduction_;
  Index n_;

  // B, changed by reset() and update(): unit_ times the operator made of the columns and scale_ I or scale_ D'. Powers
  // of two bring the numbers near 1: products of two of them neither overflow nor underflow.
  double unit_ = 1.0, scale_ = 0.0;
  Matrix delta_g_, d_;        // n x (capacity + 1). Unused columns are not initialized.
  std::vector<Index> order_;  // columns in use, oldest first
  Matrix d_dg_, dg_dg_;       // <d_i,dg_j>, and without a diagonal <dg_i,dg_j>, by columns
  EarnedDiagonal diagonal_;
  double next_unit_ = 1.0;  // a power of two near ||dg|| of the last pair, by which the next one is divided

  // The pair of the last apply_to_change(), until update() keeps it.
  Index spare_ = 0;             // its column
  bool spare_is_set_ = false;   // it is in that column
  bool spare_is_pair_ = false;  // and has positive curvature
  double spare_unit_ = 1.0;     // by which dg was divided
  double spare_scale_ = 0.0;    // scale_ with it

  // Rewritten in each call; members so that nothing is allocated.
  double total_dimension_ = 0.0;  // of all slices; 0: to be found
  std::vector<const double*> columns_;
  std::vector<double> shares_;  // the sums of each piece of a pass
  // Of the spare pair: <d,d>, <dg,dg>, then what the diagonal is judged by.
  std::array<double, 2 + EarnedDiagonal::kMostProducts> own_sums_ = {};
  Matrix ordered_;  // d_dg_, oldest first
  ConjugatedPairs pairs_;
  std::array<PerPair, kMaxVectors> numbers_;
  std::array<std::vector<double>, kMaxVectors> coefficients_;
  std::vector<double> made_;  // numbers for the conjugated pairs
};

}  // namespace loa
