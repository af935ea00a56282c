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
// are kept. A second pass adds up the result. Two vectors v share both passes.
#pragma once

#include <array>
#include <vector>

#include "linalg/pair_memory.h"
#include "linalg/pair_model.h"
#include "loa/error.h"
#include "loa/inverse_hessian.h"

namespace loa {

struct LimitedMemoryOptions {
  // Triples that are kept. With the pair that an iteration adds to the product by itself, a memory of m is m - 1 here.
  Index capacity = 9;
  bool y_is_d = false;        // no room for y: it is made when another y than d comes
  bool refresh_scale = true;  // 0.8 gamma_BB of the latest pair in every iteration, instead of that of reset()
};

class LimitedMemoryInverseHessian final : public InverseHessian {
 public:
  // REQUIRES: n >= 0, capacity >= 0. All memory is taken here.
  LimitedMemoryInverseHessian(Index n, const LimitedMemoryOptions& options);

  void reset(double scale) override;
  std::span<double> products(const GradientChange& change) override;
  void combine(const GradientChange& change, double ratio, const Reduction& reduction, Vector& B_grad,
               Vector& B_delta_g, SecantProducts& found) override;
  // Drops the oldest triple when there is no room. REQUIRES: pair.factor = 1. B_delta_g is not read.
  void update(const SecantPair& pair, const Reduction& reduction = Reduction::serial()) override;
  std::unique_ptr<InverseHessian> clone() const override {
    return std::make_unique<LimitedMemoryInverseHessian>(*this);
  }

  // See linalg/inverse_hessian_kinds.h. Congruent is null unless J is a multiple of an orthogonal map: other maps do
  // not keep the form scale I.
  void save(TensorFile& file) const;
  Error load(const TensorFile& file);
  std::unique_ptr<InverseHessian> congruent(const LinearMap& J, double factor) const;

  // B_k of the last combine() with the pair of its change, as update() will make it with y = d; B as it is where there
  // is none (null). Valid until B or the vectors change. REQUIRES: nothing was called since; y = d in all pairs.
  void describe(const SecantPair* pair, PairModel& model);

  Index dimension() const { return memory_.dimension(); }
  Index capacity() const { return memory_.capacity(); }
  Index num_pairs() const { return memory_.num_pairs(); }

  // Calls visit(d, dg) for each pair, oldest first, with vectors that are the pair divided by a number.
  template <typename Visit>
  void for_each_pair(const Visit& visit) const {
    visit_pairs(memory_, visit);
  }
  // Whether another one keeps as much of the same.
  bool is_like(const LimitedMemoryInverseHessian& other) const {
    return capacity() == other.capacity() && options_.y_is_d == other.options_.y_is_d &&
           options_.refresh_scale == other.options_.refresh_scale;
  }

 private:
  static constexpr std::size_t kMaxVectors = 2;  // that share the two passes

  // One number for each triple, oldest first: inner products with v, or coefficients of a sum.
  struct PerTriple {
    std::vector<double> delta_g, d, y;
  };

  void make_scratch();
  void list_columns();
  void read_sums(std::size_t num_v, double ratio, bool is_of_moved);
  void refresh_scale(const GradientChange& change, const Reduction& reduction);
  void find_coefficients(const PerTriple& products, PerTriple& coefficients);
  void list_coefficients(const PerTriple& coefficients, double factor, std::vector<double>& numbers);
  double form(std::size_t j, std::size_t k) const;
  void find_products(double grad_factor, SecantProducts& found) const;

  LimitedMemoryOptions options_;
  // B, changed by reset(), update() and the scale in combine(). <d_i,dg_j> and <y_i,dg_j> are kept for j not older than
  // i.
  PairMemory memory_;

  // Rewritten in each call; members so that nothing is allocated.
  bool change_is_known_ = false;  // the numbers below belong to the pair of the next update
  struct {
    double g_g, g_dg, dg_dg, g_d, dg_d, d_d;
    double moved;  // <dg,dg> of what the scale is made of
  } change_ = {};  // products of the vectors of the latest change
  std::vector<const double*> columns_;
  std::array<std::vector<double>, kMaxVectors> column_coefficients_;
  std::array<PerTriple, kMaxVectors> products_, coefficients_;  // for grad and delta_g
  std::vector<double> alpha_, d_q_;
  Vector scaled_d_;  // of describe(); empty until the first call
};

}  // namespace loa
