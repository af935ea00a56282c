// Algorithm 1 (algo::GenL2O), the only loop. Every algorithm of the library, learned or classical, is a choice of the
// four parts that this file calls.
#include "loa/algorithm.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "algorithm/bounded_step.h"
#include "algorithm/descent_inequality.h"
#include "algorithm/last_searches.h"
#include "algorithm/refinement.h"
#include "algorithm/run_since.h"
#include "algorithm/safeguard.h"
#include "algorithm/spectrum_guard.h"
#include "algorithm/stopping.h"
#include "algorithm/warm_step.h"
#include "algorithm/working_precision.h"
#include "core/bounds.h"
#include "core/collective.h"
#include "core/measured_step.h"
#include "linalg/large_vector.h"
#include "line_search/weak_wolfe.h"
#include "loa/progress.h"

namespace loa {
namespace {

std::shared_ptr<const LineSearch> second_search_for(const LineSearch& line_search) {
  const auto* const weak_wolfe = dynamic_cast<const WeakWolfe*>(&line_search);
  if (weak_wolfe == nullptr || !weak_wolfe->options().has_second) return nullptr;
  return make_line_search("hager-zhang", weak_wolfe->constants());
}

class Loop {
 public:
  Loop(const Algorithm& algorithm, CountedObjective& f, State state, const Options& options, const Clock& clock)
      : algorithm_(algorithm),
        f_(f),
        options_(options),
        clock_(clock),
        line_search_(line_search_for(algorithm, options)),
        second_search_(second_search_for(*line_search_)),
        state_(std::move(state)),
        grad_inf_norm_(inf_norm_of_gradient()) {
    input_.reduction = state_.reduction;
    meet_others();
    refine_as_before(f_, state_);
    resize_large(prediction_.y, state_.dimension());
    // Searches that descend seldom leave a better point behind: room for it is made when they do.
    if (!state_.best_is_behind && !line_search_->needs_descent())
      for (Vector* buffer : {&state_.best_x, &state_.best_grad}) buffer->resize(state_.dimension());
  }

  Summary run() {
    while (keep_going()) {
      algorithm_.oracle->observe(f_, state_, input_);    // I_k <- C(f, x_k, S_k)           construct input
      algorithm_.model->predict(input_, prediction_);    // y_k <- M_theta(I_k)             model prediction
      update();                                          // U(I_k, y_k, Gamma)              the unit step
      if (!search()) continue;                           //                                 how much of it to take
      algorithm_.storage->store(input_, step_, state_);  // S_{k+1} <- S(S_k, x_k, I_k, y_k)
      move();                                            // x_{k+1} <- x_k + step_size U
    }
    return summary();
  }

 private:
  // Asks the other processes of a distributed run, once, for n and whether one of them may end the run.
  void meet_others() {
    if (!state_.reduction->is_distributed()) return;
    double n = static_cast<double>(state_.dimension());
    const bool answers_alone = options_.observer && options_.observer_answers == ObserverAnswers::kMayDiffer;
    const bool may_end = answers_alone || std::isfinite(options_.max_seconds);
    std::array<double, 2> maxima = {may_end ? 1.0 : 0.0, options_.observer ? 1.0 : 0.0};
    state_.reduction->reduce({&n, 1}, maxima);
    state_.dimension_of_all = static_cast<Index>(n);
    others_may_end_ = maxima[0] > 0.0;
    is_observed_ = maxima[1] > 0.0;
    if (is_observed_) {
      grad_norm_ = free_gradient_norm(state_);
      ray_.measure_grad_norm();
    }
    ray_.set_companion([this](const Vector& x, const Vector& grad) { return look_ahead(x, grad); });
  }

  // What C will have to sum if the trial becomes x_{k+1}. After a step without an update of B it is another B.
  std::span<double> look_ahead(const Vector& x, const Vector& grad) {
    input_.ahead.sums.clear();
    if (step_.kind == UpdateKind::kModel || step_.kind == UpdateKind::kSecantStep)
      algorithm_.oracle->look_ahead(state_, x, grad, input_);
    return input_.ahead.sums;
  }

