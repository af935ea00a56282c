// A sum over the rows of a data set, with its gradient: one pass over A.
//
//   total = sum_i t_i(<a_i, x>),   out += A^T c,   c_i a factor that the term of row i gives
//
// A slice of rows is multiplied by x and, while it is still in the cache, its transpose by the factors. The slices
// belong to pieces, whose number depends on A alone; pieces may run on several threads. Each has a total and a share of
// A^T c of its own, and these are added up in order: the result does not depend on the number of threads.
#pragma once

#include <algorithm>
#include <vector>

#include "base/parallel.h"
#include "problem/data_matrix.h"

namespace loa {

class RowPass {
 public:
  // The data must outlive the pass.
  explicit RowPass(const DataMatrix& a);

  // terms(first, products) is called for each slice: products(i) is <a_{first+i}, x> on entry and c_{first+i} on
  // return; it returns the sum of the slice's t_i. Several threads call it at once. Returns the total.
  template <typename Terms>
  double run(const Vector& x, const Terms& terms, Vector& out) {
    return run(x, terms, &out);
  }

  // The same without A^T c.
  template <typename Terms>
  double run(const Vector& x, const Terms& terms) {
    return run(x, terms, nullptr);
  }

 private:
  // What one piece needs for itself.
  struct Piece {
    Index first, last;  // rows
    double total = 0.0;
    Vector products;  // of a slice
    Vector share;     // of A^T c; empty for the first piece, which adds to the result itself
  };

  template <typename Terms>
  double run(const Vector& x, const Terms& terms, Vector* out) {
    parallel_for(static_cast<Index>(pieces_.size()), [&](Index i) {
      Piece& piece = pieces_[static_cast<std::size_t>(i)];
      Vector* target = out == nullptr || i == 0 ? out : &piece.share;
      if (target != nullptr && i > 0) target->setZero(a_->cols);
      piece.total = 0.0;
      for (Index first = piece.first; first < piece.last; first += piece.products.size()) {
        const Index count = std::min(piece.products.size(), piece.last - first);
        a_->multiply(first, count, x, piece.products);
        piece.total += terms(first, piece.products.head(count));
        if (target != nullptr) a_->add_transposed(first, count, piece.products, *target);
      }
    });
    double total = 0.0;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      total += pieces_[i].total;
      if (out != nullptr && i > 0) *out += pieces_[i].share;
    }
    return total;
  }

  const DataMatrix* a_;
  std::vector<Piece> pieces_;
};

}  // namespace loa
