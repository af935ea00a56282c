// The vectors of the last secant pairs in columns, with their inner products: what limited memory is made of.
//
// The operator that uses the memory is unit times one made of scale I and the columns. Powers of two bring the numbers
// near 1 (dg_i near 1, d_i near the curvature), so that products of two of them neither overflow nor underflow, and
// change no bits. Pairs are numbered oldest first; the vectors of a pair stay in their column until the pair is
// dropped.
//
// Two passes over the columns serve both limited-memory operators: sum() for inner products, add_up() for linear
// combinations. Everything between them is done with numbers.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "linalg/linear_map.h"
#include "linalg/pass.h"
#include "loa/error.h"
#include "loa/vector.h"

namespace loa {

class TensorFile;

// More pairs than this are no limited memory.
inline constexpr Index kLargestMemory = 1000;

class PairMemory {
 public:
  // `num_pending` is 1 where a pair that is not kept yet has a column of its own, else 0: the next pair then takes the
  // column of the oldest one. REQUIRES: n >= 0, capacity >= 0. All memory is taken here, but that of the y.
  PairMemory(Index n, Index capacity, Index num_pending);

  // Drops all pairs and sets unit and scale, unit a power of two.
  void reset(double scale);

  Index dimension() const { return n_; }
  Index capacity() const { return capacity_; }
  Index num_pairs() const { return static_cast<Index>(order_.size()); }

  // Of pair i; for i = num_pairs() of the pending one.
  Eigen::Ref<Vector> d(Index i) { return d_.col(slot(i)); }
  Eigen::Ref<Vector> delta_g(Index i) { return delta_g_.col(slot(i)); }
  const double* d_data(Index i) const { return d_.col(slot(i)).data(); }
  const double* delta_g_data(Index i) const { return delta_g_.col(slot(i)).data(); }

  // A pair has a y of its own, or y = d and no column for it; of a conjugated operator y is H_0 dg, or there is none.
  // The first own y takes the memory for all of them.
  bool y_is_d(Index i) const { return y_is_d_[static_cast<std::size_t>(slot(i))]; }
  void set_y_is_d(Index i, bool y_is_d);
  void make_y();
  double* y_data(Index i) { return y_.col(slot(i)).data(); }

  // <dg_i,dg_j>, <d_i,dg_j>, <y_i,dg_j>. What an operator does not need is 0.
  enum class Product : std::size_t { kDeltaGDeltaG, kDDeltaG, kYDeltaG };
  double& dg_dg(Index i, Index j) { return products(Product::kDeltaGDeltaG)(slot(i), slot(j)); }
  double& d_dg(Index i, Index j) { return products(Product::kDDeltaG)(slot(i), slot(j)); }
  double& y_dg(Index i, Index j) { return y_is_d(i) ? d_dg(i, j) : products(Product::kYDeltaG)(slot(i), slot(j)); }

  // <d_i,dg_j> of the first `num` of them, the pending one included, oldest first: where they lie, or put together in
  // `room` where the columns have begun anew.
  Eigen::Ref<const Matrix> d_dg_in_order(Index num, Matrix& room);

  // The pending pair becomes the newest; the oldest is dropped when there is no room. REQUIRES: capacity > 0, or
  // num_pending = 1.
  void keep_pending();

  // Room for as many sums in a pass.
  void reserve_sums(std::size_t num) { shares_.resize(static_cast<std::size_t>(num_pieces_of_pass(n_)) * num); }

  // Calls work(block, sums), which adds to num_sums numbers that start at 0, for all blocks. Returns the numbers, which
  // stay until the next call. REQUIRES: reserve_sums().
  template <typename Work>
  std::span<double> sum(std::size_t num_sums, const Work& work) {
    const Index num_pieces = num_pieces_of_pass(n_);
    parallel_for(num_pieces, [&](Index piece) {
      double* sums = shares_.data() + static_cast<std::size_t>(piece) * num_sums;
      std::fill_n(sums, num_sums, 0.0);
      for_blocks(piece_of_pass(piece, n_), [&](const Block& block) { work(block, sums); });
    });
    for (std::size_t piece = 1; piece < static_cast<std::size_t>(num_pieces); ++piece)
      for (std::size_t i = 0; i < num_sums; ++i) shares_[i] += shares_[piece * num_sums + i];
    return sums(num_sums);
  }
  std::span<double> sums(std::size_t num_sums) { return std::span(shares_).first(num_sums); }

  // out = start v + sum_i coefficients[i] columns[i], where out may be v.
  struct Combination {
    const double* v;
    double start;
    const double* coefficients;
    double* out;
  };
  // One or two of them over the same columns, in one pass.
  void add_up(std::span<const double* const> columns, std::span<const Combination> combinations) const;

  // Everything but the pending pair, bit for bit; "B.products" holds these products, in this order for each i and j.
  // load() returns an empty string, or what is missing or does not fit.
  void save(TensorFile& file, std::span<const Product> products) const;
  Error load(const TensorFile& file, std::span<const Product> products);

  // The pairs in other coordinates: with J = c Q, Q orthogonal, `factor` J B J^T = factor c^2 Q B Q^T, so that all
  // vectors are turned and the d_i are scaled. False when J changes the length of a dg_i by another factor than c.
  bool change_variables(const LinearMap& J, double c, double factor);

  double unit = 1.0, scale = 0.0;

 private:
  // The pending pair comes after the others.
  Index slot(Index i) const { return i < num_pairs() ? order_[static_cast<std::size_t>(i)] : pending_; }
  Index next_pending() const;
  Matrix make_columns() const;
  void clear_products(Index num);  // the rows and columns before `num`
  Matrix& products(Product product) { return products_[static_cast<std::size_t>(product)]; }

  // Fixed.
  Index n_, capacity_, num_columns_;

  Matrix delta_g_, d_, y_;    // n x num_columns; y_ is empty until make_y(). Unused columns are not initialized.
  std::vector<Index> order_;  // columns in use, oldest first
  Index pending_ = 0;         // the column of the next pair
  std::vector<char> y_is_d_;  // for each column
  // By Product, each by columns. 0 in the first num_cleared_ rows and columns until something is stored there, and not
  // initialized beyond: most runs are short, and to touch all of it takes longer than a short run with few variables.
  std::array<Matrix, 3> products_;
  Index num_cleared_ = 0;
  std::vector<double> shares_;  // the sums of each piece of a pass, rewritten by each
};

// Calls visit(d, dg) for each pair, oldest first: copies of the vectors, with d in the unit of B dg.
template <typename Visit>
void visit_pairs(const PairMemory& memory, const Visit& visit) {
  for (Index i = 0; i < memory.num_pairs(); ++i)
    visit(Vector(memory.unit * Eigen::Map<const Vector>(memory.d_data(i), memory.dimension())),
          Vector(Eigen::Map<const Vector>(memory.delta_g_data(i), memory.dimension())));
}

}  // namespace loa
