// GNU Scientific Library: vector_bfgs2. It keeps no matrix and one pair only, so its iteration has less to do than
// L-BFGS with m = 10.
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multimin.h>

#include <algorithm>

#include "peer.h"

namespace bench {
namespace {

// Vectors of the library itself, which are contiguous.
double value(const gsl_vector* x, void* f) { return static_cast<Function*>(f)->value(x->data); }
void gradient(const gsl_vector* x, void* f, gsl_vector* grad) {
  static_cast<Function*>(f)->gradient(x->data, grad->data);
}
void both(const gsl_vector* x, void* f, double* value, gsl_vector* grad) {
  *value = static_cast<Function*>(f)->value_and_gradient(x->data, grad->data);
}

int run(const Task& task) {
  constexpr double kFirstStep = 0.01, kSearchTolerance = 0.1;  // as in the examples of its manual
  gsl_set_error_handler_off();
  const std::size_t n = task.start.size();
  gsl_vector* x = gsl_vector_alloc(n);
  std::copy(task.start.begin(), task.start.end(), x->data);
  gsl_multimin_function_fdf f = {value, gradient, both, n, &task.f};
  gsl_multimin_fdfminimizer* solver = gsl_multimin_fdfminimizer_alloc(gsl_multimin_fdfminimizer_vector_bfgs2, n);
  gsl_multimin_fdfminimizer_set(solver, &f, x, kFirstStep, kSearchTolerance);
  int made = 0;
  while (made < task.iterations && gsl_multimin_fdfminimizer_iterate(solver) == GSL_SUCCESS) ++made;
  gsl_multimin_fdfminimizer_free(solver);
  gsl_vector_free(x);
  return made;
}

}  // namespace

std::vector<Solver> solvers() { return {{"bfgs2", Kind::kLimited, run}}; }

}  // namespace bench
