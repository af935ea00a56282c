// LBFGSpp (Qiu), headers on top of Eigen: L-BFGS with its default search, backtracking.
#include <LBFGS.h>

#include <exception>

#include "peer.h"

namespace bench {
namespace {

int run(const Task& task) {
  LBFGSpp::LBFGSParam<double> parameters;
  parameters.m = task.memory;
  parameters.epsilon = parameters.epsilon_rel = 0.0;
  parameters.max_iterations = task.iterations;
  Eigen::VectorXd x = Eigen::VectorXd::Map(task.start.data(), task.f.dimension());
  double value = 0.0;
  const auto f = [&](const Eigen::VectorXd& at, Eigen::VectorXd& grad) {
    return task.f.value_and_gradient(at.data(), grad.data());
  };
  LBFGSpp::LBFGSSolver<double> solver(parameters);
  try {
    return solver.minimize(f, x, value);
  } catch (const std::exception&) {  // its search found no point
    return 0;
  }
}

}  // namespace

std::vector<Solver> solvers() { return {{"l-bfgs", Kind::kLimited, run}}; }

}  // namespace bench
