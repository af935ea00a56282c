#include "loa/reduction.h"

#include <cmath>
#include <limits>

#include "linalg/kernels.h"
#include "linalg/pass.h"
#include "linalg/safe_square.h"

namespace loa {

namespace {

class SerialReduction final : public Reduction {
 public:
  void reduce(std::span<double>, std::span<double>) const override {}
  bool is_distributed() const override { return false; }
};

}  // namespace

const Reduction& Reduction::serial() {
  static const SerialReduction reduction;
  return reduction;
}

double dot(const Vector& a, const Vector& b, const Reduction& reduction) {
  auto sums = summing_pass<1>(a.size(), [&](const Block& block, auto& sum) {
    const double* column = a.data();
    const double* v = b.data();
    kernels().products(&column, 1, &v, 1, block.first, block.last(), sum.data());
  });
  reduction.sum(sums);
  return sums[0];
}

double inf_norm(const Vector& a, const Reduction& reduction) {
  std::array<double, kMaxPieces> largest;
  const Index num_pieces = num_pieces_of_pass(a.size());
  parallel_for(num_pieces, [&](Index piece) {
    const Block block = piece_of_pass(piece, a.size());
    largest[static_cast<std::size_t>(piece)] = kernels().max_abs(a.data() + block.first, block.size);
  });
  double value = 0.0;
  for (std::size_t piece = 0; piece < static_cast<std::size_t>(num_pieces); ++piece)
    if (!(largest[piece] <= value) && !std::isnan(value)) value = largest[piece];  // NaN comes in and stays
  reduction.max(value);
  return value;
}

namespace {

// ||a - b|| / scale, squared, or that of a without b. Divided by a power of two the result has the same digits.
double squared_norm(const Vector& a, const Vector* b, double scale, const Reduction& reduction) {
  auto sums = summing_pass<1>(a.size(), [&](const Block& block, auto& sum) {
    if (b == nullptr && scale == 1.0) {
      const double* column = a.data();
      kernels().products(&column, 1, &column, 1, block.first, block.last(), sum.data());
      return;
    }
    Eigen::Matrix<double, kBlockSize, 1> part;
    if (b == nullptr)
      part.head(block.size) = block.of(a) / scale;
    else
      part.head(block.size) = (block.of(a) - block.of(*b)) / scale;
    const double* column = part.data();
    kernels().products(&column, 1, &column, 1, 0, block.size, sum.data());
  });
  reduction.sum(sums);
  return sums[0];
}

// The norm; in the rare case that squares leave the range of a double from numbers divided by largest().
template <typename Largest>
double safe_norm(const Vector& a, const Vector* b, const Largest& largest_of, const Reduction& reduction) {
  const double squares = squared_norm(a, b, 1.0, reduction);
  if (is_safe_square(squares)) return std::sqrt(squares);
  const double largest = largest_of();
  if (!(largest > 0.0 && std::isfinite(largest))) return largest;
  const double scale = std::scalbn(1.0, std::ilogb(largest));  // dividing by a power of two is exact
  return scale * std::sqrt(squared_norm(a, b, scale, reduction));
}

}  // namespace

double cosine(const Vector& a, const Vector& b, const Reduction& reduction) {
  return dot(a, b, reduction) / norm(a, reduction) / norm(b, reduction);
}

double norm(const Vector& a, const Reduction& reduction) {
  return safe_norm(
      a, nullptr, [&] { return inf_norm(a, reduction); }, reduction);
}

double distance(const Vector& a, const Vector& b, const Reduction& reduction) {
  return safe_norm(
      a, &b, [&] { return inf_norm(a - b, reduction); }, reduction);
}

}  // namespace loa
