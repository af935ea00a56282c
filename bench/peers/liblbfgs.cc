// liblbfgs (Okazaki), a C library: L-BFGS with the search of More and Thuente.
#include <lbfgs.h>

#include <algorithm>

#include "peer.h"

namespace bench {
namespace {

struct Instance {
  Function& f;
  int iterations = 0;
};

lbfgsfloatval_t evaluate(void* instance, const lbfgsfloatval_t* x, lbfgsfloatval_t* grad, int, lbfgsfloatval_t) {
  return static_cast<Instance*>(instance)->f.value_and_gradient(x, grad);
}

int progress(void* instance, const lbfgsfloatval_t*, const lbfgsfloatval_t*, lbfgsfloatval_t, lbfgsfloatval_t,
             lbfgsfloatval_t, lbfgsfloatval_t, int, int k, int) {
  static_cast<Instance*>(instance)->iterations = k;
  return 0;
}

int run(const Task& task) {
  const int n = static_cast<int>(task.f.dimension());
  lbfgsfloatval_t* x = lbfgs_malloc(n);
  if (x == nullptr) return 0;
  std::copy(task.start.begin(), task.start.end(), x);
  lbfgs_parameter_t parameters;
  lbfgs_parameter_init(&parameters);
  parameters.m = task.memory;
  parameters.epsilon = 0.0;
  parameters.max_iterations = task.iterations;
  Instance instance{task.f};
  lbfgs(n, x, nullptr, evaluate, progress, &instance, &parameters);
  lbfgs_free(x);
  return instance.iterations;
}

}  // namespace

std::vector<Solver> solvers() { return {{"l-bfgs", Kind::kLimited, run}}; }

}  // namespace bench
