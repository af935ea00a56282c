// B_k as a list of conjugated pairs on top of a scale or a diagonal: limited memory whose secant equations hold longer.
//
// With the pairs of linalg/conjugated_pairs.h, oldest first, h_i = <d_i,dg_i> and B_0 = gamma I or the diagonal D of
// linalg/adaptive_diagonal.h, B_k = V_m^T ... V_1^T B_0 V_1 ... V_m + ... is made by the BFGS updates of limited memory
// (Nocedal, Math. Comp. 35 (1980), 773-782): with q_m = v and p_0 = B_0 q_0,
//
//   alpha_i = <d_i, q_i>/h_i,         q_{i-1} = q_i - alpha_i dg_i                                newest to oldest
//   beta_i  = <dg_i, p_{i-1}>/h_i,    p_i = p_{i-1} + (alpha_i - beta_i) d_i                      oldest to newest
//
// and B_k v = p_m. Nothing but the pairs as they came is stored. The conjugated ones are combinations of them, so that
// sums over them are sums over the stored vectors, and their products follow from those of the stored vectors.
//
// The newest pair is the one to which the others are conjugated, and that of B_0. It comes with a GradientChange:
// B_{k-1} is made there of the older pairs alone, conjugated to the newest, on a B_0 that knows the newest; the update
// of Eq. (6) (update/secant_update.cc) then adds the newest pair itself, and the result is the B_k above.
//
// B_0 = gamma H_0 with an operator H_0 of the user's takes the scale's way. The memory has H_0 dg_i too, in the columns
// of y, so that <dg_i, H_0 v> is a product with v, and H_0 q_0 is a sum of those columns and of H_0 v, which comes with
// the change.
//
// Passes over the memory: one for the products of v with the d_i; with a diagonal one over the dg_i that makes B_0 q_0
// and its products with the dg_i, and one that adds the d_i; with a scale one that adds up everything, since <dg_i,q_0>
// follows from the <dg_i,dg_j>, which are kept. So each vector is read twice an iteration. The numbers, once an
// iteration, take O(m^3) operations, or O(m^2) where the pairs are conjugated to few newer ones.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "linalg/adaptive_diagonal.h"
#include "linalg/conjugated_pairs.h"
#include "linalg/pair_memory.h"
#include "linalg/pair_model.h"
#include "loa/error.h"
#include "loa/inverse_hessian.h"

namespace loa {

class DenseInverseHessian;

// How the geometric scale remembers by how much the last steps were too long or too short: see remember().
//
// Without it bfgs+d takes 1.010 [0.996, 1.025] of the evaluations on the set named, 0.993 [0.974, 1.012] on
// origin-small, 1.008 [0.983, 1.034] on origin-middle and 1.035 [0.953, 1.123] on middle, all within the error of the
// measurement, and so are other values (results/ablation-memory-d.md).
struct ScaleMemoryOptions {
  double decay = 0.9;
  double gain_up = 0.1;    // of a step that was too short
  double gain_down = 0.2;  // of a step that was too long
  double largest = 3.0;    // a pair says no more about the logarithm of the scale, and all of them together no more
};

struct ConjugatedOptions {
  // Pairs that are kept. With the pair that an iteration adds to the product by itself, a memory of m is m - 1 here.
  Index capacity = 9;
  bool diagonal = true;  // B_0 = D; otherwise a scale of the newest pair:
  // sqrt(<d,D'^{-1} d>/<dg,D' dg>) instead of <d,dg>/<dg,D' dg>, D' = I without a diagonal, and times a factor that
  // remembers how far B was from the pairs: see remember().
  bool geometric_scale = false;
  ConjugationOptions conjugation = {};
  AdaptiveDiagonalOptions adaptive = {};
  ScaleMemoryOptions scale_memory = {};
};

class ConjugatedInverseHessian final : public InverseHessian {
 public:
  // REQUIRES: n >= 0, capacity >= 0. All memory is taken here.
  ConjugatedInverseHessian(Index n, const ConjugatedOptions& options);

