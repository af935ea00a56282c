// What a user may choose for a run. Every member has a default that works.
//
// Layer: core.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "loa/export.h"
#include "loa/hyper_parameters.h"
#include "loa/linear_operator.h"
#include "loa/state.h"
#include "loa/warm_start.h"

LOA_EXPORT_BEGIN
namespace loa {

// off: the algorithm to the letter. on: a useless y_k, pair or direction is replaced and counted, see Fallbacks.
// spectrum: on, and the eigenvalues of every B_k stay in [smallest_eigenvalue, largest_eigenvalue] of the
// hyper-parameters; for quasi-Newton algorithms only. What each promises is in docs/guarantees.md.
enum class Safeguard { kOff, kOn, kSpectrum, kBounded [[deprecated("use kSpectrum")]] = kSpectrum };

// What an observer sees at x_0 and after each iteration. What it refers to lives until the observer returns.
struct Progress {
  std::int64_t iteration;
  const Vector& x;
  double f;
  const Vector& grad;
  double grad_inf_norm;
  double grad_norm;  // ||g||_2, without an all-reduce of its own
  double step_size;
  const Evaluations& evaluations;
  const Fallbacks& fallbacks;
  double seconds;

  // (x_k, S_k), whole: save_state(progress.state, path) writes a file from which resume() continues bit for bit as if
  // the run had never stopped. A copy of it serves as well; it takes as much memory as the run itself.
  const State& state;
};

// What an observer answers: kNo ends the run with Status::kStoppedByObserver.
enum class Continue { kYes, kNo };
using Observer = std::function<Continue(const Progress&)>;

// What Options::progress is: it gets a heading and then a line of text for x_0 and for each iteration (loa/progress.h).
using ProgressSink = std::function<void(std::string_view line)>;

// What the processes of a distributed run know about the answers of their observers.
enum class ObserverAnswers {
  kMayDiffer,  // one kNo ends the run on all, and so does an exception: one all-reduce an iteration
  kAgree,  // all answers are the same, made of numbers that are the same on all, and no observer throws: no all-reduce
};

// Of one run, for minimize(), resume() and run().
struct Options {
  std::string algorithm = "auto";  // a name, or auto: by the number of variables, see algorithm_for()
  std::string weights = {};        // a name or a file, for learned algorithms; empty: the built-in ones
  std::string line_search = {};    // empty: the algorithm's own
  Safeguard safeguard = Safeguard::kOn;
  HyperParameters hyper_parameters = {};

  // Length of the gradient step from the user's start x_{-1} to x_0, as a multiple of -grad. Empty: found by a line
  // search from a guess that scales with x and f.
  std::optional<double> first_step = {};

  // L, a Lipschitz constant of the gradient, for Safeguard::kSpectrum: the descent inequality of Theorem 2 is evaluated
  // with it, and with the line search `fixed` an open largest_eigenvalue is made from it.
  std::optional<double> lipschitz = {};

  // H_0, symmetric and positive definite: B begins as scale H_0 instead of scale I, with a scale that the run finds.
  // For discretized functions the inverse of the inner product of the function space (a Riesz map) keeps the number of
  // iterations from growing with the mesh. With l-bfgs+ and l-bfgs+d, which then leaves out its diagonal, the run is
  // the one in coordinates in which H_0 is the identity, and H_0 is called once an iteration and twice before the
  // first. Algorithms whose B is a matrix call it n times more at the start and at a restart; with bounds only these
  // take it. Not saved with a state: resume() needs the same operator again. For a B whose scale is right as well see
  // `warm`.
  LinearOperator initial_inverse_hessian = {};

  // What another run knew, of a problem like this one (docs/warm-starts.md). With a B the run begins at warm.x() by the
  // step -B g; where that leads nowhere the run begins at x0, cold, and counts it: see Fallbacks. Without a B nothing
  // is warm. For quasi-Newton algorithms, without an initial_inverse_hessian and without Safeguard::kSpectrum. A
  // resumed run does not look at it.
  WarmStart warm = {};
  // Bounds on the variables, lower <= x <= upper: vectors of the length of x (of this slice), or empty for none on that
  // side; infinities are no bounds, equal bounds fix a variable. f is never called outside of them: a start outside is
  // projected. For auto, bfgs+d, bfgs+, sr1+, loa, bfgs, l-bfgs+d, l-bfgs+ and l-bfgs; others refuse. Not saved
  // with a state: resume() needs the same bounds again. docs/bounds.md has the method.
  Vector lower = {};
  Vector upper = {};

  // Tests for convergence; 0 switches one off. A gradient of exactly 0 ends every run.
  double gtol = 1e-5;        // ||g||_inf <= gtol; with bounds the projected gradient, ||x - P(x - g)||_inf
  double gtol_relative = 0;  // ||g||_inf <= gtol_relative * ||g(start)||_inf
  double ftol = 0;           // |f_k - f_{k+1}| <= ftol * max(|f_k|, |f_{k+1}|)

  // Limits. Reaching one returns the best point found.
  std::int64_t max_iterations = 100000;
  std::int64_t max_evaluations = std::numeric_limits<std::int64_t>::max();
  double max_seconds = std::numeric_limits<double>::infinity();

  // For vectors in slices, one slice for each process: all processes call minimize() with their slices and the same
  // options, f is called by all at the same point and returns the whole f to each, and what one process decides
  // (observer, time limit, exception) ends the run on all. Null: x is the whole vector. Must outlive the run.
  const Reduction* reduction = nullptr;

  Observer observer = {};  // called at x_0 and after each iteration; may stop the run
  ObserverAnswers observer_answers = ObserverAnswers::kMayDiffer;
  bool keep_trace = false;  // fill Summary::trace

  // Gets a line for each iteration, as print_progress() makes one for it. In a distributed run it must not throw; one
  // process may have it and the others not. In minimize_batch() it is called from several threads.
  ProgressSink progress = {};
};

}  // namespace loa
LOA_EXPORT_END
