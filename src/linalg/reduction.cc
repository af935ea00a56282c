#include "loa/reduction.h"

#include <cmath>
#include <limits>

namespace loa {

void Reduction::sum(std::span<double>) const {}

void Reduction::max(double&) const {}

const Reduction& Reduction::serial() {
  static const Reduction reduction;
  return reduction;
}

double dot(const Vector& a, const Vector& b, const Reduction& reduction) {
  double value = a.dot(b);
  reduction.sum({&value, 1});
  return value;
}

double inf_norm(const Vector& a, const Reduction& reduction) {
  double value = a.size() == 0 ? 0.0 : a.lpNorm<Eigen::Infinity>();
  if (!a.allFinite()) {
    // Eigen's maximum ignores NaN or not, depending on the instruction set; the sum of squares cannot.
    const double squares = a.squaredNorm();
    value = std::isnan(squares) ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  }
  reduction.max(value);
  return value;
}

namespace {

// The norm of an expression, which is evaluated again in the rare case that its squares leave the range of a double.
template <typename Expression>
double safe_norm(const Expression& a, const Reduction& reduction) {
  // Between these bounds the squares neither overflow nor lose more than the last bits to underflow.
  constexpr double kSmallestSafeSquare = 0x1.0p-900, kLargestSafeSquare = 0x1.0p+1000;
  double squares = a.squaredNorm();
  reduction.sum({&squares, 1});
  if (squares > kSmallestSafeSquare && squares < kLargestSafeSquare) return std::sqrt(squares);
  const double largest = inf_norm(a, reduction);
  if (!(largest > 0.0 && std::isfinite(largest))) return largest;
  // Scaling by a power of two is exact.
  const double scale = std::scalbn(1.0, std::ilogb(largest));
  double scaled = (a / scale).squaredNorm();
  reduction.sum({&scaled, 1});
  return scale * std::sqrt(scaled);
}

}  // namespace

double cosine(const Vector& a, const Vector& b, const Reduction& reduction) {
  return dot(a, b, reduction) / norm(a, reduction) / norm(b, reduction);
}

double norm(const Vector& a, const Reduction& reduction) { return safe_norm(a, reduction); }

double distance(const Vector& a, const Vector& b, const Reduction& reduction) { return safe_norm(a - b, reduction); }

}  // namespace loa
