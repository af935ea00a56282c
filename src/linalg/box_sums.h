// The passes of linalg/box_step.h over all coordinates: the sums of its equations (2), and the projection (1) with the
// next A.
//
// Few passes: one makes A at x and the sums over it, and copies the coordinates that are said to be near their bounds,
// so that projections may be tried on these alone; one for each projection, which also measures the step and takes
// the coordinates that came or went out of the sums and into them, so that no sum is made anew. The vectors are needed
// whole but for d_i in the first pass: S_A has rows that are not 0 only where a coordinate of A has moved while the
// pairs were made, and S_F^T g = S^T g - S_A^T g_A, of which the operator knows S^T g.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "linalg/bounds.h"
#include "linalg/pair_model.h"
#include "linalg/pass.h"
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
  // Mask of those that may come to a bound by the step, for BoxSums::project_near(); null: none.
  const unsigned char* near = nullptr;

  // The ways to the bounds.
  double to_lower(Index i) const { return bounds.lower(i) - x(i); }
  double to_upper(Index i) const { return bounds.upper(i) - x(i); }
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

  // The same for the coordinates near their bounds alone, of which begin() has put copies side by side, without a step;
  // A is told by keep_near(), and the sums at once.
  Projection project_near(const PairModel& model, const BoxPoint& point, const Vector& of_d, const Vector& of_delta_g);
  void keep_near(Index n);
  // Whether there are any, on any slice. REQUIRES: begin().
  bool has_near() const { return num_near_ > 0.0; }

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

 private:
  struct Places;
  class Gathering;
  // What a projection reads of its coordinates, and writes.
  struct Rows {
    const double *const *d = nullptr, *const *delta_g = nullptr;
    const double* diagonal = nullptr;
    Boxed at = {};
    const double* grad = nullptr;
    double* step = nullptr;
    unsigned char *at_lower = nullptr, *at_upper = nullptr;
    Index size = 0;
  };
  void reserve(Index n, Index num);
  Index gather_near(const PairModel& model, const BoxPoint& point);
  Projection project_rows(const PairModel& model, const Rows& rows, const Reduction& reduction,
                          const std::array<const double*, 2>& coefficients);
  void add_up(Index num_pieces, std::size_t num_sums);

  HeldMask A_;
  std::vector<double> totals_;  // the sums, in the order of Places

  // The coordinates near their bounds that are free at x, and A on these: copies of their parts of the vectors, one
  // after the other, with room for near_capacity_ coordinates in each.
  std::vector<unsigned char> near_;
  double num_near_ = 0.0;  // of all slices
  Index near_size_ = 0, near_capacity_ = 0;
  Vector near_rows_;
  std::vector<const double*> near_columns_;
  HeldMask near_A_;
  std::array<Index, kMaxPieces + 1> near_first_ = {};  // of each piece of a pass, in the copies

  // Of each piece of a pass; members so that nothing is allocated.
  std::vector<double> sums_, parts_;
  std::vector<const double*> columns_;
};

}  // namespace loa
