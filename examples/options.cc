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

  // Members that are not named keep their defaults.
  const loa::Summary exact = loa::minimize(rosenbrock, start, {.gtol = 1e-9, .max_evaluations = 200});
  std::printf("%s\n", exact.message.c_str());

  // A line for each iteration, and an observer that is content with f < 4.2.
  loa::Options options;
  options.progress = loa::print_progress();
  options.observer = [](const loa::Progress& progress) {
    return progress.f < 4.2 ? loa::Continue::kNo : loa::Continue::kYes;
  };
  const loa::Summary stopped = loa::minimize(rosenbrock, start, options);
  std::printf("%s\n", stopped.message.c_str());

  // What f throws comes out of minimize() as it is.
  try {
    loa::minimize([](const loa::Vector&, loa::Vector&) -> double { throw std::runtime_error("no licence"); }, start);
  } catch (const std::runtime_error& error) {
    std::printf("f said: %s\n", error.what());
  }

  // A hundred problems on all threads, each objective on one. The results are those of single runs, bit for bit.
  std::vector<loa::FunctionObjective> objectives(100, loa::FunctionObjective(2, rosenbrock));
  std::vector<loa::BatchProblem> problems;
  for (loa::FunctionObjective& f : objectives)
    problems.push_back({&f, loa::Vector{{-0.02 * double(problems.size()), 1}}});
  int solved = 0;
  for (const loa::BatchResult& result : loa::minimize_batch(problems)) solved += result.summary.success();
  std::printf("%d of 100 solved\n", solved);
  return exact.success() && solved == 100 ? 0 : 1;
}
