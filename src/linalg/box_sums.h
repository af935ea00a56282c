// The passes of linalg/box_step.h over all coordinates: the sums of its equations (2), and the projection (1) with the
// next A.
//
// Few passes: one makes A at x and the sums over it; one for each projection, which also measures the step and takes
// the coordinates that came or went out of the sums and into them, so that no sum is made anew. The vectors are needed
// whole but for d_i in the first pass: S_A has rows that are not 0 only where a coordinate of A has moved while the
// pairs were made, and S_F^T g = S^T g - S_A^T g_A, of which the operator knows S^T g.
#pragma once

#include <span>
#include <vector>

#include "linalg/bounds.h"
#include "linalg/pair_model.h"
#include "loa/held_mask.h"
#include "loa/reduction.h"
#include "loa/vector.h"

namespace loa {

// What a model is around; x is inside the bounds.
struct BoxPoint {
  const Vector &x, &grad;
  const Bounds& bounds;
  const Reduction& reduction;
  const HeldMask* held = nullptr;  // those that are held at x, where they are known
};

class BoxSums {
 public:
  // The coordinates that are held at x become A: there c_A = 0. One all-reduce.
  void begin(const PairModel& model, const BoxPoint& point);

  // Over all slices: how many coordinates came or went; <g,p> and <p,p>.
  struct Projection {
    double num_changes = 0.0, slope = 0.0, squares = 0.0;
  };
  // (1) into step for u = of_d, of_delta_g in terms of the given pairs, and the next A with its sums. One all-reduce.
  // REQUIRES: begin() with the same model and point, but where the model has no pairs; the size of step is n.
  Projection project(const PairModel& model, const BoxPoint& point, const Vector& of_d, const Vector& of_delta_g,
                     Vector& step);

  // The sums over A and F as they are now, all slices together, for the given pairs: num x num and num.
  struct Equations {
    Eigen::Ref<Matrix> S_H_S, S_Y, Y_B_Y;  // S_A^T H_0 S_A, S_A^T Y_A, Y_F^T H_0^{-1} Y_F
    Eigen::Ref<Vector> r_s, r_y;           // the right side of (2)
    Eigen::Ref<Vector> g_s, g_y;           // S_F^T g_F, Y_F^T H_0^{-1} g_F
  };
  void read(const PairModel& model, Equations equations) const;

  // Of coordinate i: -1 at the lower bound, 1 at the upper one, 0 free.
  int held(Index i) const {
    const auto of = [i](const std::vector<unsigned char>& mask) {
      return mask[static_cast<std::size_t>(i / 8)] >> (i % 8) & 1;
    };
    return of(A_.at_upper) - of(A_.at_lower);
  }

  mutable Vector g_s, g_y;

 private:
  struct Places;
  class Gathering;
  void reserve(Index n, Index num);
  void add_up(Index num_pieces, std::size_t num_sums);

  HeldMask A_;
  std::vector<double> totals_;  // the sums, in the order of Places

  // Of each piece of a pass; members so that nothing is allocated.
  std::vector<double> sums_, parts_;
  std::vector<const double*> columns_;
};

}  // namespace loa
