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
// costs one. After a trial that was too long c2 is 0.8 at most (WeakWolfeOptions has the reason). A step that ends on a
// plateau is shortened (line_search/plateau.h).
#pragma once

#include "line_search/plateau.h"
#include "loa/line_search.h"

namespace loa {

struct WeakWolfeOptions {
  // c2 once a trial was too long, if that is less. A tenth of such a trial nearly always meets a c2 of 0.97, and far
  // from the wall that the trial met it tells B nothing of the wall: the next trial is as much too long, and so on for
  // ever. On 384 problems with barriers and walls, which are not part of the repository, bfgs+ took 0.969 times as many
  // evaluations with 0.8 as with 0.97, and 1.03 times as many on the mildest barriers. Those of the repository are mild
  // (results/ablation-search-d.md): against 0.8 bfgs+d takes 0.981 [0.953, 1.011] with 0.97, 1.013 with 0.7
  // and 1.028 with 0.5.
  double c2_after_rejection = 0.8;
  PlateauOptions plateau = {};
  bool has_second = true;  // the loop lets hager-zhang search after a failure
};

class WeakWolfe final : public LineSearch {
 public:
  explicit WeakWolfe(const WolfeConstants& constants, const WeakWolfeOptions& options = {})
      : constants_(constants), options_(options) {}
  LineSearchOutcome search(Ray& ray, double first_trial, Trial& accepted) const override;
  WolfeConstants constants() const override { return constants_; }
  std::string name() const override { return "weak-wolfe"; }
  const WeakWolfeOptions& options() const { return options_; }

 private:
  WolfeConstants constants_;
  WeakWolfeOptions options_;
};

}  // namespace loa
