// The paper's learned model (Fig. 2, fig::model; Appendix app:model): 216 weights for every dimension n.
//
// With z_i = (B dg, d, -gamma B g)_i in R^3 at coordinate i, and relu(t) = max(t, 0) entry by entry,
//
//   a   = 1/n sum_i A2 relu(A1 relu(A0 z_i))     "average.0" 6 x 3, "average.1" 12 x 6, "average.2" 3 x 12
//   u_i = (a, z_i) in R^6                        every coordinate gets the same averages
//   y_i = O1 relu(O0 u_i) + L u_i                "output.0" 12 x 6, "output.1" 1 x 12, "linear" 1 x 6
//
// There is no bias, so the model is positively homogeneous: M(t I) = t M(I) for t > 0, and bit for bit when t is a
// power of two and nothing over- or underflows. It is equivariant under permutations of the coordinates up to the
// rounding of the average. Both are what Principles 3, 4 and 5 need from it.
#pragma once

#include <cstdint>

#include "loa/model.h"

namespace loa {

class PooledNetwork final : public Model {
 public:
  static constexpr Index kNumParameters = 18 + 72 + 36 + 72 + 12 + 6;

  // Throws std::invalid_argument unless theta has kNumParameters finite values, ordered as layout() says.
  explicit PooledNetwork(Vector theta);

  // Costs two passes over the coordinates and one reduction. Allocates nothing when prediction.y has length n already.
  // REQUIRES: the columns of loa/quasi_newton_input.h. Throws std::invalid_argument when they are missing or of
  // unequal length.
  void predict(const Input& input, Prediction& prediction) const override;

  // Three passes over the coordinates. relu'(0) = 0. The hidden values are computed again instead of stored.
  void pullback(const Input& input, const Vector& d_y, std::vector<Vector>& d_vectors, Vector& d_theta) const override;

  const Vector& theta() const override { return theta_; }
  std::vector<ParameterBlock> blocks() const override { return layout(); }

  // The blocks of theta in the order above, each stored row by row, one row for one output.
  static std::vector<ParameterBlock> layout();

  // Where training starts ("Initialization of M_theta", sec::practical): the last layer of the output block is zero and
  // the linear layer is (0, 0, 0, 0, 1, 0), so that y = d and Algorithm 2 is BFGS. The other layers are as in
  // random_start(), which the paper leaves open.
  static Vector bfgs_like_start(std::uint64_t seed);

  // The same with the linear layer (0, 0, 0, -1, 1, 0), so that y = d - B dg = r and Algorithm 2 is SR1.
  static Vector sr1_like_start(std::uint64_t seed);

  // Every weight uniform in +-1/sqrt(number of inputs of its layer).
  static Vector random_start(std::uint64_t seed);

 private:
  Vector theta_;
};

}  // namespace loa
