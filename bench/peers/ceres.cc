// Ceres Solver (Agarwal, Mierle and others): GradientProblem with BFGS or L-BFGS and its Wolfe search.
#include <ceres/gradient_problem.h>
#include <ceres/gradient_problem_solver.h>

#include "peer.h"

namespace bench {
namespace {

class Adapter final : public ceres::FirstOrderFunction {
 public:
  explicit Adapter(Function& f) : f_(f) {}
  int NumParameters() const override { return static_cast<int>(f_.dimension()); }
  bool Evaluate(const double* x, double* value, double* grad) const override {
    *value = grad != nullptr ? f_.value_and_gradient(x, grad) : f_.value(x);
    return true;
  }

 private:
  Function& f_;
};

int run(const Task& task, ceres::LineSearchDirectionType direction) {
  ceres::GradientProblemSolver::Options options;
  options.line_search_direction_type = direction;
  options.max_lbfgs_rank = task.memory;
  options.max_num_iterations = task.iterations;
  options.function_tolerance = options.gradient_tolerance = options.parameter_tolerance = 0.0;
  options.logging_type = ceres::SILENT;
  std::vector<double> x = task.start;
  const ceres::GradientProblem problem(new Adapter(task.f));  // which it owns
  ceres::GradientProblemSolver::Summary summary;
  ceres::Solve(options, problem, x.data(), &summary);
  return static_cast<int>(summary.iterations.size()) - 1;
}

}  // namespace

std::vector<Solver> solvers() {
  return {{"bfgs", Kind::kDense, [](const Task& task) { return run(task, ceres::BFGS); }},
          {"l-bfgs", Kind::kLimited, [](const Task& task) { return run(task, ceres::LBFGS); }}};
}

}  // namespace bench
