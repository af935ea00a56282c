// The pair (x_k, S_k): all that changes during a run, as a value that can be copied, saved, loaded and resumed.
//
// Layer: core. A run resumed from a State continues bit for bit as if it had never stopped.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "loa/error.h"
#include "loa/export.h"
#include "loa/guarantee.h"
#include "loa/held_mask.h"
#include "loa/input.h"
#include "loa/inverse_hessian.h"
#include "loa/linear_operator.h"
#include "loa/objective.h"
#include "loa/reduction.h"
#include "loa/status.h"
#include "loa/vector.h"

LOA_EXPORT_BEGIN
namespace loa {

class Bounds;

// What a run has learned about the resolution and the curvature of f, for its verdict at the end: is x_k a minimizer as
// far as f can tell? docs/statuses.md has the rule.
struct Evidence {
  // The relative difference of two values of f under which slopes decide. Hager and Zhang use 1e-6, which lets f rise
  // visibly. 1e-10 leaves four digits for the rounding of f itself (1e5 terms cost at most five of sixteen).
  static constexpr double kRoundOff = 1e-10;
  double round_off = kRoundOff;  // grows where searches show that f has fewer digits: see Ray
  // Noise is within this multiple of the largest sample of it,
  static constexpr double kNoiseMargin = 4.0;
  // and f that rises by more of itself is not noisy, but steep or wrong: the allowance of Hager and Zhang.
  static constexpr double kLargestNoise = 1e-6;

  double largest_curvature = 0.0;  // <d,dg>/<d,d> of the steps that lowered f in earnest
  double smallest_curvature = std::numeric_limits<double>::infinity();  // of all that lowered f visibly
  double noise = 0.0;                                                   // of f, where it was last measured
  // f where a direction that knows the curvature of f last promised no visible decrease.
  double f_without_promise = std::numeric_limits<double>::infinity();
  double f_returned_to =
      std::numeric_limits<double>::infinity();  // f of the last lower point that the run went back to
  std::int64_t iterations_since_restart = 0;
};

// Everything in a State that copies member by member.
struct StateValues {
  std::string algorithm;                // the writer: a state is resumed by the same algorithm only,
  std::int64_t configuration_hash = 0;  // with the same weights and hyper-parameters
  std::int64_t iteration = 0;

  // x_k with f and the gradient there.
  Vector x;
  double f = std::numeric_limits<double>::quiet_NaN();
  Vector grad;

  // S_k proper. x_{k-1} with f and the gradient there.
  Vector x_prev;
  double f_prev = std::numeric_limits<double>::quiet_NaN();
  Vector grad_prev;
  Vector direction_prev;       // U's unit step from x_{k-1}: -gamma B_{k-1} g_{k-1} where B keeps y
  double step_size = 1.0;      // what the line search made of it: d_k = step_size * direction_prev
  std::vector<Vector> memory;  // what else the algorithm keeps, for instance m and v of Adam
  Matrix hidden;               // of recurrent models: n rows, a column for each hidden unit; empty for the others
  double gamma = std::numeric_limits<double>::quiet_NaN();  // of first-order methods: the step-size that was estimated
  double next_scale = 1.0;  // of the last prediction: times the initial scale of B in this iteration
  double beta_power = 1.0;  // of rnnprop: beta^t after t gradients

  // The run's own book-keeping: needed to stop a resumed run where the uninterrupted one would have stopped.
  double f_start = std::numeric_limits<double>::quiet_NaN();
  double grad_inf_norm_start = std::numeric_limits<double>::quiet_NaN();
  double lowest_f = std::numeric_limits<double>::infinity();
  double lowest_grad_inf_norm = std::numeric_limits<double>::infinity();
  double f_at_progress = std::numeric_limits<double>::infinity();  // f when it last fell visibly
  std::int64_t iterations_without_progress = 0;                    // since then
  Status ended = Status::kRunning;  // set when the run ended for a reason in f, not by a tolerance or a limit
  bool best_is_behind = false;      // x_k is not the lowest finite point that any trial has seen:
  double best_f = std::numeric_limits<double>::quiet_NaN();  // f at that point
  Vector best_x, best_grad;
  Evidence evidence;
  // Evaluations of f before GradientError::refine() was called; 0: it was not.
  std::int64_t refined_at = 0;
  std::int64_t num_projected = 0;  // variables of the start, in this slice, that were moved to their bounds
  Evaluations evaluations;
  Fallbacks fallbacks;

  // Safeguard::kSpectrum only. The spectrum is what is certain about the eigenvalues of B_{k-1}, so that not every
  // iteration has to find out; the spectrum lies inside guarantee.eigenvalues.
  Guarantee guarantee;
  EigenvalueRange spectrum;

  // Not saved: a run gets them from its options.
  const Reduction* reduction = &Reduction::serial();
  const LinearOperator* initial_inverse_hessian = nullptr;  // null: the identity
  const Bounds* bounds = nullptr;                           // on x; null: none. During a run alone
  Index dimension_of_all = 0;                               // n over all slices; 0: that of this slice
  // sum_i |g_i x_i| at x_k over all slices, where the trial that became x_k took it along; otherwise NaN.
  double sum_of_products = std::numeric_limits<double>::quiet_NaN();
  // With bounds: how many coordinates of x_k are held, and <g,g> of the free gradient, over all slices, where they are
  // known; otherwise NaN.
  double num_held = std::numeric_limits<double>::quiet_NaN();
  HeldMask held;  // which they are in this slice, where num_held is known
  double free_squares = std::numeric_limits<double>::quiet_NaN();
  double num_arrived = std::numeric_limits<double>::quiet_NaN();  // at a bound, with the step to x_k; likewise
};

// (x_k, S_k). Copying it copies B.
struct State : StateValues {
  State() = default;
  State(const State& other);
  State& operator=(const State& other);
  State(State&&) = default;
  State& operator=(State&&) = default;

  std::unique_ptr<InverseHessian> B;  // B_{k-1}; null for algorithms that have none

  Index dimension() const { return x.size(); }  // of this slice
  Index whole_dimension() const { return dimension_of_all > 0 ? dimension_of_all : dimension(); }
};

// To and from a safetensors file. Both return no error on success and one line saying what is wrong otherwise.
// Writing is atomic: an interrupted save leaves the old file.
Error save_state(const State& state, const std::string& path);
Error load_state(const std::string& path, State& state);

// The same file in memory.
std::string state_bytes(const State& state);
Error state_from_bytes(const std::string& bytes, State& state);

}  // namespace loa
LOA_EXPORT_END
