// A run on an f whose values have fewer digits than a double, for instance of float32 arrays, is over when its steps
// change f by less than these digits can show. The core measures the noise of f by points a few roundings of a double
// apart, which such an f cannot tell apart: it finds none, and goes on searching.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/bounds.h"
#include "loa/inverse_hessian.h"
#include "loa/options.h"

namespace loa::python {

class NoiseWatch {
 public:
  // The resolution of f where its values have the relative precision epsilon, as in algorithm/working_precision.h.
  static double resolution(double epsilon, double f, const Vector& x, const Vector& grad) {
    return 32.0 * epsilon * (std::abs(f) + x.cwiseProduct(grad).cwiseAbs().sum());
  }

  // What a step -B g promises by the quadratic model behind it, <g, B g>/2.
  static double promise(const InverseHessian& B, const Vector& grad) {
    Vector B_grad(grad.size());
    apply(*B.clone(), grad, B_grad);  // a clone, because applying may rearrange it
    return 0.5 * grad.dot(B_grad);
  }

  // Whether the last step has changed f by less than its resolution and the next one promises less than the spacing of
  // the values of f; or whether the last clamp(n, 5, 20) steps together have changed f by less than its resolution.
  // Changes are those that the slopes at both ends of a step make of it: differences of f itself are rounding by then.
  // Called at x_0 and after each iteration. With bounds the gradient is the free one, but for the changes, which are
  // made by all coordinates of a step.
  bool ends(const Progress& p, double epsilon) {
    if (!(epsilon > std::numeric_limits<double>::epsilon())) return false;
    free_gradient(p.state, free_grad_);
    if (x_.size() == p.x.size()) {
      const double change = 0.5 * std::abs((p.grad + grad_).dot(p.x - x_));
      const double r = resolution(epsilon, p.f, p.x, free_grad_);
      if (change_ + change <= r) {
        change_ += change;
        ++steps_;
      } else {
        change_ = change <= r ? change : 0.0;
        steps_ = change <= r ? 1 : 0;
      }
    }
    x_ = p.x;
    grad_ = p.grad;
    if (steps_ > 0 && p.iteration >= 5 && p.state.B != nullptr &&
        promise(*p.state.B, free_grad_) <= epsilon * std::abs(p.f))
      return true;
    return steps_ >= std::clamp<Index>(p.x.size(), 5, 20);
  }

 private:
  Vector x_, grad_, free_grad_;
  double change_ = 0.0;
  std::int64_t steps_ = 0;
};

}  // namespace loa::python
