// The line search of Hager and Zhang (2005), section 4: a bracket on the slope, shrunk by double secant steps.
//
// Accepts a step with phi(step) <= c1 step phi'(0) and phi'(step) >= c2 phi'(0) (weak Wolfe). Near round-off phi comes
// from the slopes (see Ray), which makes the first test the approximate Wolfe test of Hager and Zhang.
#pragma once

#include "loa/line_search.h"

namespace loa {

class HagerZhang final : public LineSearch {
 public:
  explicit HagerZhang(const WolfeConstants& constants) : constants_(constants) {}
  LineSearchOutcome search(Ray& ray, double first_trial, Trial& accepted) const override;
  WolfeConstants constants() const override { return constants_; }
  std::string name() const override { return "hager-zhang"; }

 private:
  WolfeConstants constants_;
};

}  // namespace loa