  // Reports x_k and says whether there is another iteration.
  bool keep_going() {
    if (status_ != Status::kRunning) return false;  // the search has ended the run
    state_.evaluations = f_.count();
    if (!repeats_) report();
    repeats_ = false;
    if (status_ == Status::kRunning) status_ = state_.ended;
    if (status_ == Status::kRunning) status_ = test_convergence(state_, grad_inf_norm_, options_);
    if (error_hides_tolerance(f_, status_, options_, state_) && refine_gradients())
      status_ = test_convergence(state_, grad_inf_norm_, options_);
    if (guarded() && error_hides_tolerance(f_, status_, options_, state_)) status_ = Status::kRunning;
    if (is_success(status_) && guarded() && lower_point_is_behind(state_)) pass_lower_point();
    state_.evaluations = f_.count();  // with those of a refinement and of noise: a run resumed from here has made them
    if (status_ == Status::kRunning) status_ = test_limits(state_, seconds_, options_);
    return status_ == Status::kRunning;
  }

  void report() {
    seconds_ = clock_.seconds();
    if (options_.keep_trace)
      trace_.push_back(
          {state_.iteration, state_.f, grad_inf_norm_, state_.step_size, state_.evaluations.value, seconds_});
    bool stops = false;
    if (options_.observer && !is_observed_) grad_norm_ = free_gradient_norm(state_);
    if (options_.progress) show_line();
    PendingException exception;
    if (options_.observer) exception.guard(*state_.reduction, [&] { stops = !observer_goes_on(); });
    if (others_may_end_) {  // together
      std::array<double, 3> maxima = {stops ? 1.0 : 0.0, seconds_ < options_.max_seconds ? 0.0 : 1.0, exception.flag()};
      state_.reduction->reduce({}, maxima);
      exception.raise(maxima[2]);
      stops = maxima[0] > 0.0;
      if (maxima[1] > 0.0) seconds_ = std::numeric_limits<double>::infinity();
    }
    if (stops) status_ = Status::kStoppedByObserver;
  }

  Progress progress() const {
    return {state_.iteration, state_.x,           state_.f,         state_.grad, grad_inf_norm_, grad_norm_,
            state_.step_size, state_.evaluations, state_.fallbacks, seconds_,    state_};
  }

  bool observer_goes_on() { return options_.observer(progress()) == Continue::kYes; }

  void show_line() {
    if (!has_heading_) options_.progress(ProgressLines::heading());
    has_heading_ = true;
    options_.progress(progress_lines_.line(progress()));
  }

  void update() {
    const Guard guard{options_.safeguard, guards_spectrum() ? &spectrum_guard_ : nullptr,
                      line_search_->needs_descent()};
    if (input_.is_pair_alone)
      bounded_step_.choose(algorithm_, input_, state_, prediction_, step_);
    else
      choose_direction(algorithm_, input_, guard, state_, prediction_, step_);
    if (misleads(input_, state_)) {
      restart(algorithm_, input_, state_, step_);
      ++step_.fallbacks.warm;
    }
    if (state_.bounds != nullptr) bounded_step_.bend(input_, state_, step_);
    step_.hidden.swap(prediction_.hidden);
  }

