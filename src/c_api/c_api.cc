// The C interface: pointers are checked, callbacks become an Objective, exceptions become codes and a line of text.
#include <cstdio>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "c_api/options.h"
#include "core/counts.h"
#include "loa.h"
#include "loa/loa.h"

static_assert(LOA_STATUS_OBJECTIVE_BECAME_NOT_FINITE == static_cast<int>(loa::Status::kObjectiveBecameNotFinite) &&
              LOA_STATUS_CONVERGED_TO_WORKING_PRECISION ==
                  static_cast<int>(loa::Status::kConvergedToWorkingPrecision) &&
              LOA_STATUS_STOPPED_BY_OBSERVER == static_cast<int>(loa::Status::kStoppedByObserver));

// Owns a state, or shows that of a run in progress.
struct loa_state {
  loa::State owned;
  const loa::State* shown = nullptr;

  const loa::State& value() const { return shown == nullptr ? owned : *shown; }
};

struct loa_options {
  loa::Options options = {};
  bool has_algorithm = false;
  loa_observer observer = nullptr;
  void* observer_user = nullptr;
  loa_hessian_vector_function hessian_vector = nullptr;
  void* hessian_vector_user = nullptr;
  loa_hessian_function hessian = nullptr;
  void* hessian_user = nullptr;
};

struct loa_series {
  loa_options options = {};
  loa::Series series;
};

namespace loa {
namespace {

// --- errors ----------------------------------------------------------------------------------------------------------

thread_local std::string error_text;
thread_local const char* error_message = "";

// Keeps the message, with the name of the function in front where one is given.
loa_error fail(loa_error code, const char* what, const char* call = nullptr) noexcept {
  try {
    error_text = (call == nullptr ? "" : std::string(call) + ": ") + printable(what);
    error_message = error_text.c_str();
  } catch (...) {
    error_message = "too little memory, even for a message";
  }
  return code;
}

loa_error fail(loa_error code, const std::string& what) noexcept { return fail(code, what.c_str()); }

// A callback has failed. Passes through the loop as a user's exception does.
struct CallbackFailure {
  std::string message;
};

void require(bool condition, const char* what) {
  if (!condition) throw std::invalid_argument(what);
}

// Runs the body of a function of the interface, which returns LOA_OK or what fail() returned. Everything thrown inside
// becomes a code. `call` is the name of the function.
template <class Body>
loa_error guarded(const char* call, Body body) noexcept {
  try {
    return body();
  } catch (const CallbackFailure& failure) {
    return fail(LOA_ERROR_CALLBACK, failure.message);
  } catch (const std::invalid_argument& mistake) {
    return fail(LOA_ERROR_ARGUMENT, mistake.what(), call);
  } catch (const std::bad_alloc&) {
    return fail(LOA_ERROR_MEMORY, "found too little memory", call);
  } catch (const std::exception& error) {
    return fail(LOA_ERROR_INTERNAL, error.what(), call);
  } catch (...) {
    return fail(LOA_ERROR_INTERNAL, "unknown error", call);
  }
}

// --- callbacks -------------------------------------------------------------------------------------------------------

// What callbacks have asked for in the run that called them. A callback may minimize something itself, so runs nest.
class Run {
 public:
  Run() : outer_(innermost_) { innermost_ = this; }
  ~Run() { innermost_ = outer_; }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  static Run* innermost() { return innermost_; }

  bool stop = false;
  bool failed = false;
  std::string message;

 private:
  static thread_local Run* innermost_;
  Run* outer_;
};
thread_local Run* Run::innermost_ = nullptr;

// Calls the user's code.
template <class Callback>
auto call(const Run& run, Callback callback) {
  const auto checked = [&] {
    try {
      return callback();
    } catch (const std::exception& error) {
      throw CallbackFailure{error.what()};
    } catch (...) {
      throw CallbackFailure{"a callback threw something that is no std::exception"};
    }
  };
  const auto value = checked();
  if (run.failed) throw CallbackFailure{run.message};
  return value;
}

// The same for a callback that is no part of the objective, in the innermost run.
template <class Callback>
void call_alone(Callback callback) {
  const auto done = [&] {
    callback();
    return true;
  };
  if (Run::innermost() != nullptr) call(*Run::innermost(), done);
}

class CallbackObjective final : public Objective {
 public:
  CallbackObjective(Index n, loa_function f, void* user, const loa_options& options)
      : n_(n), f_(f), user_(user), options_(options) {}

