#include "algorithm/last_searches.h"

#include <limits>
#include <utility>

#include "algorithm/stopping.h"
#include "algorithm/working_precision.h"
#include "core/bounds.h"
#include "core/first_length.h"

namespace loa {

void LastSearches::measure_noise(CountedObjective& f, const Options& options, State& state) {
  probe_ = kNoiseStep * state.x;
  ray_.start(f, state, probe_, dot(state.grad, probe_, *state.reduction), options.max_evaluations);
  for (int i = 1; i <= kNumNoiseTrials && !ray_.exhausted(); ++i) ray_.evaluate(i);
  note_best_trial(ray_, state);
  state.evidence.noise = noise_of(state.f, ray_.log());
}

LastSearches::Result LastSearches::search(const LineSearch& line_search, CountedObjective& f, const Options& options,
                                          State& state) {
  constexpr double kPartOfX = 0.1;
  const double size = inf_norm(state.x, *state.reduction);
  for (const bool by_size : {false, true}) {
    free_gradient(state, probe_);
    probe_ = -probe_;
    if (by_size) probe_.array() *= (state.x.array() / size).square();
    probe_ *= kPartOfX * first_length(state) / norm(probe_, *state.reduction);
    const double slope = dot(state.grad, probe_, *state.reduction);
    if (!(slope < 0.0)) continue;
    ray_.start(f, state, probe_, slope, options.max_evaluations);
    Trial trial;
    if (!ray_.exhausted()) line_search.search(ray_, 1.0, trial);
    note_best_trial(ray_, state);
    if (lower_point_is_behind(state)) return Result::kLowerPoint;
    if (ray_.exhausted()) return Result::kExhausted;
  }
  return Result::kNothing;
}

bool lower_point_is_behind(const State& state) { return state.best_is_behind && best_is_visibly_lower(state); }

bool go_back(State& state) {
  if (state.best_f == state.evidence.f_returned_to) return false;
  state.x_prev = std::exchange(state.x, state.best_x);
  state.grad_prev = std::exchange(state.grad, state.best_grad);
  state.f_prev = std::exchange(state.f, state.best_f);
  state.direction_prev = state.x - state.x_prev;
  state.step_size = 1.0;
  state.next_scale = 1.0;
  state.sum_of_products = state.num_held = state.free_squares = state.num_arrived =
      std::numeric_limits<double>::quiet_NaN();
  state.best_is_behind = false;
  state.evidence.f_returned_to = state.f;
  state.evidence.round_off = Evidence::kRoundOff;
  state.evidence.iterations_since_restart = 0;
  state.lowest_f = state.f_at_progress = state.f;
  state.iterations_without_progress = 0;
  ++state.iteration;
  ++state.fallbacks.restart;
  return true;
}

}  // namespace loa
