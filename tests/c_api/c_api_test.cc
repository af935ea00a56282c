// The C interface against the C++ one, and every way to be refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "loa.h"
#include "loa/loa.h"
#include "paths.h"
#include "support/algorithms.h"
#include "support/run_program.h"
#include "support/temporary_path.h"

namespace loa {
namespace {

using testing::HasSubstr;

struct Free {
  void operator()(loa_options* options) const { loa_options_free(options); }
  void operator()(loa_result* result) const { loa_result_free(result); }
  void operator()(loa_state* state) const { loa_state_free(state); }
};
using OptionsPointer = std::unique_ptr<loa_options, Free>;
using ResultPointer = std::unique_ptr<loa_result, Free>;
using StatePointer = std::unique_ptr<loa_state, Free>;

const double kStart[] = {-1.2, 1.0};

double rosenbrock(std::int64_t, const double* x, double* grad, void* calls) {
  if (calls != nullptr) ++*static_cast<int*>(calls);
  const double a = 1 - x[0], b = x[1] - x[0] * x[0];
  grad[0] = -2 * a - 400 * x[0] * b;
  grad[1] = 200 * b;
  return a * a + 100 * b * b;
}

void rosenbrock_hessian(std::int64_t, const double* x, double* hessian, void*) {
  hessian[0] = 2 - 400 * (x[1] - 3 * x[0] * x[0]);
  hessian[1] = hessian[2] = -400 * x[0];
  hessian[3] = 200;
}

void rosenbrock_product(std::int64_t n, const double* x, const double* v, double* out, void*) {
  double hessian[4];
  rosenbrock_hessian(n, x, hessian, nullptr);
  out[0] = hessian[0] * v[0] + hessian[1] * v[1];
  out[1] = hessian[2] * v[0] + hessian[3] * v[1];
}

OptionsPointer make_options(const std::vector<std::pair<const char*, const char*>>& values) {
  OptionsPointer options(loa_options_new());
  for (const auto& [name, value] : values)
    EXPECT_EQ(loa_options_set(options.get(), name, value), LOA_OK) << loa_error_message();
  return options;
}

ResultPointer run_rosenbrock(const loa_options* options, void* calls = nullptr) {
  loa_result* result = nullptr;
  EXPECT_EQ(loa_minimize(rosenbrock, calls, 2, kStart, options, &result), LOA_OK) << loa_error_message();
  return ResultPointer(result);
}

// Would catch a member of the result that is filled from the wrong place, and an option that goes nowhere.
TEST(CApi, GivesWhatCppGives) {
  const auto f = [](const Vector& x, Vector& grad) { return rosenbrock(2, x.data(), grad.data(), nullptr); };
  for (const std::string& algorithm :
       test::algorithms_except(test::skip({"newton"}, "the C interface has no Hessian"))) {
    const Summary summary =
        minimize(f, Vector{{-1.2, 1.0}},
                 {.algorithm = algorithm, .hyper_parameters = {.memory = 3}, .first_step = 1e-3, .max_iterations = 60});
    const OptionsPointer options = make_options(
        {{"algorithm", algorithm.c_str()}, {"memory", "3"}, {"first_step", "1e-3"}, {"max_iterations", "60"}});
    int calls = 0;
    const ResultPointer result = run_rosenbrock(options.get(), &calls);
    ASSERT_EQ(result->n, 2);
    for (int i : {0, 1}) {
      EXPECT_EQ(result->x[i], summary.x[i]);
      EXPECT_EQ(result->grad[i], summary.grad[i]);
    }
    EXPECT_EQ(result->f, summary.f);
    EXPECT_EQ(result->grad_inf_norm, summary.grad_inf_norm);
    EXPECT_EQ(result->status, static_cast<int>(summary.status));
    EXPECT_EQ(result->success, summary.success() ? 1 : 0);
    EXPECT_EQ(result->status_name, std::string(name(summary.status)));
    EXPECT_EQ(result->message, summary.message);
    EXPECT_EQ(result->iterations, summary.iterations);
    EXPECT_EQ(result->value_evaluations, summary.evaluations.value);
    EXPECT_EQ(result->gradient_evaluations, summary.evaluations.gradient);
    EXPECT_EQ(result->value_evaluations, calls);
    EXPECT_EQ(result->model_fallbacks, summary.fallbacks.model);
    EXPECT_EQ(result->skipped_fallbacks, summary.fallbacks.skipped);
    EXPECT_EQ(result->restart_fallbacks, summary.fallbacks.restart);
    EXPECT_EQ(result->spectrum_fallbacks, summary.fallbacks.spectrum);
    EXPECT_EQ(result->search_fallbacks, summary.fallbacks.search);
    EXPECT_GE(result->seconds, 0.0);
    EXPECT_EQ(loa_state_algorithm(result->state), std::string(algorithm));
    EXPECT_EQ(loa_state_dimension(result->state), 2);
    EXPECT_EQ(loa_state_iteration(result->state), summary.iterations);
  }
}

TEST(CApi, StatusesHaveTheNumbersOfTheHeader) {
  const int numbers[] = {LOA_STATUS_RUNNING,
                         LOA_STATUS_GRADIENT_IS_SMALL,
                         LOA_STATUS_RELATIVE_GRADIENT_IS_SMALL,
                         LOA_STATUS_OBJECTIVE_IS_FLAT,
                         LOA_STATUS_CONVERGED_TO_WORKING_PRECISION,
                         LOA_STATUS_ITERATION_LIMIT_REACHED,
                         LOA_STATUS_EVALUATION_LIMIT_REACHED,
                         LOA_STATUS_TIME_LIMIT_REACHED,
                         LOA_STATUS_STOPPED_BY_OBSERVER,
                         LOA_STATUS_LINE_SEARCH_FAILED,
                         LOA_STATUS_START_IS_NOT_FINITE,
                         LOA_STATUS_OBJECTIVE_IS_UNBOUNDED,
                         LOA_STATUS_OBJECTIVE_BECAME_NOT_FINITE,
                         LOA_STATUS_STALLED};
  const char* names[] = {"running",
                         "gradient_is_small",
                         "relative_gradient_is_small",
                         "objective_is_flat",
                         "converged_to_working_precision",
                         "iteration_limit_reached",
                         "evaluation_limit_reached",
                         "time_limit_reached",
                         "stopped_by_observer",
                         "line_search_failed",
                         "start_is_not_finite",
                         "objective_is_unbounded",
                         "objective_became_not_finite",
                         "stalled"};
  for (std::size_t i = 0; i < std::size(numbers); ++i) EXPECT_EQ(name(static_cast<Status>(numbers[i])), names[i]);
  EXPECT_EQ(name(static_cast<Status>(std::size(numbers))), "unknown");  // a new status needs a number in loa.h
}

TEST(CApi, VersionIsThatOfTheProject) {
  EXPECT_EQ(loa_version(), std::string(LOA_PROJECT_VERSION));
  EXPECT_EQ(loa_version_number(), 10000 * LOA_VERSION_MAJOR + 100 * LOA_VERSION_MINOR + LOA_VERSION_PATCH);
}

TEST(CApi, NamesAreThoseOfTheRegistries) {
  for (std::size_t i = 0; i < algorithms().size(); ++i) EXPECT_EQ(loa_name("algorithms", i), algorithms()[i].name);
  EXPECT_EQ(loa_name("algorithms", algorithms().size()), nullptr);
  EXPECT_STREQ(loa_name("line-searches", 0), line_searches()[0].name.c_str());
  EXPECT_EQ(loa_name("problems", 0), nullptr);  // they are in the laboratory, and no function of C takes one
  EXPECT_STREQ(loa_name("weights", 0), builtin_weights()[0].name.c_str());
  EXPECT_STREQ(loa_name("options", 0), "algorithm");
  EXPECT_EQ(loa_name("nonsense", 0), nullptr);
  EXPECT_EQ(loa_name(nullptr, 0), nullptr);
}

// Every option takes a good value as text, and its table in docs/c.md has a row.
TEST(CApi, OptionsAreDocumented) {
  const std::string page = read_text(std::string(LOA_SOURCE_DIR) + "/docs/c.md");
  const OptionsPointer options(loa_options_new());
  for (std::size_t i = 0; loa_name("options", i) != nullptr; ++i) {
    const std::string name = loa_name("options", i);
    EXPECT_THAT(page, HasSubstr("\n| `" + name + "` |"));
    const char* value = name == "safeguard"                              ? "off"
                        : name == "algorithm"                            ? "sr1"
                        : name == "line_search"                          ? "fixed"
                        : name == "momentum" || name.starts_with("beta") ? "0.5"
                                                                         : "2";
    EXPECT_EQ(loa_options_set(options.get(), name.c_str(), value), LOA_OK) << loa_error_message();
  }
}

TEST(CApi, OldNamesWorkWithAWarning) {
  const OptionsPointer now(loa_options_new()), before(loa_options_new());
  testing::internal::CaptureStderr();
  for (const auto& [name, value] :
       {std::pair{"safeguard", "spectrum"}, {"smallest_eigenvalue", "0.01"}, {"largest_eigenvalue", "0.02"}})
    EXPECT_EQ(loa_options_set(now.get(), name, value), LOA_OK) << loa_error_message();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  for (const auto& [name, value] :
       {std::pair{"safeguard", "bounded"}, {"lower_bound", "0.01"}, {"upper_bound", "0.02"}})
    EXPECT_EQ(loa_options_set(before.get(), name, value), LOA_OK) << loa_error_message();
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "loa: 'bounded' is deprecated, use 'spectrum'\n"
            "loa: 'lower_bound' is deprecated, use 'smallest_eigenvalue'\n"
            "loa: 'upper_bound' is deprecated, use 'largest_eigenvalue'\n");
  const ResultPointer a = run_rosenbrock(now.get()), b = run_rosenbrock(before.get());
  EXPECT_GT(a->spectrum_fallbacks, 0);
  EXPECT_EQ(a->spectrum_fallbacks, b->bounded_fallbacks);
  EXPECT_EQ(a->f, b->f);
}

TEST(CApi, WrongOptionsAreRefused) {
  const OptionsPointer options(loa_options_new());
  const auto refusal = [&](const char* name, const char* value) {
    EXPECT_EQ(loa_options_set(options.get(), name, value), LOA_ERROR_ARGUMENT) << name << " = " << value;
    return std::string(loa_error_message());
  };
  EXPECT_EQ(refusal("gtoll", "1"),
            "option: found 'gtoll', expected one of algorithm, weights, line_search, safeguard, step_size, momentum, "
            "beta1, beta2, memory, smallest_eigenvalue, largest_eigenvalue, first_step, lipschitz, gtol, "
            "gtol_relative, ftol, max_iterations, max_evaluations, max_seconds, did you mean 'gtol'?");
  EXPECT_EQ(refusal("gtol", "-1"), "gtol: found '-1', expected a finite number of at least 0");
  EXPECT_EQ(refusal("gtol", "nan"), "gtol: found 'nan', expected a finite number of at least 0");
  EXPECT_EQ(refusal("gtol", "1e-8x"), "gtol: found '1e-8x', expected a finite number of at least 0");
  EXPECT_EQ(refusal("momentum", "1"), "momentum: found '1', expected a finite number of at least 0 and below 1");
  EXPECT_EQ(refusal("first_step", "0"), "first_step: found '0', expected a finite number above 0");
  EXPECT_EQ(refusal("memory", "0"), "memory: found '0', expected an integer of at least 1");
  EXPECT_EQ(refusal("memory", "2.5"), "memory: found '2.5', expected an integer of at least 1");
  EXPECT_EQ(refusal("safeguard", "maybe"), "safeguard: found 'maybe', expected on, off or spectrum");
  EXPECT_EQ(refusal("gtol", nullptr), "loa_options_set: expected a value, found a null pointer");
  EXPECT_EQ(refusal(nullptr, "1"), "loa_options_set: expected options and a name, found a null pointer");

  EXPECT_EQ(loa_options_set_number(options.get(), "max_iterations", 2.5), LOA_ERROR_ARGUMENT);
  EXPECT_STREQ(loa_error_message(), "max_iterations: found 2.5, expected an integer of at least 0");
  EXPECT_EQ(loa_options_set_number(options.get(), "gtol", std::nan("")), LOA_ERROR_ARGUMENT);
  EXPECT_EQ(loa_options_set_number(options.get(), "algorithm", 1.0), LOA_ERROR_ARGUMENT);
  EXPECT_STREQ(loa_error_message(), "algorithm: found 1, expected a text");
  EXPECT_EQ(loa_options_set_number(options.get(), "max_iterations", 100000.0), LOA_OK);
  EXPECT_EQ(loa_options_set(nullptr, "gtol", "1"), LOA_ERROR_ARGUMENT);
  EXPECT_EQ(loa_options_set_observer(nullptr, nullptr, nullptr), LOA_ERROR_ARGUMENT);
}

// (1 - x)^2 + 100 (y - x^2)^2 where x <= 1/2: the minimizer is (1/2, 1/4), and the multiplier of x is -2 (1 - x).
TEST(CApi, BoundsHoldAndHaveMultipliers) {
  constexpr double kFree = std::numeric_limits<double>::infinity();
  const OptionsPointer options = make_options({{"gtol", "1e-9"}});
  double lower[] = {-kFree, -3.0}, upper[] = {0.5, kFree};
  ASSERT_EQ(loa_options_set_bounds(options.get(), 2, lower, upper), LOA_OK) << loa_error_message();
  lower[0] = upper[0] = 7.0;  // the numbers are copied
  struct Inside {
    int num_calls = 0, num_outside = 0;
    static double value(std::int64_t n, const double* x, double* grad, void* user) {
      Inside& self = *static_cast<Inside*>(user);
      ++self.num_calls;
      self.num_outside += !(x[0] <= 0.5 && x[1] >= -3.0);
      return rosenbrock(n, x, grad, nullptr);
    }
  } inside;
  const double start[] = {2.0, 0.0};
  loa_result* made = nullptr;
  ASSERT_EQ(loa_minimize(Inside::value, &inside, 2, start, options.get(), &made), LOA_OK) << loa_error_message();
  const ResultPointer result(made);
  EXPECT_EQ(result->success, 1) << result->message;
  EXPECT_EQ(inside.num_calls, result->value_evaluations);
  EXPECT_EQ(inside.num_outside, 0);
  EXPECT_EQ(result->x[0], 0.5);
  EXPECT_NEAR(result->x[1], 0.25, 1e-9);
  EXPECT_EQ(result->num_active, 1);
  EXPECT_EQ(result->num_projected, 1);
  EXPECT_EQ(result->active[0], 1);
  EXPECT_EQ(result->active[1], 0);
  EXPECT_NEAR(result->multipliers[0], -1.0, 1e-7);
  EXPECT_EQ(result->multipliers[1], 0.0);

  // Null pointers take the bounds away.
  ASSERT_EQ(loa_options_set_bounds(options.get(), 0, nullptr, nullptr), LOA_OK);
  const ResultPointer free = run_rosenbrock(options.get());
  EXPECT_EQ(free->active, nullptr);
  EXPECT_EQ(free->multipliers, nullptr);
  EXPECT_EQ(free->num_active, 0);
  EXPECT_NEAR(free->x[0], 1.0, 1e-6);
}

TEST(CApi, WrongBoundsAreRefused) {
  const double zero[] = {0.0, 0.0, 0.0}, one[] = {1.0, 1.0, 1.0}, nan[] = {0.0, std::nan("")};
  EXPECT_EQ(loa_options_set_bounds(nullptr, 2, zero, one), LOA_ERROR_ARGUMENT);
  EXPECT_STREQ(loa_error_message(), "loa_options_set_bounds: expected options, found a null pointer");
  const OptionsPointer options(loa_options_new());
  EXPECT_EQ(loa_options_set_bounds(options.get(), -1, zero, one), LOA_ERROR_ARGUMENT);
  // What belongs to the run is refused by the run.
  const auto refusal = [&](std::int64_t n, const double* lower, const double* upper) {
    EXPECT_EQ(loa_options_set_bounds(options.get(), n, lower, upper), LOA_OK) << loa_error_message();
    loa_result* result = nullptr;
    EXPECT_EQ(loa_minimize(rosenbrock, nullptr, 2, kStart, options.get(), &result), LOA_ERROR_ARGUMENT);
    EXPECT_EQ(result, nullptr);
    return std::string(loa_error_message());
  };
  EXPECT_THAT(refusal(3, zero, one), HasSubstr("expected as many lower bounds as variables, 2, or none, found 3"));
  EXPECT_THAT(refusal(1, nullptr, one), HasSubstr("expected as many upper bounds as variables, 2, or none, found 1"));
  EXPECT_THAT(refusal(2, nan, one), HasSubstr("of variable 1"));
  EXPECT_THAT(refusal(2, zero, nan), HasSubstr("of variable 1"));
  EXPECT_THAT(refusal(2, one, zero), HasSubstr("found the bounds 1 and 0 of variable 0"));
  ASSERT_EQ(loa_options_set(options.get(), "algorithm", "adam"), LOA_OK);
  EXPECT_THAT(refusal(2, zero, one), HasSubstr("for bounds, found 'adam'"));
}

TEST(CApi, WrongCallsAreRefused) {
  loa_result* result = nullptr;
  EXPECT_EQ(loa_minimize(nullptr, nullptr, 2, kStart, nullptr, &result), LOA_ERROR_ARGUMENT);
  EXPECT_STREQ(loa_error_message(), "loa_minimize: expected a function, found a null pointer");
  EXPECT_EQ(loa_minimize(rosenbrock, nullptr, -1, kStart, nullptr, &result), LOA_ERROR_ARGUMENT);
  EXPECT_EQ(loa_minimize(rosenbrock, nullptr, 2, nullptr, nullptr, &result), LOA_ERROR_ARGUMENT);
  EXPECT_EQ(loa_minimize(rosenbrock, nullptr, 2, kStart, nullptr, nullptr), LOA_ERROR_ARGUMENT);
  EXPECT_EQ(loa_resume(rosenbrock, nullptr, nullptr, nullptr, &result), LOA_ERROR_ARGUMENT);
  EXPECT_EQ(loa_check_gradient(rosenbrock, nullptr, 2, kStart, std::nan("")), LOA_ERROR_ARGUMENT);
  EXPECT_EQ(result, nullptr);

  const OptionsPointer options = make_options({{"algorithm", "auto"}, {"line_search", ""}});
  EXPECT_EQ(loa_options_set(options.get(), "algorithm", "bfg"), LOA_ERROR_ARGUMENT);
  EXPECT_THAT(loa_error_message(), HasSubstr("algorithm: found 'bfg', expected one of gradient-descent, "));
  EXPECT_THAT(loa_error_message(), HasSubstr("auto, did you mean 'bfgs'?"));
  EXPECT_EQ(loa_options_set(options.get(), "line_search", "weak_wolfe"), LOA_ERROR_ARGUMENT);
  EXPECT_THAT(loa_error_message(), HasSubstr("did you mean 'weak-wolfe'?"));

  // More numbers than there are addresses.
  const std::int64_t too_large = std::int64_t{1} << 62;
  const double one = 1.0;
  EXPECT_EQ(loa_minimize(rosenbrock, nullptr, too_large, &one, nullptr, &result), LOA_ERROR_MEMORY);
  EXPECT_EQ(result, nullptr);
  loa_result_free(nullptr);
  loa_state_free(nullptr);
  loa_options_free(nullptr);
}

TEST(CApi, NoVariablesAndTheOptimumAsStart) {
  loa_result* result = nullptr;
  const auto constant = [](std::int64_t, const double*, double*, void*) { return 7.0; };
  ASSERT_EQ(loa_minimize(constant, nullptr, 0, nullptr, nullptr, &result), LOA_OK) << loa_error_message();
  EXPECT_EQ(result->n, 0);
  EXPECT_EQ(result->f, 7.0);
  EXPECT_EQ(result->success, 1);
  loa_result_free(result);
  const double minimizer[] = {1.0, 1.0};
  ASSERT_EQ(loa_minimize(rosenbrock, nullptr, 2, minimizer, nullptr, &result), LOA_OK);
  EXPECT_EQ(result->value_evaluations, 1);
  EXPECT_EQ(result->status, LOA_STATUS_GRADIENT_IS_SMALL);
  loa_result_free(result);
}

struct CallLimit {
  int calls = 0;
  int limit = 17;
};

// f that fails at the 17th call, in four ways.
TEST(CApi, CallbacksMayFail) {
  loa_result* result = nullptr;
  CallLimit limit;
  const auto fails = [](std::int64_t n, const double* x, double* grad, void* user) {
    auto* state = static_cast<CallLimit*>(user);
    if (++state->calls == state->limit) loa_callback_fail("no more\nfuel");
    return rosenbrock(n, x, grad, nullptr);
  };
  EXPECT_EQ(loa_minimize(fails, &limit, 2, kStart, nullptr, &result), LOA_ERROR_CALLBACK);
  EXPECT_STREQ(loa_error_message(), "no more\\x0afuel");
  EXPECT_EQ(limit.calls, 17);
  EXPECT_EQ(result, nullptr);

  const auto throws = [](std::int64_t, const double*, double*, void*) -> double { throw std::runtime_error("oh"); };
  EXPECT_EQ(loa_minimize(throws, nullptr, 2, kStart, nullptr, &result), LOA_ERROR_CALLBACK);
  EXPECT_STREQ(loa_error_message(), "oh");
  const auto throws_a_number = [](std::int64_t, const double*, double*, void*) -> double { throw 3; };
  EXPECT_EQ(loa_minimize(throws_a_number, nullptr, 2, kStart, nullptr, &result), LOA_ERROR_CALLBACK);

  const OptionsPointer options(loa_options_new());
  const auto observer = [](const loa_progress*, void*) {
    loa_callback_fail(nullptr);
    return 0;
  };
  loa_options_set_observer(options.get(), observer, nullptr);
  EXPECT_EQ(loa_minimize(rosenbrock, nullptr, 2, kStart, options.get(), &result), LOA_ERROR_CALLBACK);
  EXPECT_STREQ(loa_error_message(), "a callback failed");

  // Outside a run there is nothing to end.
  EXPECT_EQ(loa_callback_fail("x"), LOA_ERROR_ARGUMENT);
  EXPECT_EQ(loa_callback_stop(), LOA_ERROR_ARGUMENT);
}

// f may stop the run: it ends after the iteration, with a state from which it goes on as if nothing had happened.
TEST(CApi, CallbacksMayStop) {
  CallLimit limit;
  const auto stops = [](std::int64_t n, const double* x, double* grad, void* user) {
    auto* state = static_cast<CallLimit*>(user);
    if (++state->calls == state->limit) loa_callback_stop();
    return rosenbrock(n, x, grad, nullptr);
  };
  loa_result *stopped = nullptr, *rest = nullptr;
  ASSERT_EQ(loa_minimize(stops, &limit, 2, kStart, nullptr, &stopped), LOA_OK);
  EXPECT_EQ(stopped->status, LOA_STATUS_STOPPED_BY_OBSERVER);
  EXPECT_GE(stopped->value_evaluations, 17);
  ASSERT_EQ(loa_resume(rosenbrock, nullptr, stopped->state, nullptr, &rest), LOA_OK) << loa_error_message();
  const ResultPointer whole = run_rosenbrock(nullptr);
  EXPECT_LT(stopped->value_evaluations, whole->value_evaluations);
  EXPECT_EQ(rest->x[0], whole->x[0]);
  EXPECT_EQ(rest->value_evaluations, whole->value_evaluations);
  loa_result_free(stopped);
  loa_result_free(rest);
}

TEST(CApi, ObserversSeeTheRunAndMayStopIt) {
  std::vector<std::int64_t> seen;
  const auto observer = [](const loa_progress* progress, void* user) {
    auto* list = static_cast<std::vector<std::int64_t>*>(user);
    list->push_back(progress->iteration);
    double grad[2];
    EXPECT_EQ(progress->n, 2);
    EXPECT_EQ(progress->f, rosenbrock(2, progress->x, grad, nullptr));
    EXPECT_EQ(progress->grad[0], grad[0]);
    EXPECT_EQ(progress->grad_inf_norm, std::max(std::abs(grad[0]), std::abs(grad[1])));
    EXPECT_GT(progress->value_evaluations, progress->iteration);
    return progress->iteration == 3 ? 1 : 0;
  };
  const OptionsPointer options(loa_options_new());
  ASSERT_EQ(loa_options_set_observer(options.get(), observer, &seen), LOA_OK);
  EXPECT_EQ(run_rosenbrock(options.get())->status, LOA_STATUS_STOPPED_BY_OBSERVER);
  EXPECT_THAT(seen, testing::ElementsAre(0, 1, 2, 3));
  ASSERT_EQ(loa_options_set_observer(options.get(), nullptr, nullptr), LOA_OK);
  EXPECT_EQ(run_rosenbrock(options.get())->success, 1);
}

TEST(CApi, HessiansReachTheAlgorithms) {
  const OptionsPointer newton = make_options({{"algorithm", "newton"}});
  loa_result* result = nullptr;
  EXPECT_EQ(loa_minimize(rosenbrock, nullptr, 2, kStart, newton.get(), &result), LOA_ERROR_ARGUMENT);
  EXPECT_STREQ(loa_error_message(), "loa_minimize: newton: expected an objective with a Hessian, found one without");
  loa_options_set_hessian(newton.get(), rosenbrock_hessian, nullptr);
  const ResultPointer by_newton = run_rosenbrock(newton.get());
  EXPECT_EQ(by_newton->success, 1);
  EXPECT_GT(by_newton->hessian_evaluations, 0);

  const OptionsPointer exact = make_options({{"algorithm", "conjugate-gradient"}, {"line_search", "exact"}});
  loa_options_set_hessian_vector(exact.get(), rosenbrock_product, nullptr);
  EXPECT_GT(run_rosenbrock(exact.get())->hessian_vector_evaluations, 0);
}

TEST(CApi, StatesGoToFilesAndBack) {
  const TemporaryFolder folder;
  const std::string path = folder / "state";
  const ResultPointer whole = run_rosenbrock(make_options({{"algorithm", "loa-bfgs"}}).get());
  const OptionsPointer options = make_options({{"algorithm", "loa-bfgs"}, {"max_iterations", "7"}});
  const ResultPointer half = run_rosenbrock(options.get());
  ASSERT_EQ(half->status, LOA_STATUS_ITERATION_LIMIT_REACHED);
  ASSERT_EQ(loa_state_save(half->state, path.c_str()), LOA_OK) << loa_error_message();
  loa_state* loaded = nullptr;
  ASSERT_EQ(loa_state_load(path.c_str(), &loaded), LOA_OK) << loa_error_message();
  const StatePointer state(loaded);
  EXPECT_EQ(loa_state_iteration(loaded), 7);
  loa_result* rest = nullptr;
  ASSERT_EQ(loa_resume(rosenbrock, nullptr, loaded, nullptr, &rest), LOA_OK) << loa_error_message();
  EXPECT_EQ(rest->x[0], whole->x[0]);
  EXPECT_EQ(rest->x[1], whole->x[1]);
  EXPECT_EQ(rest->iterations, whole->iterations);
  loa_result_free(rest);

  const OptionsPointer other = make_options({{"algorithm", "sr1"}});
  EXPECT_EQ(loa_resume(rosenbrock, nullptr, loaded, other.get(), &rest), LOA_ERROR_ARGUMENT);
  EXPECT_THAT(loa_error_message(), HasSubstr("expected a state of 'sr1', found one of 'loa-bfgs'"));
  EXPECT_EQ(rest, nullptr);

  loaded = nullptr;
  EXPECT_EQ(loa_state_load((folder / "absent").c_str(), &loaded), LOA_ERROR_FILE);
  EXPECT_THAT(loa_error_message(), HasSubstr("absent"));
  write_text(path, "nonsense");
  EXPECT_EQ(loa_state_load(path.c_str(), &loaded), LOA_ERROR_FILE);
  EXPECT_EQ(loaded, nullptr);
  EXPECT_EQ(loa_state_save(half->state, (folder / "no/such/folder").c_str()), LOA_ERROR_FILE);
}

TEST(CApi, ProgressIsALineForEachIteration) {
  std::vector<std::string> lines;
  const OptionsPointer options(loa_options_new());
  const auto keep = [](const char* line, void* user) { static_cast<std::vector<std::string>*>(user)->push_back(line); };
  ASSERT_EQ(loa_options_set_progress(options.get(), keep, &lines), LOA_OK);
  const auto run = [&] {
    loa_result* made = nullptr;
    EXPECT_EQ(loa_minimize(rosenbrock, nullptr, 2, kStart, options.get(), &made), LOA_OK);
    return ResultPointer(made);
  };
  const ResultPointer result = run();
  ASSERT_EQ(lines.size(), static_cast<std::size_t>(result->iterations) + 2);
  EXPECT_EQ(lines.front(), ProgressLines::heading());
  EXPECT_THAT(lines.back(), HasSubstr(std::to_string(result->value_evaluations)));

  std::FILE* const file = std::tmpfile();
  ASSERT_EQ(loa_options_set_progress(options.get(), loa_print_progress, file), LOA_OK);
  run();
  std::rewind(file);
  char text[256];
  ASSERT_NE(std::fgets(text, sizeof text, file), nullptr);
  EXPECT_EQ(text, std::string(ProgressLines::heading()) + "\n");
  std::fclose(file);

  lines.clear();
  ASSERT_EQ(loa_options_set_progress(options.get(), nullptr, nullptr), LOA_OK);
  run();
  EXPECT_TRUE(lines.empty());
  EXPECT_EQ(loa_options_set_progress(nullptr, nullptr, nullptr), LOA_ERROR_ARGUMENT);

  const auto fail = [](const char*, void*) { loa_callback_fail("no more lines"); };
  ASSERT_EQ(loa_options_set_progress(options.get(), fail, nullptr), LOA_OK);
  loa_result* made = nullptr;
  EXPECT_EQ(loa_minimize(rosenbrock, nullptr, 2, kStart, options.get(), &made), LOA_ERROR_CALLBACK);
  EXPECT_STREQ(loa_error_message(), "no more lines");
}

TEST(CApi, AnObserverSavesTheState) {
  struct Saver {
    std::string path;
    loa_error error = LOA_ERROR_INTERNAL;
    std::int64_t iteration = -1;
  };
  const TemporaryFolder folder;
  Saver saver{.path = folder / "state"};
  const OptionsPointer options = make_options({{"algorithm", "loa"}});
  const ResultPointer whole = run_rosenbrock(options.get());
  const loa_observer save = [](const loa_progress* progress, void* user) {
    auto& mine = *static_cast<Saver*>(user);
    if (progress->iteration != 9) return 0;
    mine.iteration = loa_state_iteration(progress->state);
    mine.error = loa_state_save(progress->state, mine.path.c_str());
    return 0;
  };
  ASSERT_EQ(loa_options_set_observer(options.get(), save, &saver), LOA_OK);
  const ResultPointer watched = run_rosenbrock(options.get());
  EXPECT_EQ(saver.error, LOA_OK) << loa_error_message();
  EXPECT_EQ(saver.iteration, 9);
  loa_state* loaded = nullptr;
  ASSERT_EQ(loa_state_load(saver.path.c_str(), &loaded), LOA_OK) << loa_error_message();
  const StatePointer state(loaded);
  loa_result* rest = nullptr;
  ASSERT_EQ(loa_resume(rosenbrock, nullptr, loaded, nullptr, &rest), LOA_OK) << loa_error_message();
  const ResultPointer resumed(rest);
  for (const loa_result* result : {watched.get(), resumed.get()}) {
    EXPECT_EQ(result->x[0], whole->x[0]);
    EXPECT_EQ(result->x[1], whole->x[1]);
    EXPECT_EQ(result->iterations, whole->iterations);
    EXPECT_EQ(result->value_evaluations, whole->value_evaluations);
  }
}

TEST(CApi, ChecksGradients) {
  EXPECT_EQ(loa_check_gradient(rosenbrock, nullptr, 2, kStart, 1e-5), LOA_OK);
  const auto wrong = [](std::int64_t n, const double* x, double* grad, void*) {
    const double f = rosenbrock(n, x, grad, nullptr);
    grad[1] *= 1.01;
    return f;
  };
  EXPECT_EQ(loa_check_gradient(wrong, nullptr, 2, kStart, 1e-5), LOA_ERROR_GRADIENT);
  EXPECT_THAT(loa_error_message(), HasSubstr("coordinate 1"));
}

TEST(CApi, GradientCheckStaysInBounds) {
  const auto root = [](std::int64_t, const double* x, double* grad, void* calls) {
    ++*static_cast<int*>(calls);
    EXPECT_TRUE(x[0] >= 0.0 && x[1] <= 1.0 && x[2] == 5.0);
    if (grad != nullptr) {
      grad[0] = 1.5 * std::sqrt(x[0]);
      grad[1] = 2.0 * x[1];
      grad[2] = 7.0;  // wrong, and of no consequence: the variable is fixed
    }
    return x[0] * std::sqrt(x[0]) + x[1] * x[1];
  };
  const double x[] = {2.0, 3.0, 0.0}, lower[] = {0.0, -1.0, 5.0}, upper[] = {9.0, 1.0, 5.0};
  int calls = 0;
  EXPECT_EQ(loa_check_gradient_in_bounds(root, &calls, 3, x, lower, upper, 1e-5), LOA_OK) << loa_error_message();
  EXPECT_EQ(calls, 9);
  EXPECT_EQ(loa_check_gradient_in_bounds(root, &calls, 3, x, upper, lower, 1e-5), LOA_ERROR_ARGUMENT);
  EXPECT_THAT(loa_error_message(), HasSubstr("expected lower <= upper"));
}

// A callback may minimize something itself; what it says then is about the inner run.
TEST(CApi, RunsNest) {
  const auto outer = [](std::int64_t n, const double* x, double* grad, void*) {
    loa_result* inner = nullptr;
    const auto stops = [](std::int64_t m, const double* y, double* g, void*) {
      loa_callback_stop();
      return rosenbrock(m, y, g, nullptr);
    };
    EXPECT_EQ(loa_minimize(stops, nullptr, 2, kStart, nullptr, &inner), LOA_OK);
    EXPECT_EQ(inner->status, LOA_STATUS_STOPPED_BY_OBSERVER);
    loa_result_free(inner);
    return rosenbrock(n, x, grad, nullptr);
  };
  loa_result* result = nullptr;
  ASSERT_EQ(loa_minimize(outer, nullptr, 2, kStart, nullptr, &result), LOA_OK);
  EXPECT_EQ(result->success, 1);
  loa_result_free(result);
}

TEST(CApi, MessagesBelongToTheirThreads) {
  EXPECT_EQ(loa_options_set(nullptr, "gtol", "1"), LOA_ERROR_ARGUMENT);
  const std::string mine = loa_error_message();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] {
      EXPECT_STREQ(loa_error_message(), "");
      EXPECT_EQ(run_rosenbrock(nullptr)->success, 1);
      EXPECT_EQ(loa_callback_stop(), LOA_ERROR_ARGUMENT);
      EXPECT_THAT(loa_error_message(), HasSubstr("loa_callback_stop"));
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(loa_error_message(), mine);
}

// --- warm starts and series ------------------------------------------------------------------------------------------

double shifted_bowl(std::int64_t n, const double* x, double* grad, void* center) {
  const double c = *static_cast<const double*>(center);
  double f = 0.0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double h = std::pow(2.0, static_cast<double>(i)), z = x[i] - c;
    f += 0.5 * h * z * z + 0.25 * z * z * z * z;
    grad[i] = h * z + z * z * z;
  }
  return f;
}

