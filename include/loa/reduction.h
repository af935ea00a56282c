// Sums and maxima over all slices of a distributed vector.
//
// Layer: linalg. Everything in the algorithms is coordinate-wise except inner products, norms and means. Those go
// through a Reduction, so a distributed run differs from a serial one in this object alone. A run gets its Reduction
// through Options::reduction; without one it holds the whole vector.
#pragma once

#include <span>

#include "loa/export.h"
#include "loa/vector.h"

LOA_EXPORT_BEGIN
namespace loa {

// Derive from it to distribute a run: every process holds a slice, and all processes call in the same order with as
// many numbers.
class Reduction {
 public:
  virtual ~Reduction() = default;

  // Replaces each of `sums` by its sum and each of `maxima` by its maximum over all slices: one all-reduce for all the
  // numbers of one place in the algorithm. Every process must get the same bits. A NaN on any slice must come out as
  // NaN on all, in sums and in maxima.
  virtual void reduce(std::span<double> sums, std::span<double> maxima) const = 0;

  // Whether there is another slice. A Reduction over one process may say no, and the run is then that of a whole
  // vector, bit for bit.
  virtual bool is_distributed() const { return true; }

  void sum(std::span<double> values) const { reduce(values, {}); }
  void max(double& value) const { reduce({}, {&value, 1}); }

  // The reduction of a run that holds the whole vector: it leaves all numbers as they are.
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
