#include <algorithm>
#include <bit>
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
namespace {

// Of Ray: how much shorter a trial has to be, and what part of the error it keeps where f is noisy.
constexpr double kShorter = 0.2, kSameError = 0.3;

}  // namespace

void Ray::start(CountedObjective& f, const State& state, const Vector& direction, double slope,
                std::int64_t max_evaluations) {
  objective_ = &f;
  state_ = &state;
  direction_ = &direction;
  f0_ = state.f;
  round_off_ = state.evidence.round_off;
  slope0_ = slope;
  max_evaluations_ = max_evaluations;
  trial_limit_ = std::numeric_limits<std::int64_t>::max();
  met_minus_infinity_ = left_range_ = measures_products_ = false;
  num_logged_ = num_rises_ = 0;
  beyond_ = Trial{};
  best_ = accepted_ = 0;
  for (Slot& slot : slots_) {
    slot.trial = Trial{};
    resize_large(slot.grad, state.x.size());
    if (state.bounds != nullptr) resize(slot.held, state.x.size());
  }
  resize_large(x_, state.x.size());
  if (state.bounds != nullptr) arrived_.resize(static_cast<std::size_t>((state.x.size() + 7) / 8));
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
    x_step_ = step;
    return make_point(step, x_, arrived_);
  }
  // 0 times a number is 0 when that number is finite and NaN otherwise.
  const auto zeros = summing_pass<1>(x_.size(), [&](const Block& block, std::array<double, 1>& sum) {
    combine(block.size, {{1.0, block.at(state_->x)}, {step, block.at(*direction_)}}, block.at(x_));
    sum[0] += 0.0 * kernels().max_abs(block.at(x_), block.size);
  });
  x_step_ = step;
  return zeros[0];
}

double Ray::make_point(double step, Vector& x, std::vector<unsigned char>& arrived) const {
  const auto zeros = summing_pass<1>(x.size(), [&](const Block& block, std::array<double, 1>& sum) {
    sum[0] += kernels().bend(state_->bounds->at(state_->x, block.first), block.at(*direction_), step, block.size,
                             block.at(x), &arrived[static_cast<std::size_t>(block.first / 8)]);
  });
  return zeros[0];
}

double Ray::slope(const Vector& grad) const {
  if (state_->bounds == nullptr) return dot(grad, *direction_);
  const double result = summing_pass<1>(x_.size(), [&](const Block& block, std::array<double, 1>& sum) {
    sum[0] += kernels().product_outside(block.at(*direction_), block.at(grad),
                                        &arrived_[static_cast<std::size_t>(block.first / 8)], block.size);
  })[0];
  return std::isfinite(result) ? result : slope_of_infinite(grad);
}

// An infinite slope is none unless a bound holds it: NaN.
double Ray::slope_of_infinite(const Vector& grad) const {
  double result = 0.0;
  for (Index i = 0; i < x_.size(); ++i) {
    const double p = (*direction_)(i);
    const bool arrived = arrived_[static_cast<std::size_t>(i / 8)] >> (i % 8) & 1;
    if ((arrived || p == 0.0) && state_->bounds->holds(i, x_(i), grad(i))) continue;
    result += arrived ? 0.0 * grad(i) : p * grad(i);
  }
  return result;
}

double Ray::chord(double step, const Vector& grad) const {
  return summing_pass<1>(x_.size(), [&](const Block& block, std::array<double, 1>& sum) {
    for (Index i = block.first; i < block.last(); ++i) {
      const bool has_arrived = arrived_[static_cast<std::size_t>(i / 8)] >> (i % 8) & 1;
      const double way = has_arrived ? x_(i) - state_->x(i) : step * (*direction_)(i);  // without the rounding of x_i
      sum[0] += way * (state_->grad(i) + grad(i));
    }
  })[0];
}

double Ray::reach(const Trial& latest) {
  if (state_->bounds == nullptr) return latest.step;
  if (x_step_ != latest.step) go_to(latest.step);
  double change = summing_pass<1>(x_.size(), [&](const Block& block, std::array<double, 1>& sum) {
    for (Index i = block.first; i < block.last(); ++i) {
      const double way = x_(i) - state_->x(i);
      if (way != 0.0) sum[0] += way * state_->grad(i);
    }
  })[0];
  state_->reduction->sum({&change, 1});
  return change / slope0_;
}

bool Ray::decreases(const Trial& latest, double c1) {
  if (latest.phi <= c1 * latest.step * slope0_) return true;
  return state_->bounds != nullptr && latest.phi < 0.0 && latest.phi <= c1 * reach(latest) * slope0_;
}

// What has not arrived has the slopes along the ray; the others are few and counted one by one.
Ray::Chord Ray::accepted_chord(const Trial& trial, double length) const {
  if (state_->bounds == nullptr) return {(trial.slope - slope0_) / trial.step / length / length, 0.0};
  const Vector& grad = slots_[accepted_].grad;
  auto sums = summing_pass<5>(x_.size(), [&](const Block& block, std::array<double, 5>& sum) {
    for (Index first = block.first; first < block.last(); first += 8)
      for (unsigned left = arrived_[static_cast<std::size_t>(first / 8)]; left != 0; left &= left - 1) {
        const Index i = first + std::countr_zero(left);
        const double p = (*direction_)(i), way = x_(i) - state_->x(i);
        sum[0] += p * state_->grad(i);
        sum[1] += p * p;
        sum[2] += way * (grad(i) - state_->grad(i));
        sum[3] += way * way;
        sum[4] += way != 0.0;
      }
  });
  state_->reduction->sum(sums);
  const double rise = trial.step * (trial.slope - (slope0_ - sums[0])) + sums[2];
  const double squares = trial.step * trial.step * std::max(length * length - sums[1], 0.0) + sums[3];
  return {rise > 0.0 ? rise / squares : std::numeric_limits<double>::quiet_NaN(), sums[4]};
}

