#include "line_search/hager_zhang.h"

#include <cmath>
#include <limits>

#include "line_search/bracket.h"
#include "line_search/finite_trial.h"

namespace loa {
namespace {

// One search. The names of the steps (L1, B2, U3, S4, ...) are those of the paper.
class Search {
 public:
  Search(Ray& ray, const WolfeConstants& constants) : ray_(ray), c_(constants) {
    a_ = Trial{.step = 0.0, .f = ray.f0(), .phi = 0.0, .slope = ray.slope0(), .finite = true};
  }

  // L0 to L3.
  bool run(double first_trial) {
    if (!bracket(first_trial)) return done_;
    while (budget_ > 0) {
      const double width = b_.step - a_.step;
      if (is_exhausted(a_.step, b_.step)) return false;
      if (!double_secant()) return done_;
      if (b_.step - a_.step > kShrink * width && !update(0.5 * (a_.step + b_.step))) return done_;  // L2
    }
    return false;
  }

  const Trial& accepted() const { return accepted_; }

 private:
  static constexpr double kExpand = 5.0;     // rho: growth while looking for a bracket, at first
  static constexpr int kPatience = 3;        // expansions after which it doubles each time
  static constexpr double kShrink = 0.66;    // gamma: a secant step that shrinks less is followed by a bisection
  static constexpr double kLongest = 1e100;  // multiples of the first trial

  // Evaluates at a step. Returns false when the search is over: the step is acceptable (done_), or the budget is spent.
  bool probe(double step, Trial& trial) {
    if (budget_-- <= 0 || ray_.exhausted()) return over();
    trial = ray_.evaluate(step);
    if (ray_.met_minus_infinity()) return over();
    if (!trial.finite || !ray_.decreases(trial, c_.c1) || !(trial.slope >= c_.c2 * ray_.slope0())) return true;
    accepted_ = trial;
    done_ = true;
    return false;
  }

  bool over() {
    budget_ = 0;
    return false;
  }

  // phi <= 0 in exact arithmetic for the paper's phi(a) <= phi(0) + epsilon: the allowance is already in phi.
  static bool low(const Trial& trial) { return trial.finite && trial.phi <= 0.0; }

  // B0 to B3: an interval [a, b] with phi(a) <= 0, phi'(a) < 0, phi'(b) >= 0.
  bool bracket(double step) {
    const double longest = kLongest * step;
    double ceiling = std::numeric_limits<double>::infinity();  // the shortest step known to leave the domain
    double factor = kExpand;
    int expansions = 0;
    while (true) {
      Trial trial;
      if (!probe(step, trial)) return false;
      if (!trial.finite) {
        ceiling = step;
        step = a_.step + 0.2 * (step - a_.step);
        continue;
      }
      if (trial.slope >= 0.0) {  // B1
        b_ = trial;
        return true;
      }
      if (!low(trial)) {  // B2
        b_ = trial;
        return bisect();
      }
      a_ = trial;  // B3
      if (step >= longest) {
        accepted_ = trial;
        done_ = true;
        return false;
      }
      if (++expansions > kPatience) factor *= 2.0;
      const double expanded = expansion(trial, step, factor);
      step = expanded < ceiling ? expanded : 0.5 * (a_.step + ceiling);
    }
  }

  // The secant step through 0 and the trial where it lies within the paper's factor, else that factor.
  double expansion(const Trial& trial, double step, double factor) const {
    const double secant = step * ray_.slope0() / (ray_.slope0() - trial.slope);
    return secant > 1.1 * step && secant < factor * step ? secant : factor * step;
  }

  // U3: phi(b) > 0 with phi'(b) < 0. Shrinks until phi'(b) >= 0. The first reduction uses the cubic through both ends,
  // which knows that phi(b) is too high; bisection follows.
  bool bisect() {
    bool cubic = true;
    while (true) {
      double step = 0.5 * (a_.step + b_.step);
      if (cubic) step = cubic_step(step);
      cubic = false;
      Trial trial;
      if (is_exhausted(a_.step, b_.step)) return over();
      if (!probe(step, trial)) return false;
      if (trial.finite && trial.slope >= 0.0) {
        b_ = trial;
        return true;
      }
      if (low(trial))
        a_ = trial;
      else
        b_ = trial;
    }
  }

  // The minimizer of the cubic through values and slopes at a and b, kept within [0.1, 0.9] of the interval.
  double cubic_step(double otherwise) const {
    const double h = b_.step - a_.step;
    const double theta = 3.0 * (a_.phi - b_.phi) / h + a_.slope + b_.slope;
    const double gamma = std::sqrt(theta * theta - a_.slope * b_.slope);
    const double t = (gamma - a_.slope + theta) / (2.0 * gamma - a_.slope + b_.slope);
    return t >= 0.1 && t <= 0.9 ? a_.step + t * h : otherwise;
  }

  // U0 to U3: replaces one end of the bracket by c.
  bool update(double c) {
    if (!(c > a_.step && c < b_.step)) return true;  // U0
    Trial trial;
    if (!probe(c, trial)) return false;
    if (!trial.finite || (trial.slope < 0.0 && !low(trial))) {  // U3
      b_ = trial;
      return bisect();
    }
    (trial.slope >= 0.0 ? b_ : a_) = trial;  // U1, U2
    return true;
  }

  static double secant(const Trial& a, const Trial& b) {
    return (a.step * b.slope - b.step * a.slope) / (b.slope - a.slope);
  }

  // S1 to S4.
  bool double_secant() {
    const Trial a = a_, b = b_;
    const double c = secant(a, b);
    if (!update(c)) return false;
    double again = std::numeric_limits<double>::quiet_NaN();
    if (c == b_.step) again = secant(b, b_);  // S2
    if (c == a_.step) again = secant(a, a_);  // S3
    return update(again);
  }

  Ray& ray_;
  const WolfeConstants& c_;
  Trial a_, b_, accepted_;
  int budget_ = 40;
  bool done_ = false;
};

}  // namespace

LineSearchOutcome HagerZhang::search(Ray& ray, double first_trial, Trial& accepted) const {
  Search search(ray, constants_);
  if (!search.run(first_trial)) return unsuccessful(ray);
  accepted = search.accepted();
  ray.accept(accepted);
  return LineSearchOutcome::kAccepted;
}

}  // namespace loa