void inverse_of_bowl(std::int64_t n, const double* v, double* out, void*) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = v[i] / std::pow(2.0, static_cast<double>(i));
}

const double kFarStart[] = {3, 4, 5, 3, 4, 5, 3, 4};

TEST(CApi, WarmStartsAreThoseOfCpp) {
  double first_center = 1.0, center = 1.1;
  loa_result *first = nullptr, *cold = nullptr, *warm = nullptr;
  ASSERT_EQ(loa_minimize(shifted_bowl, &first_center, 8, kFarStart, nullptr, &first), LOA_OK);
  const ResultPointer of_first(first);
  const OptionsPointer options = make_options({});
  ASSERT_EQ(loa_minimize(shifted_bowl, &center, 8, kFarStart, options.get(), &cold), LOA_OK);
  const ResultPointer of_cold(cold);
  ASSERT_EQ(loa_options_set_warm(options.get(), first->state), LOA_OK);
  ASSERT_EQ(loa_minimize(shifted_bowl, &center, 8, kFarStart, options.get(), &warm), LOA_OK) << loa_error_message();
  const ResultPointer of_warm(warm);
  EXPECT_EQ(warm->warm_fallbacks, 0);
  EXPECT_LT(warm->value_evaluations, cold->value_evaluations);
  // Not for two variables.
  EXPECT_EQ(loa_minimize(rosenbrock, nullptr, 2, kStart, options.get(), &warm), LOA_ERROR_ARGUMENT);
  EXPECT_THAT(loa_error_message(), HasSubstr("warm start of dimension 2, found one of 8"));
  ASSERT_EQ(loa_options_set_warm(options.get(), nullptr), LOA_OK);
  ASSERT_EQ(loa_minimize(rosenbrock, nullptr, 2, kStart, options.get(), &warm), LOA_OK);
  loa_result_free(warm);
  // A matrix whose scale is wrong is given up and counted.
  const double wrong[] = {1e6, 0, 0, 1e6};
  ASSERT_EQ(loa_options_set_warm_matrix(options.get(), 2, kStart, wrong), LOA_OK);
  ASSERT_EQ(loa_minimize(rosenbrock, nullptr, 2, kStart, options.get(), &warm), LOA_OK);
  EXPECT_EQ(warm->warm_fallbacks, 1);
  loa_result_free(warm);
  EXPECT_EQ(loa_options_set_warm_matrix(options.get(), 2, nullptr, wrong), LOA_ERROR_ARGUMENT);
  EXPECT_EQ(loa_options_set_warm(nullptr, nullptr), LOA_ERROR_ARGUMENT);
}