  // Finds the step-size, leaving the new point in ray_. After a failure of both searches the state is reset and -g is
  // tried once.
  bool search() {
    const Evidence evidence = state_.evidence;
    // The verdict on idle iterations needs the slope now, and so does a search that begins in its own way.
    if (state_.iterations_without_progress >= max_idle_iterations(state_.whole_dimension()) ||
        !line_search_->begins_at_first_trial())
      settle(state_.grad, *state_.reduction, step_);
    if (is_uphill()) return repeat_refined() ? false : stop(flat_status());
    if (!step_.is_local && error_hides_promise(f_, -0.5 * step_.slope, state_) && repeat_refined()) return false;
    if (guarded()) {
      note_promise_of_direction();
      if (begins_to_idle(state_)) measure_noise();
      const Status status = test_progress(state_);
      if (status != Status::kRunning && repeat_refined()) return false;
      if (status == Status::kConvergedToWorkingPrecision) return conclude();
      if (status != Status::kRunning) return stop(status);
    }
    failed_searches_.clear();
    for (bool retried = false;; retried = true) {
      switch (search_along_direction()) {
        case LineSearchOutcome::kAccepted:
          return true;
        case LineSearchOutcome::kUnbounded:
          note_best_trial(ray_, state_);
          return stop(Status::kObjectiveIsUnbounded);
        case LineSearchOutcome::kExhausted:
          // The state stays at x_k, so that a resumed run repeats the whole iteration.
          note_best_trial(ray_, state_);
          state_.evidence = evidence;
          status_ = Status::kEvaluationLimitReached;
          return false;
        case LineSearchOutcome::kFailed:
          break;
      }
      if (falls_out_of_range()) {
        note_best_trial(ray_, state_);
        return stop(Status::kObjectiveIsUnbounded);
      }
      if (!line_search_->needs_descent()) return stop(Status::kObjectiveBecameNotFinite);
      if (repeat_refined()) return false;
      if (accept_lowest()) return true;
      note_best_trial(ray_, state_);
      if (!retried) measure_noise();
      failed_searches_.add(ray_.log(), ray_.f0(), ray_.slope0(), knows_curvature(), state_,
                           shortest_visible_step(step_.direction, state_));
      if (retried || step_.kind == UpdateKind::kRestart || options_.safeguard == Safeguard::kOff)
        return failed_searches_.at_working_precision(state_) ? conclude() : stop(Status::kLineSearchFailed);
      restart(algorithm_, input_, state_, step_);
      if (state_.bounds != nullptr) bounded_step_.bend(input_, state_, step_);
      if (is_uphill()) return stop(flat_status());
    }
  }

  LineSearchOutcome search_along_direction() {
    ray_.start(f_, state_, step_.direction, step_.slope, options_.max_evaluations);
    ray_.measure_products(comes_close(last_promise_, state_));
    if (step_.is_local) {
      if (ray_.exhausted()) return LineSearchOutcome::kExhausted;
      ray_.begin(first_trial(), step_);
      if (guarded()) note_promise_of_direction();
      if (is_uphill()) return LineSearchOutcome::kFailed;  // rounding: the inner products had said otherwise
    }
    LineSearchOutcome outcome = line_search_->search(ray_, first_trial(), trial_);
    if (outcome == LineSearchOutcome::kFailed && may_search_again()) outcome = search_again();
    state_.evidence.round_off = ray_.round_off();
    return outcome;
  }

  // Whether another search along the same direction comes before a restart: the own search is one that saves trials,
  // and it has found no lower point although the slope promises a visible decrease as far as the shortest trial.
  // With that promise 38 of 374 second searches succeeded in 4320 fits from far starts, at no cost in those that were
  // solved; without it 65 of 874, at 0.3 % of the evaluations of all.
  bool may_search_again() const {
    const bool found = ray_.best().finite && ray_.best().f < state_.f;
    return second_search_ != nullptr && guarded() && !is_refinable(f_, options_, state_) && !found &&
           !ray_.left_range() && !ray_.log().empty() && -ray_.slope0() * shortest_trial() > resolution(state_);
  }

  // The second search begins at the shortest trial: all longer ones were too long.
  LineSearchOutcome search_again() {
    ++step_.fallbacks.search;
    return second_search_->search(ray_, shortest_trial(), trial_);
  }

  // REQUIRES: the log of the ray has one.
  double shortest_trial() const {
    return std::ranges::min(ray_.log(), {}, [](const Trial& trial) { return trial.step; }).step;
  }

  // Whether the search cannot begin.
  bool is_uphill() const { return line_search_->needs_descent() && !step_.is_local && !(step_.slope < 0.0); }

  void note_promise_of_direction() {
    if (!step_.is_local && knows_curvature()) note_promise(-0.5 * step_.slope, state_);
  }

