// A model that keeps away from the poles of the secant update.
//
// Eq. (6) divides by <dg, y>. On quadratics a learned y comes close to r (SR1), for which <dg, r> changes its sign now
// and then; near such a zero the update is one huge rank-one term that later iterations have to undo. With y the
// prediction of another model and t the guard's width,
//
//   y_k = y     where |<dg, y>|/||y|| > t <dg, d>/||d||
//   y_k = d_k   elsewhere: the BFGS update, whose denominator is larger by 1/t at least
//
// Both sides are of the same kind, so the principles hold as for the model inside. Where the curvature <dg, d> is not
// positive y = d would be no better, and y stays.
#pragma once

#include <memory>

#include "loa/model.h"

namespace loa {

class PoleGuard final : public Model {
 public:
  // Throws std::invalid_argument unless 0 <= width < 1. REQUIRES: `model` predicts from the columns of
  // loa/quasi_newton_input.h.
  PoleGuard(std::shared_ptr<const Model> model, double width);

  void predict(const Input& input, Prediction& prediction) const override;
  // Derivatives pass through the branch that predict took. Predicts again to know it.
  void pullback(const Input& input, const Vector& d_y, std::vector<Vector>& d_vectors, Vector& d_theta) const override;

  const Vector& theta() const override { return model_->theta(); }
  std::vector<ParameterBlock> blocks() const override { return model_->blocks(); }

 private:
  std::shared_ptr<const Model> model_;
  double width_;
};

}  // namespace loa
