// The updates of gradient descent, heavy-ball, Nesterov, Adam, predicted steps and conjugate gradients. Formulas in
// updates.h.
#include <cmath>

#include "core/measured_step.h"
#include "update/updates.h"

namespace loa {
namespace {

// step.direction = the expression that formula(block) returns. Always true, so that callers can return it.
template <typename Formula>
bool set_direction(const Input& input, Step& step, const Formula& formula) {
  const auto make = [&](const Block& block) { block.of(step.direction) = formula(block); };
  measured_pass(input.covectors[0], *input.reduction, make, step);
  return true;
}

class HeavyBallUpdate final : public Update {
 public:
  explicit HeavyBallUpdate(double momentum) : momentum_(momentum) {}

  bool direction(const Input& input, const Vector&, Step& step) const override {
    return set_direction(input, step, [&](const Block& block) {
      return momentum_ * block.of(input.vectors[0]) - input.gamma * block.of(input.covectors[0]);
    });
  }

 private:
  double momentum_;
};

class NesterovUpdate final : public Update {
 public:
  bool direction(const Input& input, const Vector&, Step& step) const override {
    const double beta = input.momentum;
    return set_direction(input, step, [&](const Block& block) {
      return beta * block.of(input.vectors[0]) - ((1.0 + beta) * input.gamma) * block.of(input.covectors[0]);
    });
  }
};

class AdamUpdate final : public Update {
 public:
  bool direction(const Input& input, const Vector&, Step& step) const override {
    const Vector& m = input.covectors[1];
    const Vector& v = input.covectors[2];
    // v_i = 0 only if the i-th derivative has been 0 (or its square underflowed) all along: then the coordinate stays.
    return set_direction(input, step, [&](const Block& block) {
      const auto m_part = block.of(m).array(), v_part = block.of(v).array();
      return (v_part == 0.0).select(0.0, -input.gamma * m_part / v_part.sqrt()).matrix();
    });
  }
};

class PredictedStepUpdate final : public Update {
 public:
  bool direction(const Input& input, const Vector& y, Step& step) const override {
    return set_direction(input, step, [&](const Block& block) { return input.gamma * block.of(y); });
  }
};

class ConjugateGradientUpdate final : public Update {
 public:
  bool direction(const Input& input, const Vector&, Step& step) const override {
    return set_direction(input, step, [&](const Block& block) {
      return input.momentum * block.of(input.vectors[0]) - input.gamma * block.of(input.covectors[0]);
    });
  }
};

}  // namespace

std::shared_ptr<const Update> heavy_ball_update(double momentum) { return std::make_shared<HeavyBallUpdate>(momentum); }

std::shared_ptr<const Update> nesterov_update() { return std::make_shared<NesterovUpdate>(); }

std::shared_ptr<const Update> adam_update() { return std::make_shared<AdamUpdate>(); }

std::shared_ptr<const Update> predicted_step_update() { return std::make_shared<PredictedStepUpdate>(); }

std::shared_ptr<const Update> conjugate_gradient_update() { return std::make_shared<ConjugateGradientUpdate>(); }

}  // namespace loa
