// Rosenbrock's function in C11, with an observer, and once more in two halves with the state on disk between them.
#include <loa.h>
#include <stdio.h>

// Fill the gradient, return the value.
static double rosenbrock(int64_t n, const double* x, double* grad, void* user) {
  const double* height = user;
  if (n != 2) {
    loa_callback_fail("rosenbrock: expected two variables");
    return 0;
  }
  const double a = 1 - x[0], b = x[1] - x[0] * x[0];
  grad[0] = -2 * a - 4 * *height * x[0] * b;
  grad[1] = 2 * *height * b;
  return a * a + *height * b * b;
}

// Counts iterations. Any other answer than 0 would stop the run.
static int count(const loa_progress* progress, void* user) {
  int* seen = user;
  *seen += progress->iteration > 0;
  return 0;
}

static int complain(void) {
  fprintf(stderr, "%s\n", loa_error_message());
  return 2;
}

int main(void) {
  const double start[] = {-1.2, 1.0};
  double height = 100;
  int seen = 0;
  loa_options* options = loa_options_new();
  loa_options_set_observer(options, count, &seen);
  if (loa_options_set(options, "max_seconds", "60") != LOA_OK ||
      loa_options_set_number(options, "gtol", 1e-8) != LOA_OK)
    return complain();

  loa_result* result = NULL;
  if (loa_minimize(rosenbrock, &height, 2, start, options, &result) != LOA_OK) return complain();
  printf("%s\nf = %.3g at (%.6f, %.6f) after %d evaluations, %d iterations seen\n", result->message, result->f,
         result->x[0], result->x[1], (int)result->value_evaluations, seen);

  // A misspelt option is refused, with the names that there are.
  if (loa_options_set(options, "gtoll", "1") == LOA_ERROR_ARGUMENT) printf("%s\n", loa_error_message());

  // Ten iterations, the state to a file and back, and the rest: the same point, bit for bit.
  loa_result *half = NULL, *rest = NULL;
  loa_state* state = NULL;
  loa_options_set(options, "max_iterations", "10");
  if (loa_minimize(rosenbrock, &height, 2, start, options, &half) != LOA_OK ||
      loa_state_save(half->state, "rosenbrock.state") != LOA_OK || loa_state_load("rosenbrock.state", &state) != LOA_OK)
    return complain();
  remove("rosenbrock.state");
  loa_options_set(options, "max_iterations", "1000");
  if (loa_resume(rosenbrock, &height, state, options, &rest) != LOA_OK) return complain();
  const int same = rest->x[0] == result->x[0] && rest->x[1] == result->x[1];
  printf("%s: %s\n", half->status_name, same ? "resumed, the same point" : "resumed, another point");

  const int good = result->success && same;
  loa_result_free(rest);
  loa_state_free(state);
  loa_result_free(half);
  loa_result_free(result);
  loa_options_free(options);
  return good ? 0 : 1;
}
