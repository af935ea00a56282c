// synthetic:FAMILY,seed=S[,n=N], random smooth functions to train optimizers on and to try them out.
//
//   f(x) = c phi(M (x - shift)),   M = S_2 Q S_1,   grad f = c M^T grad phi
//
// A family draws phi, its center and its reach; the frame (synthetic.cc) draws the rest. A family is written once, as a
// formula over any scalar type; the gradient comes from a Tape (synthetic_tape.h).
//
// None of the named test functions of the literature is here: those are for testing what was trained on these.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "loa/objective.h"
#include "loa/random.h"
#include "problem/synthetic_tape.h"

namespace loa {

// The random-expression templates are synthetic:expression-0 to synthetic:expression-(kNumExpressionTemplates - 1).
inline constexpr Index kNumExpressionTemplates = 256;

// The names of the other families, in the order of the list, without the prefix `synthetic:`.
const std::vector<std::string>& synthetic_families();

// The n that a family or a template has, by its name without the prefix. REQUIRES: the name exists.
struct SyntheticRange {
  Index low, high;
};
SyntheticRange synthetic_range(const std::string& name);

namespace synthetic {

// phi with a point about which to start: the start is near center + reach * N(0, I), nearer where phi is not finite.
struct Draft {
  std::unique_ptr<Objective> phi;
  Vector center;
  double reach = 1.0;
};

struct Family {
  const char* name;
  const char* description;
  Index low, high;  // of n. A drawn n is at most 200.
  Draft (*make)(Index n, Random& random);
};

// All but the expressions, in the order of the list.
const std::vector<Family>& families();

// The families by kind, one file each.
const std::vector<Family>& quadratic_families();
const std::vector<Family>& likelihood_families();
const std::vector<Family>& robust_families();
const std::vector<Family>& fit_families();
const std::vector<Family>& valley_families();
const std::vector<Family>& factor_families();
const std::vector<Family>& network_families();
const std::vector<Family>& geometry_families();
const std::vector<Family>& variational_families();
const std::vector<Family>& penalty_families();
const std::vector<Family>& statistics_families();

// Template `number` draws the structure, `random` the instance. n from 2 to 1000.
Draft make_expression(Index number, Index n, Random& random);

// f and its gradient from a formula
//
//   template <class T> T operator()(const T* z, T* work) const;   // z has length n; work is scratch
//
// No call allocates after the first gradient, which the constructor asks for.
template <class F>
class Formula final : public Objective {
 public:
  Formula(Index n, Index num_work, F formula, const Vector& somewhere)
      : n_(n), formula_(std::move(formula)), inputs_(size(n)), work_(size(num_work)), plain_work_(size(num_work)) {
    Vector grad(n);
    value_and_gradient(somewhere, grad);
  }

  Index dimension() const override { return n_; }

  double value(const Vector& x) override { return formula_(x.data(), plain_work_.data()); }

  double value_and_gradient(const Vector& x, Vector& grad) override {
    tape_.begin(x.data(), n_, inputs_.data());
    const Var f = formula_(static_cast<const Var*>(inputs_.data()), work_.data());
    tape_.gradient(f, n_, grad.data());
    return f.a;
  }

 private:
  static std::size_t size(Index n) { return static_cast<std::size_t>(n); }

  Index n_;
  F formula_;
  Tape tape_;
  std::vector<Var> inputs_, work_;
  std::vector<double> plain_work_;
};

template <class F>
Draft draft(const Vector& center, double reach, F formula, Index num_work = 0) {
  return {.phi = std::make_unique<Formula<F>>(center.size(), num_work, std::move(formula), center),
          .center = center,
          .reach = reach};
}

}  // namespace synthetic
}  // namespace loa