  Index dimension() const override { return n_; }

  double value_and_gradient(const Vector& x, Vector& grad) override {
    return call(run_, [&] { return f_(n_, x.data(), grad.data(), user_); });
  }

  bool hessian_vector(const Vector& x, const Vector& v, Vector& out) override {
    if (options_.hessian_vector == nullptr) return false;
    return call(run_, [&] {
      options_.hessian_vector(n_, x.data(), v.data(), out.data(), options_.hessian_vector_user);
      return true;
    });
  }

  bool hessian(const Vector& x, Matrix& hessian) override {
    if (options_.hessian == nullptr) return false;
    return call(run_, [&] {
      options_.hessian(n_, x.data(), hessian.data(), options_.hessian_user);
      return true;
    });
  }

  // To be called at x_0 and after each iteration.
  Continue observe(const Progress& progress) const {
    if (options_.observer != nullptr) {
      const loa_state state{.owned = {}, .shown = &progress.state};
      const loa_progress shown = {.iteration = progress.iteration,
                                  .n = n_,
                                  .x = progress.x.data(),
                                  .f = progress.f,
                                  .grad = progress.grad.data(),
                                  .grad_inf_norm = progress.grad_inf_norm,
                                  .step_size = progress.step_size,
                                  .value_evaluations = progress.evaluations.value,
                                  .seconds = progress.seconds,
                                  .state = &state};
      if (call(run_, [&] { return options_.observer(&shown, options_.observer_user); }) != 0) return Continue::kNo;
    }
    return run_.stop ? Continue::kNo : Continue::kYes;
  }

 private:
  Index n_;
  loa_function f_;
  void* user_;
  const loa_options& options_;
  Run run_;
};

// --- results ---------------------------------------------------------------------------------------------------------

// The members of loa_result for the counters of core/counts.h, in the same order.
constexpr std::int64_t loa_result::*kEvaluationMembers[] = {
    &loa_result::value_evaluations, &loa_result::gradient_evaluations, &loa_result::hessian_vector_evaluations,
    &loa_result::hessian_evaluations};
constexpr std::int64_t loa_result::*kFallbackMembers[] = {
    &loa_result::model_fallbacks,    &loa_result::skipped_fallbacks, &loa_result::restart_fallbacks,
    &loa_result::spectrum_fallbacks, &loa_result::search_fallbacks,  &loa_result::warm_fallbacks,
    &loa_result::box_fallbacks};
static_assert(std::size(kEvaluationMembers) == std::size(kEvaluationCounters));
static_assert(std::size(kFallbackMembers) == std::size(kFallbackCounters));

// What a loa_result* really points to.
struct Result : loa_result {
  explicit Result(Summary&& from)
      : loa_result{}, summary(std::move(from)), owned_state{.owned = std::move(summary.state)} {
    n = summary.x.size();
    x = summary.x.data();
    f = summary.f;
    grad = summary.grad.data();
    grad_inf_norm = summary.grad_inf_norm;
    status = static_cast<std::int32_t>(summary.status);
    success = summary.success() ? 1 : 0;
    status_name = name(summary.status).data();  // a literal, so it ends with a zero
    message = summary.message.c_str();
    iterations = summary.iterations;
    for (std::size_t i = 0; i < std::size(kEvaluationMembers); ++i)
      this->*kEvaluationMembers[i] = summary.evaluations.*kEvaluationCounters[i].member;
    for (std::size_t i = 0; i < std::size(kFallbackMembers); ++i)
      this->*kFallbackMembers[i] = summary.fallbacks.*kFallbackCounters[i].member;
    seconds = summary.seconds;
    state = &owned_state;
    if (summary.bounds) {
      active = summary.bounds->active.data();
      multipliers = summary.bounds->multipliers.data();
      num_active = summary.bounds->num_active;
      num_projected = summary.bounds->num_projected;
    }
    lower_x = summary.lower ? summary.lower->x.data() : nullptr;
    lower_f = summary.lower ? summary.lower->f : std::numeric_limits<double>::quiet_NaN();
  }

