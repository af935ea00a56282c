// Rosenbrock's function in C11: a run, and once more in two halves with the state on disk between them.
#include <loa.h>
#include <stdio.h>

// Fill the gradient, return the value. `user` is what was passed beside the function.
static double rosenbrock(int64_t n, const double* x, double* grad, void* user) {
  const double height = *(const double*)user;
  if (n != 2) return loa_callback_fail("rosenbrock: expected two variables"), 0;
  const double a = 1 - x[0], b = x[1] - x[0] * x[0];
  grad[0] = -2 * a - 4 * height * x[0] * b;
  grad[1] = 2 * height * b;
  return a * a + height * b * b;
}

static int complain(void) { return fprintf(stderr, "%s\n", loa_error_message()), 2; }

int main(void) {
  const double start[] = {-1.2, 1.0};
  double height = 100;
  loa_options* options = loa_options_new();
  loa_result *whole = NULL, *half = NULL, *rest = NULL;
  loa_state* state = NULL;
  if (loa_options_set_number(options, "gtol", 1e-8) != LOA_OK) return complain();
  if (loa_minimize(rosenbrock, &height, 2, start, options, &whole) != LOA_OK) return complain();
  printf("%s\nf = %.3g after %d evaluations\n", whole->message, whole->f, (int)whole->value_evaluations);

  loa_options_set(options, "max_iterations", "10");
  if (loa_minimize(rosenbrock, &height, 2, start, options, &half) != LOA_OK ||
      loa_state_save(half->state, "rosenbrock.state") != LOA_OK || loa_state_load("rosenbrock.state", &state) != LOA_OK)
    return complain();
  remove("rosenbrock.state");
  loa_options_set(options, "max_iterations", "1000");
  if (loa_resume(rosenbrock, &height, state, options, &rest) != LOA_OK) return complain();
  const int same = rest->x[0] == whole->x[0] && rest->x[1] == whole->x[1];
  printf("%s: %s\n", half->status_name, same ? "resumed, the same point" : "resumed, another point");

  const int good = whole->success && same;
  loa_result_free(rest);
  loa_state_free(state);
  loa_result_free(half);
  loa_result_free(whole);
  loa_options_free(options);
  return good ? 0 : 1;
}
