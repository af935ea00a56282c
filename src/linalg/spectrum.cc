#include "linalg/spectrum.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "linalg/cholesky.h"
#include "loa/reduction.h"

namespace loa {
namespace {

constexpr double kReach = 1e6;         // see resolve_range
constexpr double kFractionKept = 0.9;  // of the way to the boundary, as in interior-point methods

// The power of two that brings C to [1, 2).
double power_of_two_below(double upper) { return std::exp2(-std::logb(upper)); }

}  // namespace

double eigenvalue_margin(Index n, double upper) {
  return static_cast<double>(n + 4) * kEpsilon * static_cast<double>(n + 4) * upper;
}

double scale_inside(double scale, Index n, const EigenvalueRange& range) {
  const double low = range.smallest + 3.0 * eigenvalue_margin(n, range.smallest);
  const double high = range.largest - 3.0 * eigenvalue_margin(n, range.largest);
  if (!(low <= high)) return range.smallest + 0.5 * (range.largest - range.smallest);
  if (!(scale >= low)) return low;
  return scale <= high ? scale : high;
}

double resolve_range(double scale, Index n, EigenvalueRange& range) {
  // A scale beyond the range of numbers, as a gradient of 1e-310 asks for, is the nearest one in it.
  if (!(scale >= std::numeric_limits<double>::min())) scale = std::numeric_limits<double>::min();
  if (!(scale <= std::numeric_limits<double>::max())) scale = std::numeric_limits<double>::max();
  if (scale < range.smallest) scale = range.smallest;  // no comparison with an open end, NaN, is true
  if (scale > range.largest) scale = range.largest;
  if (std::isnan(range.smallest)) range.smallest = std::max(scale / kReach, std::numeric_limits<double>::min());
  if (std::isnan(range.largest)) range.largest = std::min(scale * kReach, std::numeric_limits<double>::max());
  return scale_inside(scale, n, range);
}

bool SpectrumTest::holds(const InverseHessian& B, const SecantTerm& term, const EigenvalueRange& range,
                         const EigenvalueRange& spectrum, EigenvalueRange& after) {
  const Index n = term.u.size();
  const double product = term.u.dot(term.z), norms = norm(term.u) * norm(term.z);
  const double round_off = 2.0 * static_cast<double>(n + 4) * kEpsilon * (spectrum.largest + norms);
  // Weyl, from the other side: outside for certain. Written so that a NaN is outside.
  if (!(spectrum.smallest + (product + norms) - round_off <= range.largest) ||
      !(spectrum.largest + (product - norms) + round_off >= range.smallest))
    return false;

  const double highest = range.largest - eigenvalue_margin(n, range.largest);
  after.smallest = spectrum.smallest + (product - norms) - round_off;
  after.largest = spectrum.largest + (product + norms) + round_off;
  const bool low_is_certain = after.smallest >= range.smallest + eigenvalue_margin(n, after.largest);
  if (low_is_certain && after.largest <= highest) return true;

  unit_ = power_of_two_below(range.largest);
  matrix_.resize(n, n);
  lower_triangle(B, matrix_);
  for (Index j = 0; j < n; ++j)  // the same products and sums as in DenseInverseHessian, so the same bits
    matrix_.col(j).tail(n - j) += term.u(j) * term.z.tail(n - j) + term.z(j) * term.u.tail(n - j);
  if (!low_is_certain) {
    const double trace = matrix_.trace(), margin = static_cast<double>(n + 4) * kEpsilon * trace;
    if (!(trace > 0.0) || !factor(1.0, range.smallest + 2.0 * margin)) return false;
    after.smallest = range.smallest + margin;
    after.largest = std::min(after.largest, trace + margin);  // no eigenvalue is negative
  }
  if (after.largest <= highest) return true;
  after.largest = highest;
  return factor(-1.0, range.largest - 2.0 * eigenvalue_margin(n, range.largest));
}

double SpectrumTest::damping(const InverseHessian& B, const SecantTerm& term, const EigenvalueRange& range) {
  const Index n = term.u.size();
  unit_ = power_of_two_below(range.largest);
  matrix_.resize(n, n);
  lower_triangle(B, matrix_);
  // The trace of no matrix on the way is above this.
  const double trace =
      std::min(matrix_.trace() + 2.0 * std::max(term.u.dot(term.z), 0.0), static_cast<double>(n) * range.largest);
  if (!factor(1.0, range.smallest + 2.0 * static_cast<double>(n + 4) * kEpsilon * trace)) return 0.0;
  const double down = rank_two_extreme(-1.0, term);
  if (!factor(-1.0, range.largest - 2.0 * eigenvalue_margin(n, range.largest))) return 0.0;
  const double up = rank_two_extreme(1.0, term);
  if (!std::isfinite(down) || !std::isfinite(up)) return 0.0;
  return kFractionKept / std::max({1.0, down, up});
}

// The Cholesky factor of sign * (matrix_ - shift I) into shifted_. False when there is none.
bool SpectrumTest::factor(double sign, double shift) {
  shifted_ = (sign * unit_) * matrix_;
  shifted_.diagonal().array() -= (sign * unit_) * shift;
  return cholesky_in_place(shifted_) && shifted_.diagonal().allFinite();  // a NaN is taken for a success
}

// sign times the eigenvalue of a b^T + b a^T on the side of sign, a = R^{-1} u and b = R^{-1} z with R in shifted_. It
// is not negative.
double SpectrumTest::rank_two_extreme(double sign, const SecantTerm& term) {
  a_ = term.u;
  b_ = term.z;
  lower_solve_in_place(shifted_, a_);
  lower_solve_in_place(shifted_, b_);
  return unit_ * (sign * a_.dot(b_) + norm(a_) * norm(b_));
}

}  // namespace loa
