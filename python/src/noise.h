// A run on an f whose values have fewer digits than a double, for instance of float32 arrays, is over when its steps
// change f by less than these digits can show. The core measures the noise of f by points a few roundings of a double
// apart, which such an f cannot tell apart: it finds none, and goes on searching.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/bounds.h"
#include "loa/inverse_hessian.h"
#include "loa/options.h"
#include "loa/summary.h"

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

// The watch over one run: around its observer while it goes on, and over its summary at the end. Must outlive the run.
class FlatRun {
 public:
  // `precision`: that of the values of f, 0 until it is known; read while the run goes on.
  FlatRun(const double& precision, double gtol) : precision_(precision), gtol_(gtol) {}

  // `ask` may be empty.
  Observer around(Observer ask) {
    return [this, ask = std::move(ask)](const Progress& p) {
      const Continue answer = ask ? ask(p) : Continue::kYes;
      if (answer == Continue::kNo || p.grad_inf_norm <= gtol_) return answer;
      is_flat_ = watch_.ends(p, precision_);
      return is_flat_ ? Continue::kNo : answer;
    };
  }

  // Says in the summary that the values of f have no digits for a further decrease, if that has ended the run: by the
  // watch, or by a search that failed along a direction which promises less than f can show.
  void conclude(Summary& summary) const {
    const bool failed = summary.status == Status::kLineSearchFailed || summary.status == Status::kStalled;
    if (!is_flat_ && !(failed && promises_nothing(summary))) return;
    summary.status = Status::kConvergedToWorkingPrecision;
    summary.message = "Converged to working precision: the values of f have no digits for a further decrease.";
  }

 private:
  bool promises_nothing(const Summary& summary) const {
    if (!(precision_ > std::numeric_limits<double>::epsilon()) || summary.state.B == nullptr) return false;
    Vector grad = summary.grad;
    if (summary.bounds)
      for (Index i = 0; i < grad.size(); ++i)
        if (summary.bounds->active[static_cast<std::size_t>(i)] != 0) grad[i] = 0.0;
    return NoiseWatch::promise(*summary.state.B, grad) <=
           NoiseWatch::resolution(precision_, summary.f, summary.x, grad);
  }

  const double& precision_;
  const double gtol_;
  NoiseWatch watch_;
  bool is_flat_ = false;
};

}  // namespace loa::python
