// The functions that `tools/bench` minimizes, and the wrappers that watch what a solver asks of them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <vector>

#include "peer.h"

namespace bench {

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// f(x) = 1/2 sum_i c_i x_i^2 with c_i from 1 to kCondition in geometric progression: n multiplications, no solver is
// done within the iterations that are timed, and the first trial step is almost always the accepted one.
class Quadratic final : public Function {
 public:
  static constexpr double kCondition = 1e4;

  explicit Quadratic(std::ptrdiff_t n) : c_(static_cast<std::size_t>(n)) {
    for (std::size_t i = 0; i < c_.size(); ++i)
      c_[i] = std::pow(kCondition, static_cast<double>(i) / std::max(1.0, static_cast<double>(n - 1)));
  }
  std::ptrdiff_t dimension() const override { return static_cast<std::ptrdiff_t>(c_.size()); }

  double value(const double* x) override {
    double sums[kLanes] = {};
    std::size_t i = 0;
    for (; i + kLanes <= c_.size(); i += kLanes)
      for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += c_[i + lane] * x[i + lane] * x[i + lane];
    for (; i < c_.size(); ++i) sums[0] += c_[i] * x[i] * x[i];
    return half(sums);
  }

  double value_and_gradient(const double* x, double* grad) override {
    double sums[kLanes] = {};
    std::size_t i = 0;
    for (; i + kLanes <= c_.size(); i += kLanes)
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const double g = c_[i + lane] * x[i + lane];
        grad[i + lane] = g;
        sums[lane] += g * x[i + lane];
      }
    for (; i < c_.size(); ++i) {
      grad[i] = c_[i] * x[i];
      sums[0] += grad[i] * x[i];
    }
    return half(sums);
  }

 private:
  static constexpr std::size_t kLanes = 8;  // independent sums, so that the loop is one of vectors

  static double half(const double (&sums)[kLanes]) {
    double total = 0.0;
    for (const double sum : sums) total += sum;
    return 0.5 * total;
  }

  std::vector<double> c_;
};

// Counts what is asked and takes the time between the calls: what the solver did since the last one.
class Timed final : public Function {
 public:
  Timed(Function& f, std::size_t expected_calls) : f_(f) {
    gaps_.reserve(expected_calls);
    insides_.reserve(expected_calls);
    last_exit_ = now();
  }
  std::ptrdiff_t dimension() const override { return f_.dimension(); }

  double value(const double* x) override {
    enter();
    const double result = f_.value(x);
    ++values_;
    leave();
    return result;
  }
  double value_and_gradient(const double* x, double* grad) override {
    enter();
    const double result = f_.value_and_gradient(x, grad);
    ++values_;
    ++gradients_;
    leave();
    return result;
  }
  void gradient(const double* x, double* grad) override {
    enter();
    f_.gradient(x, grad);
    ++gradients_;
    leave();
  }

  // Seconds before each call.
  std::vector<double>& gaps() { return gaps_; }
  // Seconds inside of f, for each call.
  std::vector<double>& insides() { return insides_; }
  // Points at which something was asked: a solver that asks for f and the gradient apart asks twice at one point.
  std::int64_t evaluations() const { return std::max(values_, gradients_); }

 private:
  void enter() {
    last_entry_ = now();
    gaps_.push_back(last_entry_ - last_exit_);
  }
  void leave() {
    last_exit_ = now();
    insides_.push_back(last_exit_ - last_entry_);
  }

  Function& f_;
  double last_entry_ = 0.0, last_exit_ = 0.0;
  std::vector<double> gaps_, insides_;
  std::int64_t values_ = 0, gradients_ = 0;
};

// Notes the first point asked for at which ||g||_inf <= gtol: one test of convergence for every solver.
class Watched final : public Function {
 public:
  Watched(Function& f, double gtol) : f_(f), gtol_(gtol) {}
  std::ptrdiff_t dimension() const override { return f_.dimension(); }

  double value(const double* x) override {
    ++values_;
    return f_.value(x);
  }
  double value_and_gradient(const double* x, double* grad) override {
    ++values_;
    return watch(x, grad);
  }
  void gradient(const double* x, double* grad) override { watch(x, grad); }

  bool solved() const { return solved_at_ > 0; }
  std::int64_t evaluations() const { return solved_at_; }
  double f() const { return value_; }

 private:
  double watch(const double* x, double* grad) {
    ++gradients_;
    const double value = f_.value_and_gradient(x, grad);
    if (solved()) return value;
    const bool small = std::all_of(grad, grad + dimension(), [this](double g) { return std::abs(g) <= gtol_; });
    if (small && std::isfinite(value)) {
      solved_at_ = std::max(values_, gradients_);
      value_ = value;
    }
    return value;
  }

  Function& f_;
  double gtol_;
  double value_ = 0.0;
  std::int64_t solved_at_ = 0;  // 0: not yet
  std::int64_t values_ = 0, gradients_ = 0;
};

}  // namespace bench
