#include <algorithm>
#include <cmath>
#include <utility>

#include "core/bounds.h"
#include "core/collective.h"
#include "core/measured_step.h"
#include "core/sum_of_products.h"
#include "linalg/combine.h"
#include "linalg/large_vector.h"
#include "linalg/pass.h"
#include "linalg/safe_square.h"
#include "loa/line_search.h"

namespace loa {

void Ray::start(CountedObjective& f, const State& state, const Vector& direction, double slope,
                std::int64_t max_evaluations) {
  objective_ = &f;
  state_ = &state;
  direction_ = &direction;
  f0_ = state.f;
  slope0_ = slope;
  max_evaluations_ = max_evaluations;
  trial_limit_ = std::numeric_limits<std::int64_t>::max();
  met_minus_infinity_ = left_range_ = measures_products_ = false;
  num_logged_ = 0;
  beyond_ = Trial{};
  best_ = accepted_ = 0;
  for (Slot& slot : slots_) {
    slot.trial = Trial{};
    resize_large(slot.grad, state.x.size());
  }
  resize_large(x_, state.x.size());
  x_step_ = std::numeric_limits<double>::quiet_NaN();
  first_ = Trial{.step = x_step_};
  companion_step_ = x_step_;
}

bool Ray::exhausted() const {
  return std::isnan(first_.step) && objective_->count().value >= std::min(max_evaluations_, trial_limit_);
}

void Ray::limit_trials(std::int64_t trials) {
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  const std::int64_t made = objective_->count().value;
  trial_limit_ = trials < kNone - made ? made + trials : kNone;
}

bool Ray::met_minus_infinity() const { return met_minus_infinity_; }

bool Ray::left_range() const { return left_range_; }

double Ray::go_to(double step) {
  if (state_->bounds != nullptr) {
    make_point(step, x_);
    x_step_ = step;
    return 0.0 * inf_norm(x_);
  }
  // 0 times a number is 0 when that number is finite and NaN otherwise.
  const auto zeros = summing_pass<1>(x_.size(), [&](const Block& block, std::array<double, 1>& sum) {
    combine(block.size, {{1.0, block.at(state_->x)}, {step, block.at(*direction_)}}, block.at(x_));
    sum[0] += 0.0 * kernels().max_abs(block.at(x_), block.size);
  });
  x_step_ = step;
  return zeros[0];
}

void Ray::make_point(double step, Vector& x) const {
  pass(x.size(), [&](const Block& block) {
    for (Index i = block.first; i < block.last(); ++i)
      x(i) = state_->bounds->along(i, state_->x(i), step, (*direction_)(i));
  });
}

Ray::Slopes Ray::slopes(double step, const Vector& grad) const {
  if (state_->bounds == nullptr) {
    const double slope = dot(grad, *direction_);
    return {slope, step * slope0_, step * slope};
  }
  return summing_pass<3>(x_.size(), [&](const Block& block, Slopes& sum) {
    for (Index i = block.first; i < block.last(); ++i) {
      const double p = (*direction_)(i);
      const bool has_arrived = p < 0.0 ? x_(i) <= state_->bounds->lower(i) : x_(i) >= state_->bounds->upper(i);
      const double way = has_arrived ? x_(i) - state_->x(i) : step * p;  // without the rounding of x_i
      // An infinite slope is none unless a bound holds it: NaN.
      const bool counts = has_arrived || p == 0.0 ? !state_->bounds->holds(i, x_(i), grad(i)) : true;
      if (counts) sum[0] += has_arrived ? 0.0 * grad(i) : p * grad(i);
      if (way == 0.0) continue;
      sum[1] += way * state_->grad(i);
      sum[2] += way * grad(i);
    }
  });
}

Trial Ray::evaluate(double step) {
  if (first_.step != step) return evaluate(step, nullptr);
  return std::exchange(first_, Trial{.step = std::numeric_limits<double>::quiet_NaN()});
}

void Ray::begin(double first_trial, Step& step) {
  first_ = evaluate(first_trial, &step);
  first_.step = first_trial;
}

Trial Ray::evaluate(double step, Step* local) {
  const int latest = best().finite ? 1 - best_ : best_;  // never overwrite the best point
  Slot& slot = slots_[latest];
  Trial& trial = slot.trial;
  trial = Trial{.step = step};
  slot.grad_inf_norm = slot.grad_squares = slot.products = std::numeric_limits<double>::quiet_NaN();
  const double zero = go_to(step);
  double chord = std::numeric_limits<double>::quiet_NaN();  // twice phi by the trapezoidal rule
  if (state_->reduction->is_distributed()) {
    chord = ask_together(zero, slot, local);
  } else if (zero == 0.0) {
    trial.f = objective_->value_and_gradient(x_, slot.grad);
    const Slopes found = slopes(step, slot.grad);
    trial.slope = found[0];
    if (state_->bounds != nullptr) chord = found[1] + found[2];
  } else {
    left_range_ = true;
  }
  trial.finite = std::isfinite(trial.f) && std::isfinite(trial.slope);
  if (trial.f == -std::numeric_limits<double>::infinity()) met_minus_infinity_ = true;
  if (!trial.finite) {
    if (trial.f < f0_ && std::isfinite(trial.f) && !(trial.f >= beyond_.f) &&
        std::isfinite(inf_norm(slot.grad, *state_->reduction))) {
      beyond_ = trial;
      beyond_grad_ = slot.grad;
    }
    return trial;
  }

  trial.phi = trial.f - f0_;
  const double round_off = kRoundOff * std::abs(f0_);
  if (std::abs(trial.phi) <= round_off && trial.f <= state_->lowest_f + round_off)
    trial.phi = state_->bounds != nullptr ? 0.5 * chord : 0.5 * step * (slope0_ + trial.slope);
  if (!best().finite || trial.f < best().f || (trial.f == best().f && trial.phi < best().phi)) best_ = latest;
  if (num_logged_ < log_.size()) log_[num_logged_++] = trial;
  return trial;
}

// All processes ask f at the same step, even those whose slice of x is not finite, and agree on what they saw: one
// all-reduce of the slope, of what is left to know about the direction, of what the oracle will ask for at this point,
// and of f, which is NaN if it is NaN anywhere. Returns the sum of the slopes of the chord, with bounds.
double Ray::ask_together(double zero, Slot& slot, Step* local) {
  Trial& trial = slot.trial;
  PendingException exception;
  exception.guard(*state_->reduction, [&] { trial.f = objective_->value_and_gradient(x_, slot.grad); });
  const bool has_bounds = state_->bounds != nullptr;
  const Slopes found = has_bounds ? slopes(trial.step, slot.grad) : Slopes{dot(slot.grad, *direction_)};
  sums_.assign({found[0], zero});
  const bool has_local = local != nullptr && local->is_local;
  if (has_local) sums_.insert(sums_.end(), local->local_sums.begin(), local->local_sums.end());
  const std::size_t at_squares = sums_.size();
  if (measures_grad_norm_) sums_.push_back(dot(slot.grad, slot.grad));
  const std::size_t at_products = sums_.size();
  if (measures_products_) sums_.push_back(loa::sum_of_products(x_, slot.grad));
  const std::size_t at_chord = sums_.size();
  if (has_bounds) sums_.push_back(found[1] + found[2]);
  const std::size_t num_own = sums_.size();
  const std::span<double> others = companion_ ? companion_(x_, slot.grad) : std::span<double>();
  companion_step_ = others.empty() ? std::numeric_limits<double>::quiet_NaN() : trial.step;
  sums_.insert(sums_.end(), others.begin(), others.end());
  std::array<double, 3> maxima = {trial.f, projected_inf_norm(state_->bounds, x_, slot.grad), exception.flag()};
  state_->reduction->reduce(sums_, maxima);
  exception.raise(maxima[2]);
  std::copy_n(sums_.begin() + static_cast<std::ptrdiff_t>(num_own), others.size(), others.begin());
  if (has_local) {
    set_measures({sums_[2], sums_[3], sums_[4]}, state_->grad, *state_->reduction, *local);
    slope0_ = local->slope;
  }
  left_range_ = left_range_ || sums_[1] != 0.0;
  trial.f = sums_[1] != 0.0 ? std::numeric_limits<double>::quiet_NaN() : maxima[0];
  trial.slope = sums_[0];
  slot.grad_inf_norm = maxima[1];
  if (measures_grad_norm_) slot.grad_squares = sums_[at_squares];
  if (measures_products_) slot.products = sums_[at_products];
  return has_bounds ? sums_[at_chord] : 0.0;
}

double Ray::grad_inf_norm() {
  Slot& slot = slots_[accepted_];
  if (std::isnan(slot.grad_inf_norm)) {
    slot.grad_inf_norm = projected_inf_norm(state_->bounds, x_, slot.grad);  // x_ is the accepted point
    state_->reduction->max(slot.grad_inf_norm);
  }
  return slot.grad_inf_norm;
}

double Ray::grad_norm() const {
  const Slot& slot = slots_[accepted_];
  return is_safe_square(slot.grad_squares) ? std::sqrt(slot.grad_squares) : norm(slot.grad, *state_->reduction);
}

bool Ray::curvature(double& value) {
  hessian_direction_.resize(direction_->size());
  if (!objective_->hessian_vector(state_->x, *direction_, hessian_direction_)) return false;
  value = dot(*direction_, hessian_direction_, *state_->reduction);
  return true;
}

void Ray::accept(const Trial& trial) {
  for (int i = 0; i < 2; ++i) {
    if (slots_[i].trial.step == trial.step && slots_[i].trial.finite) {
      accepted_ = i;
      if (x_step_ != trial.step) go_to(trial.step);
      return;
    }
  }
  evaluate(trial.step);
  accepted_ = slots_[0].trial.step == trial.step ? 0 : 1;
}

void Ray::copy_lowest(Vector& x, Vector& grad) const {
  resize_large(x, state_->x.size());
  grad = &lowest() == &beyond_ ? beyond_grad_ : slots_[best_].grad;
  if (state_->bounds != nullptr) return make_point(lowest().step, x);
  pass(x.size(), [&](const Block& block) {
    combine(block.size, {{1.0, block.at(state_->x)}, {lowest().step, block.at(*direction_)}}, block.at(x));
  });
}

}  // namespace loa
