// The models of classical methods: a choice of y_k in the general secant update (Eq. (6), eq::genBFGSupdate) that needs
// no learning.
//
//   BFGS   y = d
//   SR1    y = r = d - B dg
//   safe   y = r where that update is positive definite, otherwise y = d
//   none   m = 0: methods without a model
//
// The smallest specimens of the seam. They read the columns of loa/quasi_newton_input.h.
#pragma once

#include "loa/model.h"

namespace loa {

// y_k = d_k: turns Algorithm 2 into BFGS.
class SecantStepModel final : public Model {
 public:
  void predict(const Input& input, Prediction& prediction) const override;
  void pullback(const Input& input, const Vector& d_y, std::vector<Vector>& d_vectors, Vector& d_theta) const override;
};

// y_k = r_k = d_k - B_{k-1} dg_k: turns Algorithm 2 into SR1.
class ResidualModel final : public Model {
 public:
  void predict(const Input& input, Prediction& prediction) const override;
  void pullback(const Input& input, const Vector& d_y, std::vector<Vector>& d_vectors, Vector& d_theta) const override;
};

// y_k = r_k where SR1 is positive definite by the test of linalg/broyden.h, otherwise y_k = d_k, which is counted. The
// test is the one that holds for every <d, B^{-1} d>, which is not known here: s > b for s = <d,dg>, b = <dg, B dg>.
class SafeResidualModel final : public Model {
 public:
  void predict(const Input& input, Prediction& prediction) const override;
  // The choice is an input of its own: no derivative passes through it.
  void pullback(const Input& input, const Vector& d_y, std::vector<Vector>& d_vectors, Vector& d_theta) const override;

 private:
  static bool is_safe(const Input& input);
};

// y_k is empty.
class NoModel final : public Model {
 public:
  void predict(const Input& input, Prediction& prediction) const override;
};

}  // namespace loa
