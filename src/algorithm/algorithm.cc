// Algorithm 1 (algo::GenL2O), the only loop. Every algorithm of the library, learned or classical, is a choice of the
// four parts that this file calls.
#include "loa/algorithm.h"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "algorithm/bounded.h"
#include "algorithm/descent_inequality.h"
#include "algorithm/run_since.h"
#include "algorithm/safeguard.h"
#include "algorithm/stopping.h"
#include "linalg/large_vector.h"

namespace loa {
namespace {

class Loop {
 public:
  Loop(const Algorithm& algorithm, CountedObjective& f, State state, const Options& options, const Clock& clock)
      : algorithm_(algorithm),
        f_(f),
        options_(options),
        clock_(clock),
        line_search_(make_line_search(options.line_search.empty() ? algorithm.line_search : options.line_search,
                                      algorithm.wolfe)),
        state_(std::move(state)),
        grad_inf_norm_(inf_norm(state_.grad, *state_.reduction)),
        status_(state_.ended) {
    resize_large(prediction_.y, state_.dimension());
    // Searches that descend leave no better point behind, but for round-off.
    if (!state_.best_is_behind && !line_search_->needs_descent())
      for (Vector* buffer : {&state_.best_x, &state_.best_grad}) buffer->resize(state_.dimension());
  }

  Summary run() {
    while (keep_going()) {
      algorithm_.oracle->observe(f_, state_, input_);    // I_k <- C(f, x_k, S_k)           construct input
      algorithm_.model->predict(input_, prediction_);    // y_k <- M_theta(I_k)             model prediction
      update();                                          // U(I_k, y_k, Gamma)              the unit step
      if (!search()) break;                              //                                 how much of it to take
      algorithm_.storage->store(input_, step_, state_);  // S_{k+1} <- S(S_k, x_k, I_k, y_k)
      move();                                            // x_{k+1} <- x_k + step_size U
    }
    return summary();
  }

 private:
  // Reports x_k and says whether there is another iteration.
  bool keep_going() {
    state_.evaluations = f_.count();
    report();
    if (status_ == Status::kRunning) status_ = test_convergence(state_, grad_inf_norm_, options_);
    if (status_ == Status::kRunning && guarded() && is_idle(state_)) status_ = idle_status(state_);
    if (status_ == Status::kRunning) status_ = test_limits(state_, clock_.seconds(), options_);
    return status_ == Status::kRunning;
  }

  void update() {
    const Guard guard{options_.safeguard, bounded() ? &bounds_ : nullptr, line_search_->needs_descent()};
    choose_direction(algorithm_, input_, guard, state_, prediction_, step_);
    step_.hidden.swap(prediction_.hidden);
  }

  // Finds the step-size, leaving the new point in ray_. After a failure the state is reset and -g is tried once.
  bool search() {
    if (line_search_->needs_descent() && !(step_.slope < 0.0)) return stop(flat_status());
    for (bool retried = false;; retried = true) {
      ray_.start(f_, state_, step_.direction, step_.slope, options_.max_evaluations);
      switch (line_search_->search(ray_, first_trial(), trial_)) {
        case LineSearchOutcome::kAccepted:
          return true;
        case LineSearchOutcome::kUnbounded:
          return stop(Status::kObjectiveIsUnbounded);
        case LineSearchOutcome::kExhausted:
          status_ = Status::kEvaluationLimitReached;
          keep_lowest();
          return false;
        case LineSearchOutcome::kFailed:
          break;
      }
      if (!line_search_->needs_descent()) return stop(Status::kObjectiveBecameNotFinite);
      if (accept_lowest()) return true;
      if (retried || step_.kind == UpdateKind::kRestart || options_.safeguard == Safeguard::kOff)
        return stop(at_working_precision(state_, step_, ray_.distance_to_minimizer())
                        ? Status::kConvergedToWorkingPrecision
                        : Status::kLineSearchFailed);
      restart(algorithm_, input_, state_, step_);
      if (!(step_.slope < 0.0)) return stop(flat_status());
    }
  }

  // No slope along -g: f is flat to the last bit there, unless the step itself is what cannot be represented.
  Status flat_status() const {
    const bool underflowed = step_.slope == 0.0 && step_.length > 0.0;
    return underflowed ? Status::kConvergedToWorkingPrecision : Status::kLineSearchFailed;
  }

  // Where the search begins: the unit step where that is natural, otherwise the step that would gain as much as the
  // last one did (Nocedal and Wright 2006, Eq. (3.60)), within two orders of magnitude of the last length.
  double first_trial() const {
    if (bounded() && !line_search_->needs_descent()) return 1.0;  // Theorem 2 is about gamma, not what a model adds
    if (algorithm_.unit_step_is_natural || !line_search_->needs_descent()) return prediction_.trial_step;
    const double same_length = distance(state_.x, state_.x_prev, *state_.reduction) / step_.length;
    const double same_gain = 2.0 * (state_.f_prev - state_.f) / -step_.slope;
    const bool usable = state_.iteration > 0 && same_gain > 0.01 * same_length && same_gain < 100.0 * same_length;
    return usable ? same_gain : same_length;
  }

