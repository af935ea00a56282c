#include "tao_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <limits>
#include <stdexcept>

#include "failure.h"
#include "loa/algorithm.h"
#include "loa/threads.h"

namespace loa_tao {
namespace {

using loa::Vector;

// For an exception that no other process knows of, such as one for want of memory: the others wait for this process.
PetscErrorCode abort_all(Tao tao, const char* what) {
  PetscErrorCode code = PetscError(PETSC_COMM_SELF, __LINE__, PETSC_FUNCTION_NAME, __FILE__, PETSC_ERR_LIB,
                                   PETSC_ERROR_INITIAL, "loa: %s", what);
  int size = 1;
  MPI_Comm_size(PetscObjectComm((PetscObject)tao), &size);
  if (size > 1) MPI_Abort(PetscObjectComm((PetscObject)tao), PETSC_ERR_LIB);
  return code;
}

// Calls work() and returns its code; an exception becomes one.
template <typename Work>
PetscErrorCode without_exceptions(const char* where, const Work& work) {
  try {
    return work();
  } catch (const Failure& failure) {
    return failure.code();
  } catch (const std::exception& exception) {
    return PetscError(PETSC_COMM_SELF, __LINE__, PETSC_FUNCTION_NAME, __FILE__, PETSC_ERR_USER, PETSC_ERROR_INITIAL,
                      "An exception in %s: %s", where, exception.what());
  } catch (...) {
    return PetscError(PETSC_COMM_SELF, __LINE__, PETSC_FUNCTION_NAME, __FILE__, PETSC_ERR_USER, PETSC_ERROR_INITIAL,
                      "An exception in %s", where);
  }
}

PetscErrorCode get_slice(Vec v, Vector& slice) {
  PetscFunctionBegin;
  const PetscScalar* values = nullptr;
  PetscCall(VecGetArrayRead(v, &values));
  std::copy_n(values, slice.size(), slice.data());
  PetscCall(VecRestoreArrayRead(v, &values));
  PetscFunctionReturn(0);
}

PetscErrorCode set_slice(const Vector& slice, Vec v) {
  PetscFunctionBegin;
  PetscScalar* values = nullptr;
  PetscCall(VecGetArrayWrite(v, &values));
  std::copy_n(slice.data(), slice.size(), values);
  PetscCall(VecRestoreArrayWrite(v, &values));
  PetscFunctionReturn(0);
}

}  // namespace

TaoConvergedReason reason_for(loa::Status status) {
  switch (status) {
    case loa::Status::kGradientIsSmall:
    case loa::Status::kRelativeGradientIsSmall:
    case loa::Status::kObjectiveIsFlat:
      return TAO_CONVERGED_GATOL;
    case loa::Status::kConvergedToWorkingPrecision:
      return TAO_CONVERGED_STEPTOL;
    case loa::Status::kIterationLimitReached:
      return TAO_DIVERGED_MAXITS;
    case loa::Status::kEvaluationLimitReached:
      return TAO_DIVERGED_MAXFCN;
    case loa::Status::kStartIsNotFinite:
    case loa::Status::kObjectiveIsUnbounded:
    case loa::Status::kObjectiveBecameNotFinite:
      return TAO_DIVERGED_NAN;
    case loa::Status::kLineSearchFailed:
    case loa::Status::kStalled:
      return TAO_DIVERGED_LS_FAILURE;
    case loa::Status::kRunning:
    case loa::Status::kTimeLimitReached:
    case loa::Status::kStoppedByObserver:
      break;
  }
  return TAO_DIVERGED_USER;
}

TaoRun::TaoRun(Tao tao, const Settings& settings)
    : tao_(tao), settings_(settings), processes_(PetscObjectComm((PetscObject)tao)) {}

PetscErrorCode TaoRun::solve(LastRun& last) {
  PetscFunctionBegin;
  tao_->reason = TAO_CONTINUE_ITERATING;
  PetscCall(agree(prepare(), "the preparation of the run"));
  bool goes_on = true;
  if (settings_.resume.empty()) PetscCall(start(goes_on));
  if (goes_on) PetscCall(run(last));
  PetscFunctionReturn(0);
}

// Everything that may fail before the processes depend on each other.
PetscErrorCode TaoRun::prepare() {
  PetscFunctionBegin;
  PetscInt n = 0;
  bool may_place = false, gradient_too = false;
  PetscCall(VecGetLocalSize(tao_->solution, &n));
  PetscCall(can_be_placed(tao_->solution, may_place));
  PetscCall(can_be_placed(tao_->gradient, gradient_too));
  n_ = n;
  PetscCall(take_bounds());
  way_ = may_place && gradient_too ? PlacedArray::Way::kPlace : PlacedArray::Way::kCopy;
  loa::set_num_threads(static_cast<int>(settings_.num_threads));
  PetscCall(metric_.set_up(tao_, settings_.metric));
  PetscCheck(!metric_.exists() || !tao_->recycle, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
             "-tao_recycle_history: expected no initial metric beside it, found one");
  if (!settings_.resume.empty()) {
    const loa::Error error = load_run(settings_.resume, processes_, saved_);
    PetscCheck(!error, PETSC_COMM_SELF, PETSC_ERR_FILE_READ, "%s", error.message().c_str());
    grad_norm_start_ = saved_.grad_norm_start;
  }
  PetscFunctionReturn(0);
}

// TAO's bounds, and the start inside them. What TAO takes for infinite is.
PetscErrorCode TaoRun::take_bounds() {
  PetscFunctionBegin;
  PetscCall(TaoComputeVariableBounds(tao_));
  if (!tao_->XL && !tao_->XU) PetscFunctionReturn(0);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  lower_.setConstant(n_, -kInfinity);
  upper_.setConstant(n_, kInfinity);
  if (tao_->XL) PetscCall(get_slice(tao_->XL, lower_));
  if (tao_->XU) PetscCall(get_slice(tao_->XU, upper_));
  Vector x(n_);
  PetscCall(get_slice(tao_->solution, x));
  for (loa::Index i = 0; i < n_; ++i) {
    if (lower_(i) <= PETSC_NINFINITY) lower_(i) = -kInfinity;
    if (upper_(i) >= PETSC_INFINITY) upper_(i) = kInfinity;
    if (!std::isnan(x(i))) x(i) = std::min(std::max(x(i), lower_(i)), upper_(i));
  }
  PetscCall(set_slice(x, tao_->solution));
  PetscFunctionReturn(0);
}

// The 2-norm of the gradient without the coordinates that bounds hold.
double TaoRun::free_gradient_norm(const Vector& x, const Vector& grad) const {
  Vector free = grad;
  for (loa::Index i = 0; i < lower_.size(); ++i)
    if ((grad(i) >= 0.0 && x(i) <= lower_(i)) || (grad(i) <= 0.0 && x(i) >= upper_(i))) free(i) = 0.0;
  return loa::norm(free, processes_);
}

// The largest code of all processes, on those that had none with a message of its own.
PetscErrorCode TaoRun::agree(PetscErrorCode own, const char* what) {
  PetscFunctionBegin;
  auto largest = static_cast<double>(own);
  processes_.max(largest);
  PetscCall(own);
  PetscCheck(largest == 0.0, PETSC_COMM_SELF, static_cast<PetscErrorCode>(largest),
             "Another process met an error in %s", what);
  PetscFunctionReturn(0);
}

// TAO's iteration 0.
PetscErrorCode TaoRun::start(bool& goes_on) {
  PetscFunctionBegin;
  Vector grad(n_);
  {
    const LockGuard guard(tao_->solution);
    PetscCall(
        agree(without_exceptions(
                  "the objective",
                  [&] { return TaoComputeObjectiveAndGradient(tao_, tao_->solution, &f_start_, tao_->gradient); }),
              "the objective"));
  }
  Vector x(n_);
  PetscCall(get_slice(tao_->gradient, grad));
  PetscCall(get_slice(tao_->solution, x));
  processes_.max(f_start_);
  PetscReal grad_norm = free_gradient_norm(x, grad);
  PetscCheck(!PetscIsInfOrNanReal(f_start_) && !PetscIsInfOrNanReal(grad_norm), PetscObjectComm((PetscObject)tao_),
             PETSC_ERR_USER, "User provided compute function generated Inf or NaN");
  PetscCall(agree(measure_residual(grad_norm), "the norm of the gradient"));
  grad_norm_start_ = grad_norm;
  tao_->niter = 0;
  PetscCall(agree(without_exceptions("a monitor or convergence test", [&] { return report(f_start_, grad_norm, 0.0); }),
                  "a monitor or convergence test"));
  start_is_known_ = true;
  goes_on = tao_->reason == TAO_CONTINUE_ITERATING;
  PetscFunctionReturn(0);
}

// The norm in which the user wants to see the gradient (TaoSetGradientNorm), in place of the 2-norm.
PetscErrorCode TaoRun::measure_residual(PetscReal& grad_norm) {
  PetscFunctionBegin;
  if (!tao_->gradient_norm) PetscFunctionReturn(0);
  PetscScalar square = 0.0;
  PetscCall(MatMult(tao_->gradient_norm, tao_->gradient, tao_->gradient_norm_tmp));
  PetscCall(VecDot(tao_->gradient, tao_->gradient_norm_tmp, &square));
  grad_norm = PetscSqrtReal(PetscRealPart(square));
  PetscFunctionReturn(0);
}

// History, monitors and test for an iterate that is in place. The test is made even after an error of a monitor, so
// that all processes give one answer.
PetscErrorCode TaoRun::report(PetscReal f, PetscReal grad_norm, PetscReal step) {
  PetscFunctionBegin;
  PetscCall(TaoLogConvergenceHistory(tao_, f, grad_norm, 0.0, tao_->ksp_its));
  const PetscErrorCode of_monitors =
      without_exceptions("a monitor", [&] { return TaoMonitor(tao_, tao_->niter, f, grad_norm, 0.0, step); });
  PetscUseTypeMethod(tao_, convergencetest, tao_->cnvP);
  PetscCall(of_monitors);
  if (tao_->reason == TAO_CONTINUE_ITERATING) PetscTryTypeMethod(tao_, update, tao_->niter, tao_->user_update);
  PetscFunctionReturn(0);
}

void TaoRun::keep(PetscErrorCode code) {
  if (waiting_ == 0) waiting_ = code;
}

double TaoRun::value_and_gradient(const Vector& x, Vector& grad) {
  double f = std::numeric_limits<double>::quiet_NaN();
  keep(without_exceptions("the objective", [&] { return evaluate(x, f, grad); }));
  // After the objective, in which the other processes may wait for this one.
  if (waiting_ != 0) throw Failure(waiting_);
  return f;
}

PetscErrorCode TaoRun::evaluate(const Vector& x, double& f, Vector& grad) {
  PetscFunctionBegin;
  if (start_is_known_) {
    start_is_known_ = false;
    f = f_start_;
    PetscCall(get_slice(tao_->gradient, grad));
    PetscFunctionReturn(0);
  }
  PlacedArray of_x(tao_->solution, x, way_), of_grad(tao_->gradient, grad, way_);
  PetscCall(of_x.begin());
  PetscCall(of_grad.begin());
  PetscCall(TaoComputeObjectiveAndGradient(tao_, tao_->solution, &f, tao_->gradient));
  PetscCall(of_grad.take_back());
  PetscFunctionReturn(0);
}

loa::Continue TaoRun::observe(const loa::Progress& progress) {
  const bool is_resumed = progress.iteration == saved_.state.iteration && !settings_.resume.empty();
  tao_->niter = static_cast<PetscInt>(progress.iteration) + 1;
  if (is_resumed) tao_->gnorm0 = grad_norm_start_;
  PlacedArray of_x(tao_->solution, progress.x, way_), of_grad(tao_->gradient, progress.grad, way_);
  const PetscErrorCode code = without_exceptions("a monitor or convergence test", [&] {
    PetscFunctionBegin;
    PetscReal grad_norm = progress.grad_norm;
    PetscCall(of_x.begin());
    PetscCall(of_grad.begin());
    PetscCall(measure_residual(grad_norm));
    PetscCall(report(progress.f, grad_norm, progress.step_size));
    PetscFunctionReturn(0);
  });
  keep(code);
  if (settings_.save_every > 0 && tao_->niter % settings_.save_every == 0) save(progress.state);
  return tao_->reason == TAO_CONTINUE_ITERATING ? loa::Continue::kYes : loa::Continue::kNo;
}

void TaoRun::save(const loa::State& state) {
  const loa::Error error = save_run(settings_.save, processes_, state, grad_norm_start_);
  if (error)
    keep(PetscError(PETSC_COMM_SELF, __LINE__, PETSC_FUNCTION_NAME, __FILE__, PETSC_ERR_FILE_WRITE, PETSC_ERROR_INITIAL,
                    "%s", error.message().c_str()));
}

loa::Options TaoRun::make_options() {
  loa::Options options;
  options.algorithm = !settings_.algorithm.empty() ? settings_.algorithm : metric_.exists() ? "l-bfgs+" : "l-bfgs+d";
  options.line_search = settings_.line_search;
  options.weights = settings_.weights;
  options.safeguard = settings_.safeguard;
  options.hyper_parameters.memory = settings_.memory;
  options.lower = lower_;
  options.upper = upper_;
  options.gtol = 0.0;  // tolerances and the limit of iterations are TAO's
  options.max_iterations = std::numeric_limits<std::int64_t>::max();
  if (tao_->max_funcs >= 0) options.max_evaluations = std::max<std::int64_t>(tao_->max_funcs, 1);
  options.reduction = &processes_;
  options.observer = [this](const loa::Progress& progress) { return observe(progress); };
  // TAO's own test makes one answer of numbers that all processes share. What is the user's may fail on one of them.
  if (tao_->ops->convergencetest == TaoDefaultConvergenceTest && !tao_->gradient_norm)
    options.observer_answers = loa::ObserverAnswers::kAgree;
  if (metric_.exists())
    options.initial_inverse_hessian = [this](const Vector& v, Vector& out) {
      const PetscErrorCode code = without_exceptions("the metric", [&] { return metric_.apply(v, out); });
      keep(code);
      if (code != 0) out.setConstant(std::numeric_limits<double>::quiet_NaN());
    };
  return options;
}

PetscErrorCode TaoRun::run(LastRun& last) {
  PetscFunctionBegin;
  loa::Options options = make_options();
  loa::Summary summary;
  PetscErrorCode own = 0;
  try {
    if (settings_.resume.empty()) {
      Vector x(n_);
      PetscCall(get_slice(tao_->solution, x));
      double fits_not = recycled_.has_B() && recycled_.x().size() == n_ ? 0.0 : 1.0;
      processes_.max(fits_not);
      if (fits_not == 0.0) options.warm = recycled_.at(x);
      summary = loa::minimize(*this, x, options);
    } else {
      summary = loa::resume(*this, saved_.state, options);
    }
  } catch (const Failure& failure) {
    own = failure.code();
  } catch (const std::invalid_argument& exception) {
    own = PetscError(PETSC_COMM_SELF, __LINE__, PETSC_FUNCTION_NAME, __FILE__, PETSC_ERR_ARG_WRONG, PETSC_ERROR_INITIAL,
                     "loa: %s", exception.what());
  } catch (const std::runtime_error& exception) {
    // On another process; agree() says so. One process alone has no other.
    if (!processes_.is_distributed())
      own = PetscError(PETSC_COMM_SELF, __LINE__, PETSC_FUNCTION_NAME, __FILE__, PETSC_ERR_LIB, PETSC_ERROR_INITIAL,
                       "loa: %s", exception.what());
  } catch (const std::exception& exception) {
    PetscCall(abort_all(tao_, exception.what()));
  }
  keep(own);
  const bool has_ended = summary.status != loa::Status::kRunning;
  if (has_ended && !settings_.save.empty()) save(summary.state);
  PetscCall(agree(waiting_, "the run"));
  last.algorithm = options.algorithm;
  last.line_search = options.line_search;
  if (last.line_search.empty())
    last.line_search =
        loa::make_algorithm(options.algorithm, options.hyper_parameters, options.weights).line_search->name();
  last.message = summary.status == loa::Status::kStoppedByObserver ? "ended by the test of TAO" : summary.message;
  last.fallbacks = summary.fallbacks;
  last.iterations = summary.iterations;
  last.evaluations = summary.evaluations.value;
  last.num_all_reduces = processes_.num_calls();
  last.has_metric = metric_.exists();
  if (tao_->recycle) last.warm = summary.state.B != nullptr ? loa::WarmStart(summary) : recycled_;
  PetscCall(finish(summary));
  PetscFunctionReturn(0);
}

// The point of TAO's test where that has ended the run; otherwise the lowest one.
PetscErrorCode TaoRun::finish(const loa::Summary& summary) {
  PetscFunctionBegin;
  const bool tested = summary.status == loa::Status::kStoppedByObserver;
  PetscCall(set_slice(tested ? summary.state.x : summary.x, tao_->solution));
  PetscCall(set_slice(tested ? summary.state.grad : summary.grad, tao_->gradient));
  if (tested) PetscFunctionReturn(0);
  PetscReal grad_norm = free_gradient_norm(summary.x, summary.grad);
  PetscCall(measure_residual(grad_norm));
  tao_->fc = summary.f;
  tao_->residual = grad_norm;
  tao_->reason = reason_for(summary.status);
  PetscFunctionReturn(0);
}

}  // namespace loa_tao
