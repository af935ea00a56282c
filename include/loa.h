// The C interface of loa, for C11 and for every language that can call C.
//
//   loa_result* result = NULL;
//   if (loa_minimize(f, NULL, n, x0, NULL, &result) != LOA_OK) puts(loa_error_message());
//
// Layer: c_api. No exception leaves these functions. Objects are made and freed by the library, so new versions may let
// them grow. Different threads may use different objects at the same time. docs/c.md explains.
#ifndef LOA_H_
#define LOA_H_

#include <stddef.h>
#include <stdint.h>

#include "loa/export.h"
#include "loa/version.h"

LOA_EXPORT_BEGIN
#ifdef __cplusplus
extern "C" {
#endif

// What functions return. A run that ends without convergence is no error: see loa_result.
typedef int32_t loa_error;
enum loa_error_code {
  LOA_OK = 0,
  LOA_ERROR_ARGUMENT = 1,  // a mistake in the call: an unknown name, a value out of range, a null pointer
  LOA_ERROR_FILE = 2,      // a file cannot be read, written or understood
  LOA_ERROR_CALLBACK = 3,  // a callback called loa_callback_fail, or threw a C++ exception
  LOA_ERROR_MEMORY = 4,    // there is too little memory
  LOA_ERROR_GRADIENT = 5,  // loa_check_gradient: the gradient does not agree with differences
  LOA_ERROR_INTERNAL = 6   // a mistake in loa
};

// One line about the last call in this thread that did not return LOA_OK. Never null. Good until the next such call.
const char* loa_error_message(void);

// The version of the library that is loaded, "0.1.0", and as 10000 major + 100 minor + patch. LOA_VERSION is that of
// the header. A loaded library is fit if its major version is the header's and it is not older.
const char* loa_version(void);
int32_t loa_version_number(void);

// The names of things: `what` is "algorithms", "line-searches", "weights" or "options". Returns the name
// number `index`, from 0, or null after the last one and for another `what`.
const char* loa_name(const char* what, size_t index);

// --- callbacks -----------------------------------------------------------------------------------------------------

// Returns f(x) and fills all n entries of grad. A value that is not finite means "outside the domain" and is allowed
// everywhere but at the start. `user` is what was passed beside the function.
typedef double (*loa_function)(int64_t n, const double* x, double* grad, void* user);

// out = Hessian(x) v, all of length n.
typedef void (*loa_hessian_vector_function)(int64_t n, const double* x, const double* v, double* out, void* user);

// Fills the n x n entries of the Hessian, which is symmetric.
typedef void (*loa_hessian_function)(int64_t n, const double* x, double* hessian, void* user);

// May be called inside a callback, in the thread of the run. Ends the run as soon as the callback returns:
// loa_minimize returns LOA_ERROR_CALLBACK, with `message` as loa_error_message. There is no result then. Returns
// LOA_ERROR_ARGUMENT outside a callback.
loa_error loa_callback_fail(const char* message);

// Likewise, but ends the run after the iteration, with LOA_STATUS_STOPPED_BY_OBSERVER, its best point and a state.
loa_error loa_callback_stop(void);

// The pair (x_k, S_k), from which a run is resumed bit for bit.
typedef struct loa_state loa_state;

// What an observer sees at x_0 and after each iteration. The library owns it, and it lives until the observer returns.
typedef struct loa_progress {
  int64_t iteration;
  int64_t n;
  const double* x;
  double f;
  const double* grad;
  double grad_inf_norm;
  double step_size;
  int64_t value_evaluations;  // since the first start
  double seconds;             // since the call
  const loa_state* state;     // for loa_state_save: a file from which loa_resume goes on as if nothing had happened
} loa_progress;

// Returns 0 to go on, another number to stop the run.
typedef int (*loa_observer)(const loa_progress* progress, void* user);

// --- options -------------------------------------------------------------------------------------------------------

// What a run may be told. A null pointer stands for the defaults wherever options are asked for.
typedef struct loa_options loa_options;

// The defaults, or null when there is too little memory. loa_options_free takes a null pointer as well.
loa_options* loa_options_new(void);
void loa_options_free(loa_options* options);

// Sets an option by name: "gtol" to "1e-8". The names and their values are in docs/c.md; loa_name lists them. An
// unknown name or a value out of range is LOA_ERROR_ARGUMENT, with the names or the values that are expected in the
// message.
loa_error loa_options_set(loa_options* options, const char* name, const char* value);
// The same with a number, for the options that are numbers.
loa_error loa_options_set_number(loa_options* options, const char* name, double value);

// Null takes the callback away again.
loa_error loa_options_set_observer(loa_options* options, loa_observer observer, void* user);
loa_error loa_options_set_hessian_vector(loa_options* options, loa_hessian_vector_function product, void* user);
loa_error loa_options_set_hessian(loa_options* options, loa_hessian_function hessian, void* user);

// Gets a heading and then a line of text for x_0 and for each iteration, without an end of line.
typedef void (*loa_progress_line)(const char* line, void* user);
loa_error loa_options_set_progress(loa_options* options, loa_progress_line progress, void* user);
// One such function: prints the lines to `file`, a FILE*; null: to standard error.
void loa_print_progress(const char* line, void* file);

// out = H v, both of length n.
typedef void (*loa_linear_operator)(int64_t n, const double* v, double* out, void* user);

// An initial metric: B begins as a multiple of H, a symmetric positive definite operator. Null takes it away again.
loa_error loa_options_set_initial_inverse_hessian(loa_options* options, loa_linear_operator product, void* user);

// A warm start: the run begins at the point of the state with its B, and at x0 where that leads nowhere, see
// docs/warm-starts.md. What is needed of the state is copied. A null pointer takes it away again.
loa_error loa_options_set_warm(loa_options* options, const loa_state* state);
// The same from a point and a symmetric positive definite matrix of n x n numbers, such as an inverse Hessian there.
loa_error loa_options_set_warm_matrix(loa_options* options, int64_t n, const double* x, const double* B);
// Bounds on the variables, lower <= x <= upper: n numbers each, which are copied; a null pointer, for both as well,
// means none on that side, and so does an infinity. f is not called outside of them. For auto, bfgs+d, bfgs+, sr1+,
// loa, bfgs, l-bfgs+d, l-bfgs+ and l-bfgs.
loa_error loa_options_set_bounds(loa_options* options, int64_t n, const double* lower, const double* upper);

// --- runs ----------------------------------------------------------------------------------------------------------

// How a run ended. The first four after LOA_STATUS_RUNNING are successes. Their numbers stay.
enum loa_status {
  LOA_STATUS_RUNNING = 0,
  LOA_STATUS_GRADIENT_IS_SMALL = 1,
  LOA_STATUS_RELATIVE_GRADIENT_IS_SMALL = 2,
  LOA_STATUS_OBJECTIVE_IS_FLAT = 3,
  LOA_STATUS_CONVERGED_TO_WORKING_PRECISION = 4,
  LOA_STATUS_ITERATION_LIMIT_REACHED = 5,
  LOA_STATUS_EVALUATION_LIMIT_REACHED = 6,
  LOA_STATUS_TIME_LIMIT_REACHED = 7,
  LOA_STATUS_STOPPED_BY_OBSERVER = 8,
  LOA_STATUS_LINE_SEARCH_FAILED = 9,
  LOA_STATUS_START_IS_NOT_FINITE = 10,
  LOA_STATUS_OBJECTIVE_IS_UNBOUNDED = 11,
  LOA_STATUS_OBJECTIVE_BECAME_NOT_FINITE = 12,
  LOA_STATUS_STALLED = 13
};

// What a run returns. The library makes it, owns all it points to, and frees it with loa_result_free. New members come
// at the end.
typedef struct loa_result {
  int64_t n;
  const double* x;  // the lowest finite point that was seen; after a success the last iterate
  double f;
  const double* grad;
  double grad_inf_norm;

  int32_t status;           // one of loa_status
  int32_t success;          // 1 or 0
  const char* status_name;  // "gradient_is_small"
  const char* message;      // one sentence

  int64_t iterations;
  int64_t value_evaluations;
  int64_t gradient_evaluations;
  int64_t hessian_vector_evaluations;
  int64_t hessian_evaluations;

  int64_t model_fallbacks;    // y_k was not usable, y = d was taken
  int64_t skipped_fallbacks;  // the curvature was not usable either, B was kept
  int64_t restart_fallbacks;  // the state was reset and the step taken along -g
  union {
    int64_t spectrum_fallbacks;  // an update would have left [c, C]: safeguard "spectrum" only
    int64_t bounded_fallbacks;   // the old name, which the next version drops
  };

  double seconds;
  const loa_state* state;  // where the run ended, to save or to resume; lives as long as the result

  // A visibly lower point that a method without a decrease test has seen before it succeeded elsewhere; null otherwise.
  const double* lower_x;
  double lower_f;

  int64_t search_fallbacks;  // a search failed and was tried again by another one, with or without success
  int64_t warm_fallbacks;    // the warm start was given up for a cold one, or its B after the first steps
  // Of runs with bounds, otherwise null and 0.
  const signed char* active;  // for each variable: -1 held by its lower bound, 1 by its upper one, 0 free
  const double* multipliers;  // the gradient at variables that are held, otherwise 0
  int64_t num_active;         // how many are held
  int64_t num_projected;      // variables of the start that were outside
  int64_t box_fallbacks;      // steps of B_0 alone in place of those of the model inside the bounds
} loa_result;

// Minimizes f from x0, n numbers that are copied. On LOA_OK *result is new, otherwise null.
loa_error loa_minimize(loa_function f, void* user, int64_t n, const double* x0, const loa_options* options,
                       loa_result** result);

// Continues a run. f, weights, hyper-parameters, line search and safeguard must be those of the first run; the
// algorithm is that of the state unless the options name one. Limits on iterations and evaluations count from the first
// start.
loa_error loa_resume(loa_function f, void* user, const loa_state* state, const loa_options* options,
                     loa_result** result);

// Frees a result; a null pointer is allowed.
void loa_result_free(loa_result* result);

// To and from a file. Saving is atomic: an interrupted one leaves the old file. On LOA_OK *state is new, otherwise
// null.
loa_error loa_state_save(const loa_state* state, const char* path);
loa_error loa_state_load(const char* path, loa_state** state);

// What is in a state. The text lives as long as the state.
int64_t loa_state_dimension(const loa_state* state);
int64_t loa_state_iteration(const loa_state* state);
const char* loa_state_algorithm(const loa_state* state);

// Frees a state that was loaded, not that of a result; a null pointer is allowed.
void loa_state_free(loa_state* state);

// --- series --------------------------------------------------------------------------------------------------------

// Minimizes related problems one after the other, and learns from one solve for the next (docs/warm-starts.md).
typedef struct loa_series loa_series;

// With the options of every run, which are copied; null: the defaults. On LOA_OK *series is new, otherwise null.
loa_error loa_series_new(const loa_options* options, loa_series** series);

// As loa_minimize. x0 is where a run without a memory begins. After a code other than LOA_OK nothing was learned.
loa_error loa_series_minimize(loa_series* series, loa_function f, void* user, int64_t n, const double* x0,
                              loa_result** result);

// What the series knows, to and from a file; not the options. A series that could not load is as it was.
loa_error loa_series_save(const loa_series* series, const char* path);
loa_error loa_series_load(loa_series* series, const char* path);

// A null pointer is allowed.
void loa_series_free(loa_series* series);

// --- gradients -----------------------------------------------------------------------------------------------------

// Compares the gradient with central differences at x, in 4 n + 1 evaluations: the first thing to try when a line
// search fails. `tolerance` is relative, 1e-5 is usual. LOA_ERROR_GRADIENT comes with the worst coordinate in the
// message.
loa_error loa_check_gradient(loa_function f, void* user, int64_t n, const double* x, double tolerance);

// The same inside bounds, n numbers each or a null pointer: at the point of the bounds that is nearest to x, with
// differences to one side where a bound is near. f is never called outside; variables that the bounds fix are not
// compared.
loa_error loa_check_gradient_in_bounds(loa_function f, void* user, int64_t n, const double* x, const double* lower,
                                       const double* upper, double tolerance);

// --- problems to train on ------------------------------------------------------------------------------------------

// The members of one family of problems, in a shared library of one's own that `loa train --problems-library FILE` and
// `loa weights certify` load. The functions are called from several threads, with different members at
// the same time; --threads 1 prevents that. Equal numbers must give equal problems.
typedef struct loa_problems {
  int64_t struct_size;                               // sizeof(loa_problems): new members come at the end
  int64_t count;                                     // members are 0, ..., count - 1; 0: every number from 0 is good
  int64_t (*dimension)(int64_t member, void* user);  // n, at least 1
  void (*start)(int64_t member, int64_t n, double* x0, void* user);  // fills x0
  // As a loa_function.
  double (*value_and_gradient)(int64_t member, int64_t n, const double* x, double* grad, void* user);
  void* user;
} loa_problems;

// What such a library defines under the name LOA_PROBLEMS_FUNCTION: called once, and what it returns must stay.
typedef const loa_problems* (*loa_problems_function)(void);
#define LOA_PROBLEMS_FUNCTION "loa_own_problems"

#ifdef __cplusplus
}
#endif
LOA_EXPORT_END

#endif  // LOA_H_
