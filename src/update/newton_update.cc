// Newton's step with a shifted Cholesky factorization (Nocedal and Wright 2006, Algorithm 3.3, made free of units).
//
//   (H + tau I) p = -g,   tau = 0 first; when H is not positive definite, tau grows eightfold from 1e-3 ||H||_F.
//
// H is first divided by a power of two near its largest entry, so that the square roots of the factorization meet the
// same numbers whatever the unit of f and x.
//
// ||H||_F is invariant to rotations and scales like H, so all five equivariances survive the shift. At the
// fifth shift, 4.1 ||H||_F, the matrix is positive definite whatever H is. A factor of ten would meet tau = ||H||_F,
// which is singular when one negative eigenvalue dominates.
#include <Eigen/Cholesky>
#include <cmath>

#include "update/updates.h"

namespace loa {
namespace {

class NewtonUpdate final : public Update {
 public:
  bool direction(const Input& input, const Vector&, Step& step) const override {
    const double largest = input.hessian.size() == 0 ? 0.0 : input.hessian.cwiseAbs().maxCoeff();
    if (!(largest > 0.0) || !input.hessian.allFinite()) return false;
    const double unit = std::scalbn(1.0, -std::ilogb(largest));
    const double scale = (unit * input.hessian).norm();
    double tau = 0.0;
    constexpr int kMaxShifts = 5;
    for (int attempt = 0; attempt <= kMaxShifts; ++attempt) {
      step.scratch = unit * input.hessian;
      step.scratch.diagonal().array() += tau;
      const Eigen::LLT<Eigen::Ref<Matrix>> factorization(step.scratch);
      if (factorization.info() == Eigen::Success) {
        step.direction = -input.gamma * input.covectors[0];
        factorization.solveInPlace(step.direction);
        step.direction *= unit;
        return step.direction.allFinite();
      }
      tau = attempt == 0 ? 1e-3 * scale : 8.0 * tau;
    }
    return false;
  }
};

}  // namespace

std::shared_ptr<const Update> newton_update() { return std::make_shared<NewtonUpdate>(); }

}  // namespace loa