  // No slope along -g. Its products have underflowed, each below the smallest double: that is nothing if f is large.
  Status flat_status() const {
    const double largest = static_cast<double>(state_.whole_dimension()) * std::numeric_limits<double>::denorm_min();
    const bool underflowed = step_.slope == 0.0 && step_.length > 0.0;
    return underflowed && largest <= resolution(state_) ? Status::kConvergedToWorkingPrecision
                                                        : Status::kLineSearchFailed;
  }

  // Without the safeguard nothing is evaluated that the algorithm does not ask for.
  void measure_noise() {
    if (guarded()) last_searches_.measure_noise(f_, options_, state_);
  }

  // Before the run claims that f cannot be lowered, the last searches have their word.
  bool conclude() {
    if (!guarded()) return stop(Status::kConvergedToWorkingPrecision);
    switch (last_searches_.search(*line_search_, f_, options_, state_)) {
      case LastSearches::Result::kLowerPoint:
        start_again_at_lower_point();
        return false;
      case LastSearches::Result::kExhausted:
        status_ = Status::kEvaluationLimitReached;
        return false;
      case LastSearches::Result::kNothing:
        break;
    }
    return stop(Status::kConvergedToWorkingPrecision);
  }

  // Whether the direction is a step to the minimizer of a model that knows the curvature of f: Newton's, or that of a B
  // which has seen as many pairs as there are variables, or as many as make iterations idle. Nobody looks after B
  // without the safeguard, and the safeguard `spectrum` keeps B from what it would learn.
  bool knows_curvature() const {
    if (step_.kind == UpdateKind::kRestart || options_.safeguard != Safeguard::kOn) return false;
    if (input_.hessian.size() > 0) return true;
    const Index n = state_.whole_dimension();
    return state_.B != nullptr && state_.evidence.iterations_since_restart >= std::min(n, max_idle_iterations(n));
  }

  // The search went as far as numbers go, and f still falls there.
  bool falls_out_of_range() const {
    const Trial& best = ray_.best();
    if (!(ray_.left_range() && best.finite && best.f < state_.f && best.slope < 0.0)) return false;
    return std::ranges::none_of(ray_.log(), [&](const Trial& trial) { return trial.step > best.step; });
  }

  // The same iteration again, with better gradients. Returns whether there are some.
  bool repeat_refined() { return repeats_ = refine_gradients(); }

  bool refine_gradients() {
    if (!refine(f_, options_, state_)) return false;
    input_.ahead.is_current = input_.initial.is_current = false;
    grad_inf_norm_ = inf_norm_of_gradient();
    if (is_observed_) grad_norm_ = free_gradient_norm(state_);
    return true;
  }

  // A success has to wait: as long as f and the gradient fall the run will pass the lower point by itself, with the B
  // that it has. Otherwise it goes back there.
  void pass_lower_point() {
    if (grad_inf_norm_ > 0.0 && state_.iterations_without_progress == 0) {
      status_ = Status::kRunning;
      return;
    }
    measure_noise();
    if (lower_point_is_behind(state_)) start_again_at_lower_point();
  }

  void start_again_at_lower_point() {
    if (!go_back(state_)) {
      if (refine_gradients()) {
        status_ = Status::kRunning;
        return;
      }
      status_ = state_.ended = with_refined_gradient(Status::kLineSearchFailed);
      gradient_looks_wrong_ = !is_success(status_);
      return;
    }
    status_ = Status::kRunning;
    input_.ahead.is_current = input_.initial.is_current = false;
    grad_inf_norm_ = inf_norm_of_gradient();
    if (is_observed_) grad_norm_ = free_gradient_norm(state_);
    algorithm_.storage->initialize(state_);
  }

  // Where the search begins: the unit step where that is natural, otherwise the step that would gain as much as the
  // last one did (Nocedal and Wright 2006, Eq. (3.60)), within two orders of magnitude of the last length.
  double first_trial() const {
    if (guards_spectrum() && !line_search_->needs_descent())
      return 1.0;  // Theorem 2 is about gamma, not what a model adds
    if (!line_search_->needs_descent()) return prediction_.trial_step;
    if (algorithm_.unit_step_is_natural) return shortened(prediction_.trial_step);
    const double same_length = distance(state_.x, state_.x_prev, *state_.reduction) / step_.length;
    const double same_gain = 2.0 * (state_.f_prev - state_.f) / -step_.slope;
    const bool usable = state_.iteration > 0 && same_gain > 0.01 * same_length && same_gain < 100.0 * same_length;
    return usable ? same_gain : same_length;
  }

