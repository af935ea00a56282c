// B_k, the approximation of the inverse Hessian, as an operator.
//
// Layer: linalg. All quasi-Newton methods here use the general secant update (Eq. (6), eq::genBFGSupdate)
//
//   B_k = B_{k-1} + 1/<dg,y> [ r y^T + y r^T - <dg,r>/<dg,y> y y^T ],   r = d - B_{k-1} dg,
//
// which satisfies B_k dg = d for every y. y = d is BFGS, y = r is SR1. Oracle, update and storage do not know whether
// the operator is a matrix or a list of vectors.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "loa/error.h"
#include "loa/export.h"
#include "loa/vector.h"

namespace loa {
class TensorFile;
}  // namespace loa

LOA_EXPORT_BEGIN
namespace loa {

// What one secant update needs; all of length n. REQUIRES: B_delta_g = B_{k-1} delta_g for the operator it is given to.
struct SecantPair {
  const Vector& d;          // x_k - x_{k-1}
  const Vector& delta_g;    // grad f(x_k) - grad f(x_{k-1})
  const Vector& B_delta_g;  // known from the oracle: computing it again would be a second matrix product
  const Vector& y;          // only its direction matters: the update is homogeneous of degree 0 in y
  double factor = 1.0;      // how much of the term is added; below 1 the update is damped and loses B dg = d
};

// What the oracle has when it asks for its two products; all of length n.
struct GradientChange {
  const Vector& grad;                      // grad f(x_k)
  const Vector& delta_g;                   // grad f(x_k) - grad f(x_{k-1}) unless is_filtered
  const Vector& d;                         // x_k - x_{k-1}
  double grad_factor = 1.0;                // -gamma for a step
  double scale_factor = 1.0;               // times the scale that an operator takes from the newest pair
  const Vector* direction_prev = nullptr;  // grad_factor B grad f(x_{k-1}), with B as it was after the last update
  bool is_filtered = false;                // delta_g is another combination: B delta_g follows from no other product
};

// B as an operator. Made by the storage, lives in State::B.
class InverseHessian {
 public:
  virtual ~InverseHessian() = default;

  // B = scale * I, forgetting everything. Called at the start and by a restart.
  virtual void reset(double scale) = 0;

  // out = B v. v and out must not alias.
  // Not const: an implementation may apply a queued update in the same sweep.
  virtual void apply(const Vector& v, Vector& out) = 0;

  // B_grad = grad_factor B grad and B_delta_g = B delta_g. Called once an iteration, before update(). Where nothing but
  // update() changes B, direction_prev is still what it says, and one product is enough: the default, which needs it.
  // An operator that forgets does not look at it.
  virtual void apply_to_change(const GradientChange& change, Vector& B_grad, Vector& B_delta_g);

  // Whether B drops old pairs or changes its scale in apply_to_change(). Then B_k is not B_{k-1} plus one term, and its
  // eigenvalues cannot be kept in bounds (Safeguard::kBounded).
  virtual bool forgets() const { return false; }

  // B <- the general secant update above. REQUIRES: <delta_g, y> is not zero and everything is finite.
  virtual void update(const SecantPair& pair) = 0;

  // To and from named tensors, bit for bit.
  virtual void save(TensorFile& file) const = 0;
  // load returns no error, or what is missing or does not fit.
  virtual Error load(const TensorFile& file) = 0;

  virtual std::unique_ptr<InverseHessian> clone() const = 0;

  // The lower triangle of B, for those who need its eigenvalues; above it there may be anything. REQUIRES: the size of
  // `B` is n x n. The default takes n products.
  virtual void copy_to(Matrix& B) const;

  // The operator `factor` J B J^T, of the same kind, where J maps a vector to a vector: B in other coordinates. Null
  // when it cannot be made.
  using LinearMap = std::function<Vector(const Vector&)>;
  virtual std::unique_ptr<InverseHessian> congruent(const LinearMap& /*J*/, double /*factor*/) const { return nullptr; }
};

}  // namespace loa
LOA_EXPORT_END
