// The line search of More and Thuente (1994), with the rules of MINPACK-2's dcsrch and dcstep.
//
// Finds a step with phi(step) <= c1 step phi'(0) and |phi'(step)| <= c2 |phi'(0)| (strong Wolfe), where phi(0) = 0.
// Stage 1 works on psi(step) = phi(step) - c1 step phi'(0) until a step with psi <= 0 and phi' >= 0 is met; stage 2 on
// phi.
#pragma once

#include "loa/line_search.h"

namespace loa {

class MoreThuente final : public LineSearch {
 public:
  explicit MoreThuente(const WolfeConstants& constants) : constants_(constants) {}
  LineSearchOutcome search(Ray& ray, double first_trial, Trial& accepted) const override;
  WolfeConstants constants() const override { return constants_; }
  std::string name() const override { return "more-thuente"; }

 private:
  WolfeConstants constants_;
};

}  // namespace loa
