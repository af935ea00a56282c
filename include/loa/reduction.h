// Sums and maxima over all slices of a distributed vector.
//
// Layer: linalg. Everything in the algorithms is coordinate-wise except inner products, norms and means. Those go
// through a Reduction, so a distributed run differs from a serial one in this object alone. The serial reduction does
// nothing.
#pragma once

#include <span>

#include "loa/export.h"
#include "loa/vector.h"

LOA_EXPORT_BEGIN
namespace loa {

// Derive from it to distribute a run: every process holds a slice, and all must call in the same order.
class Reduction {
 public:
  virtual ~Reduction() = default;

  // Replaces each value by its sum over all slices. Called with all the partial sums of one place in the algorithm at
  // once.
  virtual void sum(std::span<double> values) const;

  // Replaces the value by its maximum over all slices. A NaN on any slice must come out as NaN on all.
  virtual void max(double& value) const;

  // The reduction of a run that holds the whole vector.
  static const Reduction& serial();
};

// <a, b> over all slices. REQUIRES: a.size() == b.size().
double dot(const Vector& a, const Vector& b, const Reduction& reduction = Reduction::serial());

// ||a|| over all slices, without overflow or underflow in between: values from 1e-300 to 1e300 are handled.
double norm(const Vector& a, const Reduction& reduction = Reduction::serial());

// ||a - b||, likewise.
double distance(const Vector& a, const Vector& b, const Reduction& reduction = Reduction::serial());

// <a, b>/(||a|| ||b||), likewise; NaN when one of them is zero or not finite.
double cosine(const Vector& a, const Vector& b, const Reduction& reduction = Reduction::serial());

// max |a_i| over all slices; 0 when n = 0, NaN when any coordinate is NaN.
double inf_norm(const Vector& a, const Reduction& reduction = Reduction::serial());

}  // namespace loa
LOA_EXPORT_END
