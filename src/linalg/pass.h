// One pass over the coordinates of long vectors.
//
// What an iteration does with vectors of length n is written as a few passes: a function of a block of coordinates that
// does everything for the block while it is in the cache, and adds to some sums. Blocks belong to pieces, whose number
// depends on n alone; pieces may run on several threads, each adds up its blocks in order, and their sums are added in
// order. So the result does not depend on the number of threads.
#pragma once

#include <algorithm>
#include <array>

#include "base/parallel.h"
#include "loa/vector.h"

namespace loa {

// Coordinates [first, first + size).
struct Block {
  Index first, size;

  Index last() const { return first + size; }

  template <typename VectorType>
  auto of(VectorType& v) const {
    return v.segment(first, size);
  }

  // The first of the coordinates.
  const double* at(const Vector& v) const { return v.data() + first; }
  double* at(Vector& v) const { return v.data() + first; }
};

// A dozen vectors of this length, 32 KiB each, fit into the second-level cache. Shorter blocks let the processor start
// anew too often with fetching ahead: with 1024 an iteration of l-bfgs takes a tenth longer at n = 10^6.
inline constexpr Index kBlockSize = 4096;
inline constexpr Index kMaxPieces = 64;
// With two pieces of this length two threads gain 1.75 in an iteration of l-bfgs (docs/performance.md).
inline constexpr Index kSmallestPiece = 4 * kBlockSize;

inline Index num_pieces_of_pass(Index n) { return std::clamp<Index>(n / kSmallestPiece, 1, kMaxPieces); }

// The coordinates of a piece; all but the last are whole blocks.
inline Block piece_of_pass(Index piece, Index n) {
  const Index num_blocks = (n + kBlockSize - 1) / kBlockSize, num_pieces = num_pieces_of_pass(n);
  const Index first = num_blocks * piece / num_pieces * kBlockSize;
  const Index last = std::min(n, num_blocks * (piece + 1) / num_pieces * kBlockSize);
  return {first, last - first};
}

// Calls work(block) for all blocks of the piece, in order.
template <typename Work>
void for_blocks(const Block& piece, const Work& work) {
  for (Index done = 0; done < piece.size; done += kBlockSize)
    work(Block{piece.first + done, std::min(kBlockSize, piece.size - done)});
}

// Calls work(block) for all blocks of n coordinates.
template <typename Work>
void pass(Index n, const Work& work) {
  parallel_for(num_pieces_of_pass(n), [&](Index piece) { for_blocks(piece_of_pass(piece, n), work); });
}

// The same for work(block, sums), which adds to kCount numbers that start at 0. Returns them. When n = 0 work is not
// called.
template <std::size_t kCount, typename Work>
std::array<double, kCount> summing_pass(Index n, const Work& work) {
  std::array<std::array<double, kCount>, kMaxPieces> shares;
  const Index num_pieces = num_pieces_of_pass(n);
  parallel_for(num_pieces, [&](Index piece) {
    std::array<double, kCount> sums = {};
    for_blocks(piece_of_pass(piece, n), [&](const Block& block) { work(block, sums); });
    shares[static_cast<std::size_t>(piece)] = sums;
  });
  std::array<double, kCount> sums = shares[0];
  for (std::size_t piece = 1; piece < static_cast<std::size_t>(num_pieces); ++piece)
    for (std::size_t i = 0; i < kCount; ++i) sums[i] += shares[piece][i];
  return sums;
}

}  // namespace loa