  // Algorithm::largest_promise. Not where the last step gained nothing.
  double shortened(double step) const {
    if (!std::isfinite(algorithm_.largest_promise) ||
        state_.evidence.iterations_since_restart < algorithm_.promise_from)
      return step;
    const double longest = algorithm_.largest_promise * 2.0 * (state_.f_prev - state_.f) / -step_.slope;
    return longest > 0.0 && longest < step ? longest : step;
  }

  // A search that failed may still have seen a lower point.
  bool accept_lowest() {
    if (!(ray_.best().finite && ray_.best().f < state_.f)) return false;
    trial_ = ray_.best();
    ray_.accept(trial_);
    return true;
  }

  void move() {
    if (guards_spectrum()) record_descent(input_, step_, trial_, ray_.x(), state_);
    if (ray_.lowest().f < ray_.f()) note_best_trial(ray_, state_);
    state_.fallbacks += step_.fallbacks;
    prediction_.y.swap(step_.y);  // update() took the buffer, and store() was the last to look at it
    prediction_.y_is_d = prediction_.replaced = false;
    state_.next_scale = prediction_.next_scale;
    grad_inf_norm_ = ray_.grad_inf_norm();
    state_.num_held = ray_.num_held();
    std::swap(state_.held, ray_.held());
    state_.free_squares = ray_.free_squares();
    if (is_observed_ && state_.bounds == nullptr) grad_norm_ = ray_.grad_norm();
    last_promise_ = -0.5 * ray_.slope0();
    const Ray::Chord chord = ray_.accepted_chord(trial_, step_.length);
    state_.num_arrived = chord.num_arrived;
    state_.sum_of_products = ray_.sum_of_products();
    input_.ahead.is_current = ray_.companion_is_there();
    std::swap(state_.x_prev, state_.x);
    std::swap(state_.grad_prev, state_.grad);
    std::swap(state_.x, ray_.x());
    std::swap(state_.grad, ray_.grad());
    state_.f_prev = std::exchange(state_.f, ray_.f());
    std::swap(state_.direction_prev, step_.direction);
    state_.step_size = trial_.step;
    ++state_.iteration;
    ++state_.evidence.iterations_since_restart;
    if (step_.kind == UpdateKind::kRestart) state_.evidence.iterations_since_restart = 0;
    if (is_observed_ && state_.bounds != nullptr) grad_norm_ = free_gradient_norm(state_);
    note_progress(state_, grad_inf_norm_, algorithm_.unit_step_is_natural ? last_promise_ : 0.0);
    note_evidence(trial_, ray_.slope0(), chord.curvature, state_);
  }

  // Of the projected gradient, with bounds.
  double inf_norm_of_gradient() const {
    double result = projected_inf_norm(state_.bounds, state_.x, state_.grad);
    state_.reduction->max(result);
    return result;
  }

  // Whether a step without a decrease is a sign of anything.
  bool guarded() const { return options_.safeguard != Safeguard::kOff && line_search_->needs_descent(); }

  bool guards_spectrum() const { return options_.safeguard == Safeguard::kSpectrum; }

  // A gradient by central differences may be small where its error may not: the run went on, and no search has found a
  // lower point.
  Status with_refined_gradient(Status status) const {
    const bool failed = status == Status::kLineSearchFailed || status == Status::kStalled;
    const bool is_small =
        failed && state_.refined_at > 0 && is_success(test_convergence(state_, grad_inf_norm_, options_));
    return is_small ? Status::kConvergedToWorkingPrecision : status;
  }

