// The updates of gradient descent, heavy-ball, Nesterov, Adam, predicted steps and conjugate gradients. Formulas in
// updates.h.
#include <cmath>

#include "update/updates.h"

namespace loa {
namespace {

class HeavyBallUpdate final : public Update {
 public:
  explicit HeavyBallUpdate(double momentum) : momentum_(momentum) {}

  bool direction(const Input& input, const Vector&, Step& step) const override {
    step.direction = momentum_ * input.vectors[0] - input.gamma * input.covectors[0];
    return true;
  }

 private:
  double momentum_;
};

class NesterovUpdate final : public Update {
 public:
  bool direction(const Input& input, const Vector&, Step& step) const override {
    const double beta = input.scalars(0);
    step.direction = beta * input.vectors[0] - ((1.0 + beta) * input.gamma) * input.covectors[0];
    return true;
  }
};

class AdamUpdate final : public Update {
 public:
  bool direction(const Input& input, const Vector&, Step& step) const override {
    const Vector& m = input.covectors[1];
    const Vector& v = input.covectors[2];
    // v_i = 0 only if the i-th derivative has been 0 (or its square underflowed) all along: then the coordinate stays.
    step.direction = (v.array() == 0.0).select(0.0, -input.gamma * m.array() / v.array().sqrt());
    return true;
  }
};

class PredictedStepUpdate final : public Update {
 public:
  bool direction(const Input& input, const Vector& y, Step& step) const override {
    step.direction = input.gamma * y;
    return true;
  }
};

class ConjugateGradientUpdate final : public Update {
 public:
  bool direction(const Input& input, const Vector&, Step& step) const override {
    step.direction = input.scalars(0) * input.vectors[0] - input.gamma * input.covectors[0];
    return true;
  }
};

}  // namespace

std::shared_ptr<const Update> heavy_ball_update(double momentum) { return std::make_shared<HeavyBallUpdate>(momentum); }

std::shared_ptr<const Update> nesterov_update() { return std::make_shared<NesterovUpdate>(); }

std::shared_ptr<const Update> adam_update() { return std::make_shared<AdamUpdate>(); }

std::shared_ptr<const Update> predicted_step_update() { return std::make_shared<PredictedStepUpdate>(); }

std::shared_ptr<const Update> conjugate_gradient_update() { return std::make_shared<ConjugateGradientUpdate>(); }

}  // namespace loa
