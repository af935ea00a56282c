// A run that saves its state once a minute, and goes on from it when the program is started again.
#include <loa/loa.h>

#include <chrono>
#include <cstdio>

// Rosenbrock's function as a chain through all variables.
double chained_rosenbrock(const loa::Vector& x, loa::Vector& grad) {
  double f = 0;
  grad.setZero();
  for (loa::Index i = 0; i + 1 < x.size(); ++i) {
    const double a = 1 - x[i], b = x[i + 1] - x[i] * x[i];
    f += a * a + 100 * b * b;
    grad[i] += -2 * a - 400 * x[i] * b;
    grad[i + 1] += 200 * b;
  }
  return f;
}

int main() {
  using Clock = std::chrono::steady_clock;
  const loa::Vector start = loa::Vector{{-1.2, 1.0}}.replicate(25, 1);
  loa::FunctionObjective f(start.size(), chained_rosenbrock);

  loa::Options options;
  auto saved = Clock::now();
  options.observer = [&](const loa::Progress& progress) {
    if (Clock::now() - saved > std::chrono::minutes(1)) {
      if (loa::Error error = loa::save_state(progress.state, "run.state")) std::puts(error.message().c_str());
      saved = Clock::now();
    }
    return loa::Continue::kYes;
  };

  loa::State state;
  const bool found = !loa::load_state("run.state", state);
  const loa::Summary summary = found ? loa::resume(f, state, options) : loa::minimize(f, start, options);
  std::puts(summary.message.c_str());
  return summary.success() ? 0 : 1;
}
