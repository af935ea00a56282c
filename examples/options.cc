// Options, progress, an observer that stops the run, an exception of f, and many problems at once.
#include <loa/loa.h>

#include <cstdio>
#include <stdexcept>
#include <vector>

double rosenbrock(const loa::Vector& x, loa::Vector& grad) {
  const double a = 1 - x[0], b = x[1] - x[0] * x[0];
  grad << -2 * a - 400 * x[0] * b, 200 * b;
  return a * a + 100 * b * b;
}

int main() {
  const loa::Vector start{{-1.2, 1}};
  loa::Options options = {.gtol = 1e-9, .max_evaluations = 200};
  options.progress = loa::print_progress();  // a line for each iteration
  options.observer = [](const loa::Progress& progress) {
    return progress.f < 4.2 ? loa::Continue::kNo : loa::Continue::kYes;
  };
  std::printf("%s\n", loa::minimize(rosenbrock, start, options).message.c_str());

  try {
    loa::minimize([](const loa::Vector&, loa::Vector&) -> double { throw std::runtime_error("no licence"); }, start);
  } catch (const std::runtime_error& error) {
    std::printf("f said: %s\n", error.what());
  }

  // A hundred problems on all threads. The results are those of single runs, bit for bit.
  std::vector<loa::FunctionObjective> objectives(100, loa::FunctionObjective(2, rosenbrock));
  std::vector<loa::BatchProblem> problems;
  for (loa::FunctionObjective& f : objectives) problems.push_back({&f, start * (1 - 0.02 * double(problems.size()))});
  int solved = 0;
  for (const loa::BatchResult& result : loa::minimize_batch(problems)) solved += result.summary.success();
  std::printf("%d of 100 solved\n", solved);
  return solved == 100 ? 0 : 1;
}
