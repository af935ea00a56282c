// Weak Wolfe conditions with as few trials as possible.
//
//   phi(step) <= c1 step phi'(0)   and   phi'(step) >= c2 phi'(0)
//
// The first keeps steps short enough, the second long enough; no limit on an upward slope. A quasi-Newton method that
// gets a new pair from every evaluation gains more from the next direction than from a better step along this one.
// A trial that fails the first condition becomes the right end of a bracket, a trial that fails the second its left
// end. Inside a bracket the next trial is the minimizer of the cubic through values and slopes at both ends (Nocedal
// and Wright 2006, Eq. (3.59)), or of a power or an exponential where phi is steeper than a cubic; without a right end
// it is a secant step, or longer by a factor that grows: x 20, x 80, x 320, ... Where a step has to be longer by orders
// of magnitude (a start near a saddle, a scale that is wrong) small factors cost a trial each, and one that is too long
// costs one. After a trial that was too long c2 is 0.8 at most (weak_wolfe.cc has the reason). A step that ends on a
// plateau is shortened (line_search/plateau.h).
#pragma once

#include "loa/line_search.h"

namespace loa {

class WeakWolfe final : public LineSearch {
 public:
  explicit WeakWolfe(const WolfeConstants& constants) : constants_(constants) {}
  LineSearchOutcome search(Ray& ray, double first_trial, Trial& accepted) const override;
  WolfeConstants constants() const override { return constants_; }
  std::string name() const override { return "weak-wolfe"; }

 private:
  WolfeConstants constants_;
};

}  // namespace loa
