// The direction of a run with bounds: the step to the minimizer of the model behind B_k inside them.
//
// Where x_k plus the direction that U made is inside that is it, and the run is the one without bounds; a B of pairs
// alone leaves the direction to this file. Otherwise the step is that of linalg/box_step.h; x_k plus the whole step is
// inside. A restart goes along P(x - scale g) - x. Where the system of equations fails in numbers, or the step does not
// descend, the step is the projected one of B_0 alone, which always descends.
#pragma once

#include "linalg/box_step.h"
#include "loa/algorithm.h"
#include "loa/input.h"
#include "loa/state.h"

namespace loa {

class BoundedStep {
 public:
  // In place of choose_direction() where I_k has the pair alone: what becomes of the pair, as safeguard.h has it, and
  // no direction, which bend() makes then.
  static void choose(const Algorithm& algorithm, const Input& input, const State& state, Prediction& prediction,
                     Step& step);

  // Called when the direction is chosen, and once more after a restart. Changes step.direction, with its slope and
  // length; step.grad_norm becomes that of the free gradient. REQUIRES: state.bounds; I_k is that of the state, and the
  // operator was asked for nothing since.
  void bend(const Input& input, const State& state, Step& step);

  // The same for a B alone, without a pair, as a warm start has it: the step of gamma B from x into `direction`, which
  // is -gamma B g before. False where the equations have no solution in numbers. REQUIRES: state.bounds; the operator
  // was asked for B g and nothing since.
  bool bend(double gamma, const State& state, Vector& direction);

 private:
  // The coordinates whose bounds are nearer than kReach times their last way. False where the vectors are so short that
  // a pass over the pairs takes little.
  bool find_near(const State& state);
  void go_along_B0(const BoxStep::Point& point, const State& state, Step& step);

  // A round is a large part of what an iteration of limited memory takes, and little where there is room for a matrix:
  // with rounds left out auto solves two problems less of the set bounded.
  BoxStep box_, exact_box_{0.0};
  PairModel model_;
  std::vector<unsigned char> near_;  // mask of the coordinates that may come to a bound by this step
  // Where B is a matrix.
  std::unique_ptr<InverseHessian> next_;
  Matrix matrix_;
};

}  // namespace loa