  Summary summary;
  loa_state owned_state;
};

// Defaults for a null pointer.
loa_options copy_of(const loa_options* options) { return options == nullptr ? loa_options{} : *options; }

template <class List>
const char* name_at(const List& list, std::size_t index) {
  return index < list.size() ? list[index].name.c_str() : nullptr;
}

const char* find_name(const std::string& what, std::size_t index) {
  if (what == "algorithms") return name_at(algorithms(), index);
  if (what == "line-searches") return name_at(line_searches(), index);
  if (what == "weights") return name_at(builtin_weights(), index);
  if (what == "options" && index < option_names().size()) return option_names()[index].c_str();
  return nullptr;
}

// loa_options_set and loa_options_set_number.
template <class Value>
loa_error set_checked(const char* function, loa_options* options, const char* name, const Value& value) {
  return guarded(function, [&] {
    require(options != nullptr && name != nullptr, "expected options and a name, found a null pointer");
    if (const Error error = set_option(options->options, name, value)) return fail(LOA_ERROR_ARGUMENT, error.message());
    if (std::string(name) == "algorithm") options->has_algorithm = true;
    return loa_error{LOA_OK};
  });
}

// Sets a callback and what goes with it.
template <class Callback>
loa_error set_callback(loa_options* options, Callback loa_options::*callback, Callback value, void* loa_options::*user,
                       void* user_value) {
  if (options == nullptr) return fail(LOA_ERROR_ARGUMENT, "expected options, found a null pointer");
  options->*callback = value;
  options->*user = user_value;
  return LOA_OK;
}

// A null pointer is an empty vector.
Vector copied(const double* numbers, std::int64_t n) {
  return numbers == nullptr ? Vector() : Vector(Eigen::Map<const Vector>(numbers, n));
}

}  // namespace
}  // namespace loa

const char* loa_error_message(void) { return loa::error_message; }

const char* loa_version(void) { return LOA_VERSION; }

int32_t loa_version_number(void) { return 10000 * LOA_VERSION_MAJOR + 100 * LOA_VERSION_MINOR + LOA_VERSION_PATCH; }

const char* loa_name(const char* what, size_t index) {
  const char* found = nullptr;
  loa::guarded("loa_name", [&] {
    found = what == nullptr ? nullptr : loa::find_name(what, index);
    return loa_error{LOA_OK};
  });
  return found;
}

loa_error loa_callback_fail(const char* message) {
  return loa::guarded("loa_callback_fail", [&] {
    loa::Run* run = loa::Run::innermost();
    loa::require(run != nullptr, "expected to be called in a callback, in the thread of its run");
    run->failed = true;
    run->message = message == nullptr ? "a callback failed" : message;
    return loa_error{LOA_OK};
  });
}

loa_error loa_callback_stop(void) {
  return loa::guarded("loa_callback_stop", [&] {
    loa::Run* run = loa::Run::innermost();
    loa::require(run != nullptr, "expected to be called in a callback, in the thread of its run");
    run->stop = true;
    return loa_error{LOA_OK};
  });
}

loa_options* loa_options_new(void) {
  loa_options* options = nullptr;
  loa::guarded("loa_options_new", [&] {
    options = new loa_options;
    return loa_error{LOA_OK};
  });
  return options;
}

void loa_options_free(loa_options* options) { delete options; }

loa_error loa_options_set(loa_options* options, const char* name, const char* value) {
  if (value == nullptr)
    return loa::fail(LOA_ERROR_ARGUMENT, "expected a value, found a null pointer", "loa_options_set");
  return loa::set_checked<std::string>("loa_options_set", options, name, value);
}

loa_error loa_options_set_number(loa_options* options, const char* name, double value) {
  return loa::set_checked("loa_options_set_number", options, name, value);
}

loa_error loa_options_set_observer(loa_options* options, loa_observer observer, void* user) {
  return loa::set_callback(options, &loa_options::observer, observer, &loa_options::observer_user, user);
}

loa_error loa_options_set_progress(loa_options* options, loa_progress_line progress, void* user) {
  return loa::guarded("loa_options_set_progress", [&] {
    loa::require(options != nullptr, "expected options, found a null pointer");
    options->options.progress = nullptr;
    if (progress != nullptr)
      options->options.progress = [progress, user](std::string_view line) {
        loa::call_alone([&] { progress(std::string(line).c_str(), user); });
      };
    return loa_error{LOA_OK};
  });
}

void loa_print_progress(const char* line, void* file) {
  std::FILE* const out = file == nullptr ? stderr : static_cast<std::FILE*>(file);
  std::fprintf(out, "%s\n", line);
  std::fflush(out);
}

loa_error loa_options_set_hessian_vector(loa_options* options, loa_hessian_vector_function product, void* user) {
  return loa::set_callback(options, &loa_options::hessian_vector, product, &loa_options::hessian_vector_user, user);
}

