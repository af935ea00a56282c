// Many small problems at once. Usage: batch THREADS COUNT N SECONDS; prints the least seconds of a whole batch, with f.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "functions.h"
#include "loa/minimize.h"
#include "loa/problem.h"
#include "loa/random.h"
#include "loa/threads.h"

namespace {

// Returns how many of the problems were solved.
int solve_all(std::vector<loa::Problem>& problems, const loa::Options& options) {
  std::vector<loa::BatchProblem> batch;
  for (loa::Problem& problem : problems) batch.push_back({problem.objective.get(), problem.start});
  const std::vector<loa::BatchResult> results = loa::minimize_batch(batch, options);
  return static_cast<int>(std::count_if(results.begin(), results.end(), [](const loa::BatchResult& result) {
    return result.error == nullptr && result.summary.success();
  }));
}

// Chained Rosenbrock functions from starts that differ, so that some take longer than others.
std::vector<loa::Problem> make_problems(int count, int n) {
  std::vector<loa::Problem> problems(static_cast<std::size_t>(count));
  loa::Random random(1);
  for (loa::Problem& problem : problems) {
    if (loa::make_problem("chained-rosenbrock:n=" + std::to_string(n), problem)) std::exit(2);
    for (double& value : problem.start) value += random.normal();
  }
  return problems;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<double> numbers;
  for (int i = 1; i < argc; ++i) numbers.push_back(std::strtod(argv[i], nullptr));
  if (numbers.size() != 4 || *std::min_element(numbers.begin(), numbers.end()) <= 0.0) {
    fmt::print(stderr, "expected THREADS COUNT N SECONDS\n");
    return 2;
  }
  const int count = static_cast<int>(numbers[1]);
  std::vector<loa::Problem> problems = make_problems(count, static_cast<int>(numbers[2]));
  loa::set_num_threads(static_cast<int>(numbers[0]));
  double least = std::numeric_limits<double>::infinity();
  for (const double begin = bench::now(); !std::isfinite(least) || bench::now() - begin < numbers[3];) {
    const double start = bench::now();
    const int solved = solve_all(problems, {.algorithm = "bfgs"});
    least = std::min(least, bench::now() - start);
    if (solved != count) {
      fmt::print(stderr, "{} of {} problems were solved\n", solved, count);
      return 1;
    }
  }
  fmt::print(R"({{"iterations": 1, "evaluations": 0, "seconds": [{:.6g}]}})"
             "\n",
             least);
}