  void reset(double scale) override;
  std::span<double> products(const GradientChange& change) override;
  // A change without positive curvature is no pair: then B_{k-1} is what it was after the last update. With a diagonal
  // there is one all-reduce.
  void combine(const GradientChange& change, double ratio, const Reduction& reduction, Vector& B_grad,
               Vector& B_delta_g, SecantProducts& found) override;
  // Keeps the pair (d, dg); neither y nor B_delta_g is read. Drops the oldest pair when there is no room. A pair
  // without positive curvature is not kept.
  void update(const SecantPair& pair, const Reduction& reduction = Reduction::serial()) override;
  std::unique_ptr<InverseHessian> clone() const override { return std::make_unique<ConjugatedInverseHessian>(*this); }

  // See linalg/inverse_hessian_kinds.h. Congruent is null unless J is a multiple of an orthogonal map or, with a
  // diagonal, of a permutation up to signs.
  void save(TensorFile& file) const;
  Error load(const TensorFile& file);
  std::unique_ptr<InverseHessian> congruent(const LinearMap& J, double factor) const;

  // B_{k-1} of the last combine() as a matrix, by the updates of Eq. (6). REQUIRES: nothing was called since; `matrix`
  // and the vectors have the same dimension.
  struct Scratch {
    Vector d, delta_g, B_delta_g;
  };
  void make_matrix(DenseInverseHessian& matrix, Scratch& scratch);

  // B_k of the last combine() with the pair of it, as update() will make it. Valid until B changes. REQUIRES: nothing
  // was called since; no H_0.
  void describe(PairModel& model);

  Index dimension() const { return memory_.dimension(); }
  Index capacity() const { return memory_.capacity(); }
  Index num_pairs() const { return memory_.num_pairs(); }
  const ConjugationOptions& conjugation() const { return options_.conjugation; }
  bool has_diagonal() const { return options_.diagonal; }
  bool has_geometric_scale() const { return options_.geometric_scale; }
  bool is_like(const ConjugatedInverseHessian& other) const;

  // Calls visit(d, dg) for each pair, oldest first, with vectors that are the pair divided by a number.
  template <typename Visit>
  void for_each_pair(const Visit& visit) const {
    visit_pairs(memory_, visit);
  }

 private:
  static constexpr std::size_t kMaxVectors = 2;  // that share the passes

  // out = factor B v.
  struct Product {
    const double* v;
    double factor;
    double* out;
  };

  // Numbers for the pairs, oldest first, each for the one or two vectors v. Where there is one the others are 0.
  using Two = ConjugatedPairs::Two;
  struct PerPair {
    std::vector<Two> d_v, delta_g_v;    // products of the stored vectors with v
    std::vector<Two> B0_q;              // and of dg_i with B_0 q_0
    std::vector<Two> alpha, gain;       // of the conjugated pairs; gain = alpha - beta
    std::vector<Two> of_delta_g, of_d;  // coefficients of the stored vectors in q_0 and in p_m - p_0
  };

  // The sums that concern the new pair alone, <dg,dg> of the coordinates that moved and the number of all among them.
  // What the diagonal is judged by follows them; with an H_0, which is between the vectors of kDgDg, kGG and kGDg then,
  // <g,g> and <dg,dg> do.
  enum OwnSum : std::size_t { kDD, kDgDg, kGG, kGDg, kMovedDgDg, kDimension, kNumOwnSums };
  static constexpr std::size_t kNumPlainSums = 2;

  // The pairs of B_0 and of the conjugation: the stored ones, then the pending one.
  Index num_used() const { return num_pairs() + (pending_has_curvature_ ? 1 : 0); }
  bool uses_diagonal() const { return options_.diagonal && (pending_has_curvature_ || diagonal_.is_made()); }
  double scale() const { return pending_has_curvature_ ? pending_scale_ : memory_.scale; }

  // H_0 dg_i, which is dg_i itself where H_0 = I.
  const double* H0_delta_g_data(Index i) { return memory_.y_is_d(i) ? memory_.delta_g_data(i) : memory_.y_data(i); }