  // A search that failed may still have seen a lower point.
  bool accept_lowest() {
    if (!(ray_.best().finite && ray_.best().f < state_.f)) return false;
    trial_ = ray_.best();
    ray_.accept(trial_);
    return true;
  }

  // A search cut off by the limit leaves the state at x_k, so that a resumed run repeats the whole iteration; the
  // lowest point it has seen is for the summary.
  void keep_lowest() {
    if (!accept_lowest()) return;
    lowest_seen_ = true;
  }

  void move() {
    if (bounded()) note_descent(input_, step_, trial_, ray_.x(), state_);
    state_.fallbacks += step_.fallbacks;
    prediction_.y.swap(step_.y);  // update() took the buffer, and store() was the last to look at it
    std::swap(state_.x_prev, state_.x);
    std::swap(state_.grad_prev, state_.grad);
    std::swap(state_.x, ray_.x());
    std::swap(state_.grad, ray_.grad());
    state_.f_prev = std::exchange(state_.f, ray_.f());
    std::swap(state_.direction_prev, step_.direction);
    state_.step_size = trial_.step;
    ++state_.iteration;
    grad_inf_norm_ = inf_norm(state_.grad, *state_.reduction);
    note_progress(state_, grad_inf_norm_);
  }

  void report() {
    const double seconds = clock_.seconds();
    if (options_.keep_trace)
      trace_.push_back(
          {state_.iteration, state_.f, grad_inf_norm_, state_.step_size, state_.evaluations.value, seconds});
    if (!options_.observer) return;
    const Progress progress{state_.iteration, state_.x,           state_.f,         state_.grad, grad_inf_norm_,
                            state_.step_size, state_.evaluations, state_.fallbacks, seconds,     state_};
    if (options_.observer(progress) == Continue::kNo) status_ = Status::kStoppedByObserver;
  }

  // Whether a step without a decrease is a sign of anything.
  bool guarded() const { return options_.safeguard != Safeguard::kOff && line_search_->needs_descent(); }

  bool bounded() const { return options_.safeguard == Safeguard::kBounded; }

  // Ends the run for a reason that another attempt would meet again: a resumed run ends there too.
  bool stop(Status status) {
    status_ = state_.ended = status;
    state_.fallbacks += step_.fallbacks;
    return false;
  }

  Summary summary() {
    Summary s;
    input_ = {};  // room for the copies below: the memory of a run does not grow at its end
    s.evaluations = f_.count();
    if (state_.ended != Status::kRunning) state_.evaluations = f_.count();
    const bool behind = state_.best_is_behind && !is_success(status_);
    s.x = behind ? state_.best_x : state_.x;
    s.f = behind ? state_.lowest_f : state_.f;
    s.grad = behind ? state_.best_grad : state_.grad;
    if (lowest_seen_ && ray_.f() < s.f) {
      s.x = ray_.x();
      s.f = ray_.f();
      s.grad = ray_.grad();
    }
    s.grad_inf_norm = inf_norm(s.grad, *state_.reduction);
    s.status = status_;
    s.message = message(status_);
    s.iterations = state_.iteration;
    s.fallbacks = state_.fallbacks;
    if (bounded()) s.guarantee = state_.guarantee;
    s.seconds = clock_.seconds();
    s.trace = std::move(trace_);
    if (!state_.best_is_behind)
      for (Vector* buffer : {&state_.best_x, &state_.best_grad}) buffer->resize(0);
    s.state = std::move(state_);
    return s;
  }

  // Fixed during the run.
  const Algorithm& algorithm_;
  CountedObjective& f_;
  const Options& options_;
  const Clock clock_;
  const std::shared_ptr<const LineSearch> line_search_;

  // (x_k, S_k), the only thing that outlives an iteration.
  State state_;
  double grad_inf_norm_;
  Status status_;
  bool lowest_seen_ = false;  // ray_ has a point lower than x_k that was not moved to
  std::vector<TraceRow> trace_;

  // Rewritten in each iteration; members so that the iteration allocates nothing.
  Input input_;
  Prediction prediction_;
  Step step_;
  BoundedUpdate bounds_;
  Ray ray_;
  Trial trial_;
};

}  // namespace

Summary run(const Algorithm& algorithm, CountedObjective& f, State state, const Options& options) {
  return run_since(algorithm, f, std::move(state), options, Clock());
}

Summary run_since(const Algorithm& algorithm, CountedObjective& f, State state, const Options& options,
                  const Clock& clock) {
  if (options.safeguard != Safeguard::kBounded) {
    state.guarantee = {};  // nobody watches the eigenvalues from here on
  } else if (!state.guarantee.bounded || state.B == nullptr || !(state.spectrum.lower <= state.spectrum.upper)) {
    throw std::invalid_argument(
        "run: expected a state with an inverse Hessian whose eigenvalues are bounded, for the safeguard bounded, found "
        "another");
  }
  return Loop(algorithm, f, std::move(state), options, clock).run();
}

}  // namespace loa
