// A controller of the quasi-Newton method: from the features of core/invariant_features.h, which no scaling and no
// rotation changes, a combination of given vectors and two numbers.
//
// With phi in R^14 the features, o = A phi + a in R^3 ("weights" 3 x 14, "bias" 3 x 1), and zone(t) = t moved towards 0
// by 0.1, and 0 within 0.1 of it,
//
//   w = tanh(zone(o_0)),   y = d - w B_{k-1} dg   a member of Broyden's family: w = 0 is BFGS, w = 1 SR1,
//                                                 w < 0 lies on the side of DFP; y = d where <dg,y> < <dg,d>/10 and
//                                                 where <dg,d> is not positive, for the safeguard to refuse
//   trial step  = exp(tanh(zone(o_1)))            where the line search starts
//   next scale  = exp(2 tanh(zone(o_2)))          times the initial scale of B in the next iteration
//
// The zones make the method without learning reachable exactly: theta = 0 is that method. y is a combination of vectors
// with invariant coefficients, so all five principles hold, and orthogonal transformations too.
#pragma once

#include "core/invariant_features.h"
#include "loa/model.h"

namespace loa {

class InvariantController final : public Model {
 public:
  static constexpr Index kNumOutputs = 3;
  static constexpr Index kNumParameters = kNumOutputs * (kNumInvariantFeatures + 1);

  // Throws std::invalid_argument unless theta has kNumParameters finite values, ordered as layout() says.
  explicit InvariantController(Vector theta);

  // REQUIRES: the features of core/invariant_features.h, the products, and the columns of loa/quasi_newton_input.h.
  void predict(const Input& input, Prediction& prediction) const override;
  // The features are inputs of their own: no derivative passes through them. y alone has one.
  void pullback(const Input& input, const Vector& d_y, std::vector<Vector>& d_vectors, Vector& d_theta) const override;

  const Vector& theta() const override { return theta_; }
  std::vector<ParameterBlock> blocks() const override { return layout(); }

  static std::vector<ParameterBlock> layout();
  // Where training starts: the method without learning.
  static Vector zero_start(std::uint64_t /*seed*/) { return Vector::Zero(kNumParameters); }

 private:
  double output(const Input& input, Index i) const;
  // Of B dg in y; 0 where y would come close to the pole of the update, and without curvature.
  double weight(const Input& input) const;

  Vector theta_;
};

}  // namespace loa
