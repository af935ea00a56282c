#include "problem/row_pass.h"

namespace loa {
namespace {

constexpr Index kMaxPieces = 16;
// Entries of A, a megabyte of them, that make a piece.
constexpr Index kSmallestPiece = Index{1} << 17;
// A share of A^T c is written, read and added once: it should be small beside the entries of its piece.
constexpr Index kEntriesPerColumn = 8;

Index num_pieces(const DataMatrix& a) {
  const Index entries = a.num_entries();
  const Index most = std::min(entries / kSmallestPiece, entries / (kEntriesPerColumn * std::max<Index>(a.cols, 1)));
  return std::clamp<Index>(std::min(most, a.rows), 1, kMaxPieces);
}

// The first row of a piece: all have about as many entries.
Index first_row(const DataMatrix& a, Index piece, Index count) {
  if (!a.is_sparse()) return a.rows * piece / count;
  const Index wanted = a.num_entries() * piece / count;
  return piece == count ? a.rows : std::lower_bound(a.offsets.begin(), a.offsets.end(), wanted) - a.offsets.begin();
}

}  // namespace

RowPass::RowPass(const DataMatrix& a) : a_(&a) {
  const Index count = num_pieces(a);
  for (Index i = 0; i < count; ++i) {
    Piece& piece = pieces_.emplace_back();
    piece.first = first_row(a, i, count);
    piece.last = first_row(a, i + 1, count);
    piece.products.resize(a.slice_rows());
  }
}

}  // namespace loa
