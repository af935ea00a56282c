// The searches that need no bracket.
#pragma once

#include "loa/line_search.h"

namespace loa {

// The unit step as U made it (Alg. 1 and 2 to the letter). Shortened only if f is not finite there.
class FixedStep final : public LineSearch {
 public:
  LineSearchOutcome search(Ray& ray, double first_trial, Trial& accepted) const override;
  bool needs_descent() const override { return false; }
  std::string name() const override { return "fixed"; }
};

// Backtracking as in the program published with the paper, for parity.
// Differs from that program: a trial that is not finite is refused; the program accepts NaN.
class PaperSearch final : public LineSearch {
 public:
  LineSearchOutcome search(Ray& ray, double first_trial, Trial& accepted) const override;
  bool needs_descent() const override { return false; }
  std::string name() const override { return "paper"; }
};

// The minimizer along the ray for quadratics, step = -phi'(0)/<p, H p>, through one Hessian-vector product.
class ExactSearch final : public LineSearch {
 public:
  LineSearchOutcome search(Ray& ray, double first_trial, Trial& accepted) const override;
  bool begins_at_first_trial() const override { return false; }
  std::string name() const override { return "exact"; }
};

}  // namespace loa