loa_error loa_options_set_hessian(loa_options* options, loa_hessian_function hessian, void* user) {
  return loa::set_callback(options, &loa_options::hessian, hessian, &loa_options::hessian_user, user);
}

loa_error loa_options_set_bounds(loa_options* options, int64_t n, const double* lower, const double* upper) {
  return loa::guarded("loa_options_set_bounds", [&] {
    loa::require(options != nullptr, "expected options, found a null pointer");
    loa::require(n >= 0, "expected a dimension of 0 or more");
    loa::Vector of_lower = loa::copied(lower, n), of_upper = loa::copied(upper, n);
    options->options.lower.swap(of_lower);
    options->options.upper.swap(of_upper);
    return loa_error{LOA_OK};
  });
}

loa_error loa_options_set_initial_inverse_hessian(loa_options* options, loa_linear_operator product, void* user) {
  return loa::guarded("loa_options_set_initial_inverse_hessian", [&] {
    loa::require(options != nullptr, "expected options, found a null pointer");
    options->options.initial_inverse_hessian = nullptr;
    if (product != nullptr)
      options->options.initial_inverse_hessian = [product, user](const loa::Vector& v, loa::Vector& out) {
        product(v.size(), v.data(), out.data(), user);
      };
    return loa_error{LOA_OK};
  });
}

loa_error loa_options_set_warm(loa_options* options, const loa_state* state) {
  return loa::guarded("loa_options_set_warm", [&] {
    loa::require(options != nullptr, "expected options, found a null pointer");
    options->options.warm = state == nullptr ? loa::WarmStart() : loa::WarmStart(state->value());
    return loa_error{LOA_OK};
  });
}

loa_error loa_options_set_warm_matrix(loa_options* options, int64_t n, const double* x, const double* B) {
  return loa::guarded("loa_options_set_warm_matrix", [&] {
    loa::require(options != nullptr, "expected options, found a null pointer");
    loa::require(n >= 0, "expected a dimension of 0 or more");
    loa::require((x != nullptr && B != nullptr) || n == 0, "expected a point and a matrix, found a null pointer");
    options->options.warm = loa::WarmStart(Eigen::Map<const loa::Vector>(x, n), Eigen::Map<const loa::Matrix>(B, n, n));
    return loa_error{LOA_OK};
  });
}

namespace loa {
namespace {

// Of loa_minimize and loa_series_minimize: minimize(objective, start, options) is called with checked arguments.
template <class Minimize>
loa_error minimize_checked(const char* function, loa_function f, void* user, int64_t n, const double* x0,
                           loa_options mine, loa_result** result, const Minimize& minimize) {
  return guarded(function, [&] {
    require(result != nullptr, "expected a place for the result, found a null pointer");
    *result = nullptr;
    require(f != nullptr, "expected a function, found a null pointer");
    require(n >= 0, "expected a dimension of 0 or more");
    require(x0 != nullptr || n == 0, "expected a start, found a null pointer");
    const Vector start = n == 0 ? Vector() : Vector(Eigen::Map<const Vector>(x0, n));
    CallbackObjective objective(n, f, user, mine);
    mine.options.observer = [&](const Progress& progress) { return objective.observe(progress); };
    *result = new Result(minimize(objective, start, mine.options));
    return loa_error{LOA_OK};
  });
}

}  // namespace
}  // namespace loa

loa_error loa_minimize(loa_function f, void* user, int64_t n, const double* x0, const loa_options* options,
                       loa_result** result) {
  return loa::minimize_checked("loa_minimize", f, user, n, x0, loa::copy_of(options), result,
                               [](auto& objective, const auto& start, const loa::Options& chosen) {
                                 return loa::minimize(objective, start, chosen);
                               });
}

loa_error loa_resume(loa_function f, void* user, const loa_state* state, const loa_options* options,
                     loa_result** result) {
  return loa::guarded("loa_resume", [&] {
    loa::require(result != nullptr, "expected a place for the result, found a null pointer");
    *result = nullptr;
    loa::require(f != nullptr, "expected a function, found a null pointer");
    loa::require(state != nullptr, "expected a state, found a null pointer");
    loa_options mine = loa::copy_of(options);
    if (!mine.has_algorithm) mine.options.algorithm = state->value().algorithm;
    loa::CallbackObjective objective(state->value().dimension(), f, user, mine);
    mine.options.observer = [&](const loa::Progress& progress) { return objective.observe(progress); };
    *result = new loa::Result(loa::resume(objective, state->value(), mine.options));
    return loa_error{LOA_OK};
  });
}

