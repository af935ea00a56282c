// What a pair says of the coordinates that moved.
//
// Where a bound holds x_i, d_i = 0, and dg_i is what the steps of the others did to the multiplier. The equation
// B dg = d is true with that dg_i, so the pairs keep it. But a scale <d,dg>/<dg,dg> or a diagonal with dg_i in it would
// not be that of the free variables: a held variable has to count as one that is not there, whatever its coupling to
// the others is.
#pragma once

#include <algorithm>

#include "linalg/kernels.h"
#include "linalg/pass.h"

namespace loa {

// out_i = v_i where d_i is not 0, else 0, for the coordinates of the block; out begins with the first of them.
inline void moved_part(const Block& block, const double* d, const double* v, double* out) {
  for (Index i = 0; i < block.size; ++i) out[i] = d[block.first + i] != 0.0 ? v[block.first + i] : 0.0;
}

// The sum of their squares, for the coordinates of the block.
inline double moved_squares(const Block& block, const double* d, const double* v) {
  constexpr Index kPiece = 512;  // in the cache nearest to the core
  double part[kPiece], sum = 0.0;
  const double* const column = part;
  for (Index first = block.first; first < block.last(); first += kPiece) {
    const Block piece{first, std::min(kPiece, block.last() - first)};
    moved_part(piece, d, v, part);
    kernels().products(&column, 1, &column, 1, 0, piece.size, &sum);
  }
  return sum;
}

}  // namespace loa