  // Ends the run for a reason that another attempt would meet again: a resumed run ends there too. A minimizer above a
  // point that was seen is none.
  bool stop(Status status) {
    status = with_refined_gradient(status);
    if (is_success(status) && line_search_->needs_descent() && lower_point_is_behind(state_)) {
      measure_noise();
      if (lower_point_is_behind(state_)) status = Status::kStalled;
    }
    status_ = state_.ended = status;
    state_.fallbacks += step_.fallbacks;
    return false;
  }

  Summary summary() {
    input_ = {};  // room for the copies below: the memory of a run does not grow at its end
    if (state_.ended != Status::kRunning) state_.evaluations = f_.count();
    if (!state_.best_is_behind)
      for (Vector* buffer : {&state_.best_x, &state_.best_grad}) buffer->resize(0);
    Summary s = summarize(status_, std::move(state_));
    s.evaluations = f_.count();
    if (guards_spectrum()) s.guarantee = s.state.guarantee;
    if (gradient_looks_wrong_ || (s.status == Status::kLineSearchFailed && failed_searches_.gradient_looks_wrong()))
      s.message =
          "Failed: the objective rose by far more than rounding where its gradient promised a fall. The gradient is "
          "probably wrong; check_gradient compares it with differences.";
    if (!s.success() && s.state.refined_at > 0)
      s.message += " The gradients are not exact: better ones were made after " + std::to_string(s.state.refined_at) +
                   " evaluations.";
    s.seconds = clock_.seconds();
    s.trace = std::move(trace_);
    return s;
  }

  // Fixed during the run.
  const Algorithm& algorithm_;
  CountedObjective& f_;
  const Options& options_;
  const Clock clock_;
  const std::shared_ptr<const LineSearch> line_search_;
  const std::shared_ptr<const LineSearch> second_search_;  // after a failure of line_search_; may be null
  bool others_may_end_ = false;  // another process of a distributed run has a time limit or an observer of its own mind
  bool is_observed_ = false;     // a process of a distributed run has an observer

  // (x_k, S_k), the only thing that outlives an iteration.
  State state_;
  double grad_inf_norm_;
  double grad_norm_ = std::numeric_limits<double>::quiet_NaN();    // ||g||_2, for the observer
  double last_promise_ = std::numeric_limits<double>::infinity();  // of the last direction, by its slope
  double seconds_ = 0.0;  // at the last report; infinite when the time of another process is over
  Status status_ = Status::kRunning;
  bool gradient_looks_wrong_ = false;  // slopes led uphill
  bool repeats_ = false;               // the iteration begins again with refined gradients
  std::vector<TraceRow> trace_;
  ProgressLines progress_lines_;  // for options_.progress
  bool has_heading_ = false;

  // Rewritten in each iteration; members so that the iteration allocates nothing.
  Input input_;
  Prediction prediction_;
  Step step_;
  SpectrumGuard spectrum_guard_;
  BoundedStep bounded_step_;
  Ray ray_;
  Trial trial_;
  // Of the end of a run.
  LastSearches last_searches_;
  FailedSearches failed_searches_;
};

}  // namespace

std::shared_ptr<const LineSearch> line_search_for(const Algorithm& algorithm, const Options& options) {
  if (options.line_search.empty()) return algorithm.line_search;
  return make_line_search(options.line_search, algorithm.line_search->constants());
}

Summary run(const Algorithm& algorithm, CountedObjective& f, State state, const Options& options) {
  return run_since(algorithm, f, std::move(state), options, Clock());
}

Summary run_since(const Algorithm& algorithm, CountedObjective& f, State state, const Options& options,
                  const Clock& clock) {
  if (options.safeguard != Safeguard::kSpectrum) {
    state.guarantee = {};  // nobody watches the eigenvalues from here on
  } else if (state.dimension() > 0 &&
             (!state.guarantee.applies || state.B == nullptr || !(state.spectrum.smallest <= state.spectrum.largest))) {
    throw std::invalid_argument(
        "run: expected a state with an inverse Hessian whose eigenvalues are known, for the safeguard spectrum, found "
        "another");
  }
  return Loop(algorithm, f, std::move(state), options, clock).run();
}

}  // namespace loa
