// A run that saves its state now and then, and goes on from it when the program is started again.
#include <loa/loa.h>

#include <chrono>
#include <cstdio>
#include <string>

int main() {
  using Clock = std::chrono::steady_clock;
  const std::string file = "checkpoint.state";
  loa::Problem problem;
  if (loa::make_problem("chained-rosenbrock:n=50", problem)) return 2;

  loa::Options options;
  auto saved = Clock::now();
  options.observer = [&](const loa::Progress& progress) {
    if (Clock::now() - saved < std::chrono::seconds(60)) return loa::Continue::kYes;
    const loa::Error error = loa::save_state(progress.state, file);  // a kill in here leaves the state before
    if (error) std::fprintf(stderr, "%s\n", error.message().c_str());
    saved = Clock::now();
    return loa::Continue::kYes;
  };

  loa::State state;
  const bool found = !loa::load_state(file, state);
  const loa::Summary summary = found ? loa::resume(*problem.objective, state, options)
                                     : loa::minimize(*problem.objective, problem.start, options);
  std::printf("%s\n", summary.message.c_str());
  return summary.success() ? 0 : 1;
}
