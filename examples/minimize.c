// Rosenbrock's function in C11: ten iterations, the state to a file and back, and the rest.
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

int main(void) {
  const double start[] = {-1.2, 1.0};
  double height = 100;
  loa_options* options = loa_options_new();
  loa_result *half = NULL, *whole = NULL;
  loa_state* state = NULL;
  if (loa_options_set_number(options, "max_iterations", 10) != LOA_OK ||
      loa_minimize(rosenbrock, &height, 2, start, options, &half) != LOA_OK ||
      loa_state_save(half->state, "rosenbrock.state") != LOA_OK ||
      loa_state_load("rosenbrock.state", &state) != LOA_OK ||
      loa_options_set(options, "max_iterations", "1000") != LOA_OK ||
      loa_resume(rosenbrock, &height, state, options, &whole) != LOA_OK)
    return fprintf(stderr, "%s\n", loa_error_message()), 2;
  remove("rosenbrock.state");
  printf("%s: f = %.3g\n%s: f = %.3g\n", half->status_name, half->f, whole->status_name, whole->f);

  const int success = whole->success;
  loa_result_free(whole);
  loa_state_free(state);
  loa_result_free(half);
  loa_options_free(options);
  return success ? 0 : 1;
}
