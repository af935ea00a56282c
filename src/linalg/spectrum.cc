#include "linalg/spectrum.h"

#include <algorithm>
#include <cmath>

#include "linalg/cholesky.h"
#include "loa/reduction.h"

namespace loa {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kReach = 1e6;         // see resolve_bounds
constexpr double kFractionKept = 0.9;  // of the way to the boundary, as in interior-point methods

// The power of two that brings C to [1, 2).
double power_of_two_below(double upper) { return std::exp2(-std::logb(upper)); }

}  // namespace

double eigenvalue_margin(Index n, double upper) {
  return static_cast<double>(n + 4) * kEps * static_cast<double>(n + 4) * upper;
}

double scale_inside(double scale, Index n, const EigenvalueBounds& bounds) {
  const double low = bounds.lower + 3.0 * eigenvalue_margin(n, bounds.lower);
  const double high = bounds.upper - 3.0 * eigenvalue_margin(n, bounds.upper);
  if (!(low <= high)) return bounds.lower + 0.5 * (bounds.upper - bounds.lower);
  if (!(scale >= low)) return low;
  return scale <= high ? scale : high;
}

double resolve_bounds(double scale, Index n, EigenvalueBounds& bounds) {
  // A scale beyond the range of numbers, as a gradient of 1e-310 asks for, is the nearest one in it.
  if (!(scale >= std::numeric_limits<double>::min())) scale = std::numeric_limits<double>::min();
  if (!(scale <= std::numeric_limits<double>::max())) scale = std::numeric_limits<double>::max();
  if (scale < bounds.lower) scale = bounds.lower;  // no comparison with an open end, NaN, is true
  if (scale > bounds.upper) scale = bounds.upper;
  if (std::isnan(bounds.lower)) bounds.lower = std::max(scale / kReach, std::numeric_limits<double>::min());
  if (std::isnan(bounds.upper)) bounds.upper = std::min(scale * kReach, std::numeric_limits<double>::max());
  return scale_inside(scale, n, bounds);
}

bool SpectrumTest::holds(const InverseHessian& B, const SecantTerm& term, const EigenvalueBounds& bounds,
                         const EigenvalueBounds& spectrum, EigenvalueBounds& after) {
  const Index n = term.u.size();
  const double product = term.u.dot(term.z), norms = norm(term.u) * norm(term.z);
  const double round_off = 2.0 * static_cast<double>(n + 4) * kEps * (spectrum.upper + norms);
  // Weyl, from the other side: outside for certain. Written so that a NaN is outside.
  if (!(spectrum.lower + (product + norms) - round_off <= bounds.upper) ||
      !(spectrum.upper + (product - norms) + round_off >= bounds.lower))
    return false;

  const double highest = bounds.upper - eigenvalue_margin(n, bounds.upper);
  after.lower = spectrum.lower + (product - norms) - round_off;
  after.upper = spectrum.upper + (product + norms) + round_off;
  const bool low_is_certain = after.lower >= bounds.lower + eigenvalue_margin(n, after.upper);
  if (low_is_certain && after.upper <= highest) return true;

  unit_ = power_of_two_below(bounds.upper);
  matrix_.resize(n, n);
  B.copy_to(matrix_);
  for (Index j = 0; j < n; ++j)  // the same products and sums as in DenseInverseHessian, so the same bits
    matrix_.col(j).tail(n - j) += term.u(j) * term.z.tail(n - j) + term.z(j) * term.u.tail(n - j);
  if (!low_is_certain) {
    const double trace = matrix_.trace(), margin = static_cast<double>(n + 4) * kEps * trace;
    if (!(trace > 0.0) || !factor(1.0, bounds.lower + 2.0 * margin)) return false;
    after.lower = bounds.lower + margin;
    after.upper = std::min(after.upper, trace + margin);  // no eigenvalue is negative
  }
  if (after.upper <= highest) return true;
  after.upper = highest;
  return factor(-1.0, bounds.upper - 2.0 * eigenvalue_margin(n, bounds.upper));
}

double SpectrumTest::damping(const InverseHessian& B, const SecantTerm& term, const EigenvalueBounds& bounds) {
  const Index n = term.u.size();
  unit_ = power_of_two_below(bounds.upper);
  matrix_.resize(n, n);
  B.copy_to(matrix_);
  // The trace of no matrix on the way is above this.
  const double trace =
      std::min(matrix_.trace() + 2.0 * std::max(term.u.dot(term.z), 0.0), static_cast<double>(n) * bounds.upper);
  if (!factor(1.0, bounds.lower + 2.0 * static_cast<double>(n + 4) * kEps * trace)) return 0.0;
  const double down = rank_two_extreme(-1.0, term);
  if (!factor(-1.0, bounds.upper - 2.0 * eigenvalue_margin(n, bounds.upper))) return 0.0;
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
