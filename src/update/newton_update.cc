// Newton's step with a shifted Cholesky factorization (Nocedal and Wright 2006, Algorithm 3.3, made free of units).
//
//   (H + tau I) p = -g,   tau = 0 first; when H is not positive definite, tau grows eightfold from 2e-3 h,
//   h = ||H||_F/sqrt(n), the root of the mean of the squared eigenvalues.
//
// H is first divided by a power of two near its largest entry, so that the square roots of the factorization meet the
// same numbers whatever the unit of f and x.
//
// h is invariant to rotations and scales like H, so all five equivariances survive the shift; and it is the same for a
// problem and for many copies of it, which ||H||_F is not. A shift of more than ||H||_F makes every H positive
// definite.
#include <cmath>

#include "core/measured_step.h"
#include "linalg/cholesky.h"
#include "update/updates.h"

namespace loa {
namespace {

class NewtonUpdate final : public Update {
 public:
  bool direction(const Input& input, const Vector&, Step& step) const override {
    const double largest = input.hessian.size() == 0 ? 0.0 : input.hessian.cwiseAbs().maxCoeff();
    if (!(largest > 0.0) || !input.hessian.allFinite()) return false;
    const double unit = std::scalbn(1.0, -std::ilogb(largest));
    const double largest_shift = 8.0 * (unit * input.hessian).norm();
    const double scale = 0.125 * largest_shift / std::sqrt(static_cast<double>(input.dimension()));
    for (double tau = 0.0; tau <= largest_shift; tau = tau == 0.0 ? 2e-3 * scale : 8.0 * tau) {
      step.scratch = unit * input.hessian;
      step.scratch.diagonal().array() += tau;
      if (cholesky_in_place(step.scratch)) {
        step.direction = -input.gamma * input.covectors[0];
        cholesky_solve_in_place(step.scratch, step.direction);
        measured_pass(
            input.covectors[0], *input.reduction, [&](const Block& block) { block.of(step.direction) *= unit; }, step);
        return step.direction.allFinite();
      }
    }
    return false;
  }
};

}  // namespace

std::shared_ptr<const Update> newton_update() { return std::make_shared<NewtonUpdate>(); }

}  // namespace loa