TEST(CApi, InitialMetricSavesEvaluations) {
  double center = 1.0;
  loa_result *plain = nullptr, *with_metric = nullptr;
  const OptionsPointer options = make_options({{"algorithm", "bfgs"}});
  ASSERT_EQ(loa_minimize(shifted_bowl, &center, 8, kFarStart, options.get(), &plain), LOA_OK);
  const ResultPointer of_plain(plain);
  ASSERT_EQ(loa_options_set_initial_inverse_hessian(options.get(), inverse_of_bowl, nullptr), LOA_OK);
  ASSERT_EQ(loa_minimize(shifted_bowl, &center, 8, kFarStart, options.get(), &with_metric), LOA_OK);
  const ResultPointer of_metric(with_metric);
  EXPECT_LT(with_metric->value_evaluations, plain->value_evaluations);
  EXPECT_EQ(loa_options_set_initial_inverse_hessian(nullptr, inverse_of_bowl, nullptr), LOA_ERROR_ARGUMENT);
}

TEST(CApi, SeriesIsSavedAndLoaded) {
  const std::string path = temporary_path("c-series");
  loa_series *series = nullptr, *loaded = nullptr;
  ASSERT_EQ(loa_series_new(nullptr, &series), LOA_OK);
  ASSERT_EQ(loa_series_new(nullptr, &loaded), LOA_OK);
  loa_result *a = nullptr, *b = nullptr;
  for (double center : {1.0, 1.1, 1.2}) {
    ASSERT_EQ(loa_series_save(series, path.c_str()), LOA_OK) << loa_error_message();
    ASSERT_EQ(loa_series_load(loaded, path.c_str()), LOA_OK) << loa_error_message();
    ASSERT_EQ(loa_series_minimize(series, shifted_bowl, &center, 8, kFarStart, &a), LOA_OK) << loa_error_message();
    ASSERT_EQ(loa_series_minimize(loaded, shifted_bowl, &center, 8, kFarStart, &b), LOA_OK) << loa_error_message();
    EXPECT_EQ(a->value_evaluations, b->value_evaluations);
    for (int i = 0; i < 8; ++i) EXPECT_EQ(a->x[i], b->x[i]);
    loa_result_free(a);
    loa_result_free(b);
  }
  EXPECT_EQ(loa_series_load(series, "/nowhere/at/all"), LOA_ERROR_FILE);
  EXPECT_EQ(loa_series_minimize(nullptr, shifted_bowl, nullptr, 8, kFarStart, &a), LOA_ERROR_ARGUMENT);
  EXPECT_EQ(loa_series_save(nullptr, path.c_str()), LOA_ERROR_ARGUMENT);
  EXPECT_EQ(loa_series_new(nullptr, nullptr), LOA_ERROR_ARGUMENT);
  loa_series_free(series);
  loa_series_free(loaded);
  loa_series_free(nullptr);
}

}  // namespace
}  // namespace loa
