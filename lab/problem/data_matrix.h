// The features A of a data set, m rows of n numbers, dense or sparse, and the few products that the objectives need.
//
// Dense rows lie one after the other. Sparse rows are compressed (CSR: Saad, Iterative Methods for Sparse Linear
// Systems, section 3.4) and never made dense. An objective walks over slices of rows, in each of which it computes A x,
// then its own factor per row, then A^T c, while the slice is still in the cache: one pass over A for a value and a
// gradient.
#pragma once

#include <cstdint>
#include <vector>

#include "loa/vector.h"

namespace loa {

struct DataMatrix {
  Index rows = 0;                     // m
  Index cols = 0;                     // n
  std::vector<double> values;         // dense: m * n, row-major; sparse: one per stored entry
  std::vector<Index> offsets;         // sparse: m + 1, row i is [offsets[i], offsets[i + 1]); dense: empty
  std::vector<std::int32_t> columns;  // sparse: 0-based, increasing within a row; dense: empty

  bool is_sparse() const { return !offsets.empty(); }
  Index num_entries() const { return static_cast<Index>(values.size()); }

  // How many rows make a slice; in [1, m] unless m = 0.
  Index slice_rows() const;

  // out[0, count) = rows [first, first + count) times x. REQUIRES: x has length n, out at least count.
  void multiply(Index first, Index count, const Vector& x, Vector& out) const;

  // out += (rows [first, first + count))^T c. REQUIRES: c has at least length count, out n; they do not alias.
  void add_transposed(Index first, Index count, const Vector& c, Vector& out) const;

  // out = A^T diag(weights) A, n x n, both triangles. REQUIRES: weights has length m and no negative entry.
  void weighted_gram(const Vector& weights, Matrix& out) const;

  // sum_ij A_ij^2 = ||A||_F^2.
  double squared_norm() const;
};

// A number that is lambda_max(A^T A) or slightly above: 64 steps of Lanczos from a seeded random vector, enlarged by 2
// %, at most ||A||_F^2. By Kuczynski and Wozniakowski (SIAM J. Matrix Anal. Appl. 13, 1992), k steps stay
// below (1 - eps) lambda_max with a probability of at most 1.648 sqrt(n) exp(-sqrt(eps) (2 k - 1)); for eps = 0.0196
// and k = 64 that is 3.2e-8 sqrt(n).
double largest_gram_eigenvalue_bound(const DataMatrix& a);

}  // namespace loa
