// Evaluations of f that each algorithm needs on the built-in problems, against BFGS: geometric means over the problems
// that both solve with the same minimum. Deterministic: it depends on no clock.
#include <fmt/core.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "experiment/problem_sets.h"
#include "loa/lab.h"

namespace {

constexpr double kGradientTolerance = 1e-6;
constexpr std::int64_t kMaxEvaluations = 3000;

struct Result {
  bool solved = false;
  double f = 0.0;
  double evaluations = 0.0;
};

Result solve(const std::string& spec, const std::string& algorithm) {
  loa::Problem problem;
  if (const loa::Error error = loa::make_problem(spec, problem)) {
    fmt::print(stderr, "{}\n", error.message());
    std::exit(2);
  }
  const loa::Summary summary =
      loa::minimize(*problem.objective, problem.start,
                    {.algorithm = algorithm, .gtol = kGradientTolerance, .max_evaluations = kMaxEvaluations});
  return {summary.grad_inf_norm <= kGradientTolerance, summary.f, static_cast<double>(summary.evaluations.value)};
}

bool same_minimum(double a, double b) { return std::abs(a - b) <= 1e-6 + 1e-4 * std::abs(b); }

}  // namespace

int main() {
  const std::vector<std::string> problems = loa::named_problems();
  std::vector<Result> reference;
  for (const std::string& spec : problems) reference.push_back(solve(spec, "bfgs"));

  fmt::print("gtol {:g}, at most {} evaluations, {} problems\n", kGradientTolerance, kMaxEvaluations, problems.size());
  fmt::print("{:<20} {:>7} {:>18} {:>12}\n", "algorithm", "solved", "evaluations/bfgs", "on problems");
  for (const char* algorithm : {"bfgs", "sr1", "bfgs+", "loa", "loa-bfgs", "l-bfgs", "l-bfgs+", "conjugate-gradient",
                                "gradient-descent", "newton"}) {
    int solved = 0, both = 0;
    double sum_of_logs = 0.0;
    for (std::size_t i = 0; i < problems.size(); ++i) {
      const Result result = solve(problems[i], algorithm);
      solved += result.solved;
      if (!result.solved || !reference[i].solved || !same_minimum(result.f, reference[i].f)) continue;
      sum_of_logs += std::log(result.evaluations / reference[i].evaluations);
      ++both;
    }
    fmt::print("{:<20} {:>7} {:>18.3f} {:>12}\n", algorithm, solved, std::exp(sum_of_logs / both), both);
  }
}
