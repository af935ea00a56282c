// family:control, model-predictive control: the forces u_0, ..., u_{n-1} on the cart of a crane, whose load hangs from
// it as a pendulum, each force for h = 0.05 s, from the state in which member k finds the crane. The load has to follow
// a moving target without swinging.
//
//   f(u) = h sum_i [10 (p - target)^2 + 10 (2 - 2 cos t) + 0.1 v^2 + 0.1 w^2 + 0.001 u_i^2]
//          + the same of the last state, without u and h
//
// with (p, t, v, w) the position, the angle of the load and their velocities after i + 1 steps of Runge and Kutta's
// fourth-order method:
//
//   p'' = (u + m sin t (l w^2 + g cos t)) / (M + m sin^2 t),   t'' = -(g sin t + p'' cos t)/l,   M = 1, m = 0.5, l =
//   0.8
//
// The gradient is that of the discrete system, backwards through all stages (synthetic_tape.h). The loop is closed: the
// crane of member k + 1 is where the first force of the minimizer of member k has moved it, and the wind has pushed the
// load: w gets 0.1 N(0, 1) at each step, and N(0, 1) at one of ten. The start is u = 0, from which the minimizers that
// move the crane are found too: the states do not depend on how anybody else solves a member. The start of a user who
// knows the last solution is this solution moved on by a step.
#include <array>
#include <cmath>
#include <vector>

#include "loa/minimize.h"
#include "problem/data_source.h"
#include "problem/families.h"
#include "problem/synthetic.h"

namespace loa {
namespace {

using synthetic::square;

constexpr Index kMembers = 30;
constexpr double kTimeStep = 0.05;
constexpr double kCart = 1.0, kLoad = 0.5, kLength = 0.8, kGravity = 9.81;

template <class T>
using State4 = std::array<T, 4>;  // p, t, v, w

template <class T>
State4<T> slope(const State4<T>& s, const T& u) {
  using std::cos;
  using std::sin;
  const T sine = sin(s[1]), cosine = cos(s[1]);
  const T p = (u + kLoad * sine * (kLength * square(s[3]) + kGravity * cosine)) / (kCart + kLoad * square(sine));
  return {s[2], s[3], p, -(kGravity * sine + p * cosine) / kLength};
}

template <class T>
State4<T> moved(const State4<T>& s, double step, const State4<T>& slope) {
  return {s[0] + step * slope[0], s[1] + step * slope[1], s[2] + step * slope[2], s[3] + step * slope[3]};
}

template <class T>
State4<T> after_step(const State4<T>& s, const T& u) {
  const State4<T> a = slope(s, u), b = slope(moved(s, 0.5 * kTimeStep, a), u),
                  c = slope(moved(s, 0.5 * kTimeStep, b), u);
  const State4<T> d = slope(moved(s, kTimeStep, c), u);
  return moved(moved(moved(moved(s, kTimeStep / 6.0, a), kTimeStep / 3.0, b), kTimeStep / 3.0, c), kTimeStep / 6.0, d);
}

template <class T>
T cost(const State4<T>& s, double target) {
  using std::cos;
  return 10.0 * square(s[0] - target) + 10.0 * (2.0 - 2.0 * cos(s[1])) + 0.1 * square(s[2]) + 0.1 * square(s[3]);
}

class ControlSequence final : public Sequence {
 public:
  ControlSequence(Index n, Random random)
      : n_(n), width_(random.uniform(0.5, 1.5)), rate_(random.uniform(0.5, 1.5)), phase_(random.uniform(0.0, 6.28)) {
    State4<double> s = {target(0), 0.0, 0.0, 0.0};
    for (Index k = 0; k < kMembers; ++k) {
      states_.push_back(s);
      const Problem problem = member(k);
      s = after_step(s, minimize(*problem.objective, problem.start, {.gtol = 1e-6, .max_evaluations = 2000}).x[0]);
      s[3] += (random.uniform() < 0.1 ? 1.0 : 0.1) * random.normal();
    }
  }

  Index size() const override { return kMembers; }

  Problem member(Index k) const override {
    Vector targets(n_);
    for (Index i = 0; i < n_; ++i) targets[i] = target(k + i + 1);
    const auto formula = [n = n_, targets, start = states_[static_cast<std::size_t>(k)]]<class T>(const T* u, T*) {
      State4<T> s = {start[0], start[1], start[2], start[3]};
      T f = 0.0;
      for (Index i = 0; i < n; ++i) {
        s = after_step(s, u[i]);
        f += kTimeStep * (cost(s, targets[i]) + 0.001 * square(u[i]));
      }
      return f + cost(s, targets[n - 1]);
    };
    Problem problem;
    problem.start = Vector::Zero(n_);
    problem.objective = std::make_unique<synthetic::Formula<decltype(formula)>>(n_, 0, formula, problem.start);
    return problem;
  }

  bool moves() const override { return true; }

  Vector next_start(const Vector& solution) const override {
    Vector next(n_);
    for (Index i = 0; i < n_; ++i) next[i] = solution[std::min(i + 1, n_ - 1)];
    return next;
  }

 private:
  double target(Index step) const { return width_ * std::sin(rate_ * kTimeStep * static_cast<double>(step) + phase_); }

  Index n_;
  double width_, rate_, phase_;
  std::vector<State4<double>> states_;
};

}  // namespace

std::unique_ptr<Sequence> make_control_sequence(Spec& spec) {
  return std::make_unique<ControlSequence>(spec.integer("n", 40, 2, 200), make_stream(seed_of(spec), Stream::kData));
}

}  // namespace loa
