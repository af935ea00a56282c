// B_k, the approximation of the inverse Hessian, as an operator.
//
// Layer: linalg. All quasi-Newton methods here use the general secant update (Eq. (6), eq::genBFGSupdate)
//
//   B_k = B_{k-1} + 1/<dg,y> [ r y^T + y r^T - <dg,r>/<dg,y> y y^T ],   r = d - B_{k-1} dg,
//
// which satisfies B_k dg = d for every y. y = d is BFGS, y = r is SR1. Oracle, update and storage do not know whether
// the operator is a matrix or a list of vectors. Files, changes of variables and conversions are beside this interface,
// in linalg/inverse_hessian_kinds.h.
#pragma once

#include <limits>
#include <memory>
#include <span>

#include "loa/export.h"
#include "loa/reduction.h"
#include "loa/secant_products.h"
#include "loa/vector.h"

LOA_EXPORT_BEGIN
namespace loa {

// What one secant update needs; all of length n. REQUIRES: B_delta_g = B_{k-1} delta_g for the operator that gets the
// pair.
struct SecantPair {
  const Vector& d;          // x_k - x_{k-1}, or that divided by tau (oracle/function_value_secant.h)
  const Vector& delta_g;    // grad f(x_k) - grad f(x_{k-1})
  const Vector& B_delta_g;  // known from the oracle: computing it again would be a second matrix product
  const Vector& y;          // only its direction matters: the update is homogeneous of degree 0 in y
  double factor = 1.0;      // how much of the term is added; below 1 the update is damped and loses B dg = d

  // The caller says y = d by giving the same vector twice. Values are not compared: on a slice of a distributed vector
  // they may be equal by chance.
  bool y_is_d() const { return &y == &d; }
};

// What the oracle has when it asks for its products; all of length n.
struct GradientChange {
  const Vector& grad;                      // grad f(x_k)
  const Vector* delta_g = nullptr;         // grad f(x_k) - grad f(x_{k-1}); null: only B grad is wanted, d is null too
  const Vector* d = nullptr;               // the d of the secant equation B dg = d
  double grad_factor = 1.0;                // -gamma for a step
  double scale_factor = 1.0;               // times the scale that an operator takes from the newest pair
  const Vector* direction_prev = nullptr;  // grad_factor B grad f(x_{k-1}), with B as it was after the last update
  bool is_ahead = false;  // products() is asked before the update() with the pair before this one, combine() after it
  // <d, B^{-1} d> for the d above and the B that made the last step: -step gamma <g_{k-1},d> where d is that step. For
  // combine() alone. NaN after a start or a restart, and where the oracle does not know it.
  double last_curvature = std::numeric_limits<double>::quiet_NaN();
  // The caller wants no products, but for <delta_g,d>, <d,d> and <delta_g,delta_g>: combine() takes the pair alone and
  // may leave B_grad and B_delta_g as they are. For runs with bounds, where another step is made of the pairs.
  bool is_pair_alone = false;
  // The scale and the diagonal are made of the coordinates with d_i != 0 alone: in a run with bounds (linalg/moved.h).
  bool is_of_moved = false;
  // H_0 grad and H_0 delta_g, where B begins as scale H_0; null: H_0 = I. For operators made of pairs on a scale alone,
  // and for changes that are not ahead.
  const Vector* H0_grad = nullptr;
  const Vector* H0_delta_g = nullptr;
};

// B as an operator. Made by the storage, lives in State::B. An iteration calls products(), combine() and, unless the
// pair is left out, update(), in this order. Nothing else may be called between products() and combine().
class InverseHessian {
 public:
  virtual ~InverseHessian() = default;

  // B = scale * I, or scale * H_0, forgetting everything. Called at the start and by a restart.
  virtual void reset(double scale) = 0;

  // The inner products that combine() needs, summed over the coordinates of this slice; the memory belongs to the
  // operator. The caller sums the numbers over all slices in place, in one all-reduce with numbers of its own, and
  // calls combine(). May be called several times, for trial points that are not accepted: it changes nothing of B but
  // the pair that is pending, and the last call counts. For a change that is ahead the sums are what they will be after
  // update(), and the pending pair stays; an operator that cannot do that returns nothing, and is asked again later.
  virtual std::span<double> products(const GradientChange& change) = 0;

  // B_grad = grad_factor B grad and, with a delta_g, B_delta_g = B delta_g, from these sums. `ratio`: *change.d is the
  // d that products() saw divided by this number; 1 where products() saw the same d. Fills what the operator knows of
  // `found` without another pass. No vector of the change may be B_grad or B_delta_g.
  //
  // An operator may take its scale from the new pair, and B changes with that. Where nothing but update() changes B,
  // direction_prev gives B_delta_g without a second product; without direction_prev there is a second product.
  virtual void combine(const GradientChange& change, double ratio, const Reduction& reduction, Vector& B_grad,
                       Vector& B_delta_g, SecantProducts& found) = 0;

  // B <- the general secant update above. An operator that keeps B as a matrix or as triples (dg, d, y) does just that;
  // one that is made of pairs (d, dg) anew in each iteration takes the pair with y = d and factor = 1, whatever they
  // are, because it has no B_{k-1} to which a term could be added. REQUIRES: <delta_g, y> is not zero and everything is
  // finite; the pair is that of the last combine() when there was one since the last update(). No all-reduce where the
  // sums are known from there, which they are for y = d.
  virtual void update(const SecantPair& pair, const Reduction& reduction) = 0;

  virtual std::unique_ptr<InverseHessian> clone() const = 0;
};

// Both products of a change: products(), one all-reduce and combine(). Returns what combine() found.
SecantProducts apply(InverseHessian& B, const GradientChange& change, Vector& B_grad, Vector& B_delta_g,
                     const Reduction& reduction = Reduction::serial());

// out = B v. Not const: B may apply a queued update in the same sweep, and forgets a pending pair.
void apply(InverseHessian& B, const Vector& v, Vector& out, const Reduction& reduction = Reduction::serial());

// The lower triangle of B, for those who need its eigenvalues; above it there may be anything. Takes n products unless
// B is a matrix. REQUIRES: the size of `out` is n x n, and B has whole vectors.
void lower_triangle(const InverseHessian& B, Matrix& out);

}  // namespace loa
LOA_EXPORT_END