void Ray::judge_point(Slot& slot) const {
  if (state_->bounds == nullptr) {
    slot.grad_inf_norm = inf_norm(slot.grad);
    return;
  }
  const Judgement found = judge(*state_->bounds, x_, slot.grad, slot.held);
  slot.grad_inf_norm = found.grad_inf_norm;
  slot.num_held = found.num_held;
  slot.free_squares = found.free_squares;
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
  slot.num_held = slot.free_squares = slot.products;
  const double zero = go_to(step);
  double chord_of_slices = 0.0;
  if (state_->reduction->is_distributed()) {
    chord_of_slices = ask_together(zero, slot, local);
  } else if (zero == 0.0) {
    trial.f = objective_->value_and_gradient(x_, slot.grad);
    trial.slope = slope(slot.grad);
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
  const bool is_contradicted = trial.phi > 0.0 && trial.slope < 0.0;  // f rises, and its slopes fall
  if (is_contradicted || std::abs(trial.phi) <= round_off_ * std::abs(f0_)) {
    double by_slopes = 0.5 * step * (slope0_ + trial.slope);
    if (state_->bounds != nullptr)
      by_slopes = 0.5 * (state_->reduction->is_distributed() ? chord_of_slices : chord(step, slot.grad));
    if (is_contradicted) note_rise(step, trial.phi - by_slopes);
    const double round_off = round_off_ * std::abs(f0_);
    if (std::abs(trial.phi) <= round_off && trial.f <= state_->lowest_f + round_off) trial.phi = by_slopes;
  }
  if (!best().finite || trial.f < best().f || (trial.f == best().f && trial.phi < best().phi)) best_ = latest;
  if (num_logged_ < log_.size()) log_[num_logged_++] = trial;
  return trial;
}

// The noise that two trials show raises round_off_. Slopes by differences of f have its noise themselves, and say
// nothing about it.
void Ray::note_rise(double step, double error) {
  if (!state_->reduction->is_distributed() && objective_->gradient_error() != nullptr) return;
  const Rise rise{step, error};
  for (const Rise& other : std::span(rises_).first(num_rises_)) {
    const auto [shorter, longer] = rise.step < other.step ? std::pair(rise, other) : std::pair(other, rise);
    if (!(shorter.step <= kShorter * longer.step && shorter.error >= kSameError * longer.error)) continue;
    const double noise = std::max(shorter.error, longer.error) / std::abs(f0_);
    if (noise <= Evidence::kLargestNoise) round_off_ = std::max(round_off_, Evidence::kNoiseMargin * noise);
  }
  if (num_rises_ < rises_.size()) rises_[num_rises_++] = rise;
}

// All processes ask f at the same step, even those whose slice of x is not finite, and agree on what they saw: one
// all-reduce of the slope, of what is left to know about the direction, of what the oracle will ask for at this point,
// and of f, which is NaN if it is NaN anywhere. Returns the sum of the slopes of the chord, with bounds.
double Ray::ask_together(double zero, Slot& slot, Step* local) {
  Trial& trial = slot.trial;
  PendingException exception;
  exception.guard(*state_->reduction, [&] { trial.f = objective_->value_and_gradient(x_, slot.grad); });
  const bool has_bounds = state_->bounds != nullptr;
  sums_.assign({slope(slot.grad), zero});
  const bool has_local = local != nullptr && local->is_local;
  if (has_local) sums_.insert(sums_.end(), local->local_sums.begin(), local->local_sums.end());
  const std::size_t at_squares = sums_.size();
  if (measures_grad_norm_) sums_.push_back(dot(slot.grad, slot.grad));
  const std::size_t at_products = sums_.size();
  if (measures_products_) sums_.push_back(loa::sum_of_products(x_, slot.grad));
  const std::size_t at_chord = sums_.size();
  judge_point(slot);
  if (has_bounds) sums_.insert(sums_.end(), {chord(trial.step, slot.grad), slot.num_held, slot.free_squares});
  const std::size_t num_own = sums_.size();
  const std::span<double> others = companion_ ? companion_(x_, slot.grad) : std::span<double>();
  companion_step_ = others.empty() ? std::numeric_limits<double>::quiet_NaN() : trial.step;
  sums_.insert(sums_.end(), others.begin(), others.end());
  std::array<double, 3> maxima = {trial.f, slot.grad_inf_norm, exception.flag()};
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
  if (!has_bounds) return 0.0;
  slot.num_held = sums_[at_chord + 1];
  slot.free_squares = sums_[at_chord + 2];
  return sums_[at_chord];
}

double Ray::grad_inf_norm() {
  Slot& slot = slots_[accepted_];
  if (std::isnan(slot.grad_inf_norm)) {
    judge_point(slot);  // x_ is the accepted point
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
  if (state_->bounds != nullptr) {
    std::vector<unsigned char> arrived(arrived_.size());
    make_point(lowest().step, x, arrived);
    return;
  }
  pass(x.size(), [&](const Block& block) {
    combine(block.size, {{1.0, block.at(state_->x)}, {lowest().step, block.at(*direction_)}}, block.at(x));
  });
}

}  // namespace loa