  // The newest of the stored pairs, which judge the diagonal.
  Index num_judges(Index num_stored) const { return options_.diagonal ? std::min(SecantError::kPairs, num_stored) : 0; }
  std::size_t num_own_sums(Index num_stored) const {
    return kNumOwnSums + (options_.diagonal ? diagonal_.num_products(num_judges(num_stored) + 1) : 0);
  }

  // The pair of a change: the pairs [first, last) before it, and where its vectors, divided by the unit, are to be put.
  struct NewPair {
    Index first = 0, last = 0;
    double *d = nullptr, *delta_g = nullptr;
    double unit = 1.0;
  };

  void make_scratch();
  std::span<double> products_ahead(const GradientChange& change);
  std::span<double> sum_products(const GradientChange& change, const NewPair& pair);
  void read_sums(const GradientChange& change, double ratio);
  void take_pair(const GradientChange& change, double ratio, const Reduction& reduction);
  static double unit_for(const GradientChange& change, const Reduction& reduction);
  void propose_diagonal(const GradientChange& change, double ratio);
  void remember(const GradientChange& change);
  double scale_of(double delta_g_D_delta_g, double d_D_d);
  enum class Columns { kD, kDeltaG, kBoth };
  void list_columns(Columns which, Index num);
  void conjugate();
  void find_products_of_pair(SecantProducts& found);
  void multiply(std::span<const Product> products, const Reduction& reduction);
  void find_alpha();
  void find_B0_q();
  void find_gain();
  void weigh_scale_part(const Block& block, const double* D, double* out);
  void weigh(std::span<const Product> products, const Reduction& reduction);
  void add_up(std::span<const Product> products);
  void find_diagonal(const Reduction& reduction);
  Two forms(Index j) const;
  void find_products(double grad_factor, SecantProducts& found);

  ConjugatedOptions options_;

  // B, changed by reset() and update(): the pairs on scale I or scale D'. Without a diagonal all <d_i,dg_j> and
  // <dg_i,dg_j> are kept, with one only the <d_i,dg_j>.
  PairMemory memory_;
  AdaptiveDiagonal diagonal_;
  double log_factor_ = 0.0;  // of the scale, where that is geometric
  double next_unit_ = 1.0;   // a power of two near ||dg|| of the last pair, by which the next one is divided

  // The pair of the last products(), until update() keeps it. Its vectors are in the pending columns.
  bool has_pending_ = false;            // combine() has found its products
  bool pending_has_curvature_ = false;  // and a positive curvature
  double pending_unit_ = 1.0;           // by which dg was divided
  double pending_scale_ = 0.0;          // the scale of B_0 with it
  double pending_factor_ = 1.0;         // of the scale
  double pending_log_factor_ = 0.0;     // log_factor_ with it
  bool pending_is_of_moved_ = false;    // GradientChange::is_of_moved

  // Rewritten in each call; members so that nothing is allocated.
  std::vector<const double*> columns_;
  Matrix ahead_;  // d and dg of a change that is ahead; empty until there is one
  std::array<double, kNumOwnSums + AdaptiveDiagonal::kMostProducts> own_sums_ = {};
  double g_g_ = 0.0, dg_dg_ = 0.0;              // <g,g> and <dg,dg> in the unit of the pair, without H_0
  std::array<Two, kMaxVectors> weighted_ = {};  // <v_j, D' q_0> of both v_k, with a diagonal
  Matrix ordered_;                              // <d_i,dg_j>, oldest first
  ConjugatedPairs pairs_;
  PerPair numbers_;
  std::array<std::vector<double>, kMaxVectors> coefficients_;
  std::vector<Two> made_;  // numbers for the conjugated pairs
  // Of describe(), empty until they are needed, and whether they are of the last products(): D', and where a d_i is not
  // 0.
  Vector diagonal_vector_;
  std::vector<unsigned char> moved_;
  bool diagonal_is_known_ = false, moved_is_known_ = false;
};

}  // namespace loa