void loa_result_free(loa_result* result) { delete static_cast<loa::Result*>(result); }

loa_error loa_state_save(const loa_state* state, const char* path) {
  return loa::guarded("loa_state_save", [&] {
    loa::require(state != nullptr && path != nullptr, "expected a state and a path, found a null pointer");
    if (const loa::Error error = loa::save_state(state->value(), path))
      return loa::fail(LOA_ERROR_FILE, error.message());
    return loa_error{LOA_OK};
  });
}

loa_error loa_state_load(const char* path, loa_state** state) {
  return loa::guarded("loa_state_load", [&] {
    loa::require(state != nullptr, "expected a place for the state, found a null pointer");
    *state = nullptr;
    loa::require(path != nullptr, "expected a path, found a null pointer");
    auto loaded = std::make_unique<loa_state>();
    if (const loa::Error error = loa::load_state(path, loaded->owned))
      return loa::fail(LOA_ERROR_FILE, error.message());
    *state = loaded.release();
    return loa_error{LOA_OK};
  });
}

int64_t loa_state_dimension(const loa_state* state) { return state == nullptr ? 0 : state->value().dimension(); }

int64_t loa_state_iteration(const loa_state* state) { return state == nullptr ? 0 : state->value().iteration; }

const char* loa_state_algorithm(const loa_state* state) {
  return state == nullptr ? "" : state->value().algorithm.c_str();
}

void loa_state_free(loa_state* state) { delete state; }

loa_error loa_series_new(const loa_options* options, loa_series** series) {
  return loa::guarded("loa_series_new", [&] {
    loa::require(series != nullptr, "expected a place for the series, found a null pointer");
    *series = nullptr;
    auto made = std::make_unique<loa_series>();
    made->options = loa::copy_of(options);
    made->series = loa::Series(made->options.options);
    *series = made.release();
    return loa_error{LOA_OK};
  });
}

loa_error loa_series_minimize(loa_series* series, loa_function f, void* user, int64_t n, const double* x0,
                              loa_result** result) {
  if (series == nullptr)
    return loa::fail(LOA_ERROR_ARGUMENT, "expected a series, found a null pointer", "loa_series_minimize");
  const auto run = [series](auto& objective, const auto& start, const loa::Options& chosen) {
    series->series.set_observer(chosen.observer);
    return series->series.minimize(objective, start);
  };
  return loa::minimize_checked("loa_series_minimize", f, user, n, x0, series->options, result, run);
}

loa_error loa_series_save(const loa_series* series, const char* path) {
  return loa::guarded("loa_series_save", [&] {
    loa::require(series != nullptr && path != nullptr, "expected a series and a path, found a null pointer");
    if (const loa::Error error = series->series.save(path)) return loa::fail(LOA_ERROR_FILE, error.message());
    return loa_error{LOA_OK};
  });
}

loa_error loa_series_load(loa_series* series, const char* path) {
  return loa::guarded("loa_series_load", [&] {
    loa::require(series != nullptr && path != nullptr, "expected a series and a path, found a null pointer");
    if (const loa::Error error = series->series.load(path)) return loa::fail(LOA_ERROR_FILE, error.message());
    return loa_error{LOA_OK};
  });
}

void loa_series_free(loa_series* series) { delete series; }

loa_error loa_check_gradient(loa_function f, void* user, int64_t n, const double* x, double tolerance) {
  return loa_check_gradient_in_bounds(f, user, n, x, nullptr, nullptr, tolerance);
}

loa_error loa_check_gradient_in_bounds(loa_function f, void* user, int64_t n, const double* x, const double* lower,
                                       const double* upper, double tolerance) {
  return loa::guarded("loa_check_gradient", [&] {
    loa::require(f != nullptr, "expected a function, found a null pointer");
    loa::require(n >= 0, "expected a dimension of 0 or more");
    loa::require(x != nullptr || n == 0, "expected a point, found a null pointer");
    loa::require(tolerance > 0.0, "expected a positive tolerance");
    const loa_options none;
    loa::CallbackObjective objective(n, f, user, none);
    const loa::GradientCheck check =
        loa::check_gradient(objective, loa::copied(x, n),
                            {.tolerance = tolerance, .lower = loa::copied(lower, n), .upper = loa::copied(upper, n)});
    return check.ok ? loa_error{LOA_OK} : loa::fail(LOA_ERROR_GRADIENT, check.message);
  });
}
