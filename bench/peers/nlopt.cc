// NLopt (Johnson), a C library: LD_LBFGS, after Luksan. It does not say how many iterations it made; the evaluations
// stand for them, which can only make an iteration look cheaper than it is.
#include <nlopt.h>

#include "peer.h"

namespace bench {
namespace {

struct Instance {
  Function& f;
  int evaluations = 0;
};

double evaluate(unsigned, const double* x, double* grad, void* data) {
  Instance& instance = *static_cast<Instance*>(data);
  ++instance.evaluations;
  return grad != nullptr ? instance.f.value_and_gradient(x, grad) : instance.f.value(x);
}

int run(const Task& task) {
  std::vector<double> x = task.start;
  Instance instance{task.f};
  const nlopt_opt solver = nlopt_create(NLOPT_LD_LBFGS, static_cast<unsigned>(x.size()));
  nlopt_set_min_objective(solver, evaluate, &instance);
  nlopt_set_vector_storage(solver, static_cast<unsigned>(task.memory));
  nlopt_set_maxeval(solver, task.iterations);
  double f = 0.0;
  nlopt_optimize(solver, x.data(), &f);
  nlopt_destroy(solver);
  return instance.evaluations;
}

}  // namespace

std::vector<Solver> solvers() { return {{"l-bfgs", Kind::kLimited, run}}; }

}  // namespace bench
