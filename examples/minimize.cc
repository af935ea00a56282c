#include <loa/loa.h>

#include <cstdio>

int main() {
  // Rosenbrock's function: fill the gradient, return the value.
  auto f = [](const loa::Vector& x, loa::Vector& grad) {
    const double a = 1 - x[0], b = x[1] - x[0] * x[0];
    grad[0] = -2 * a - 400 * x[0] * b;
    grad[1] = 200 * b;
    return a * a + 100 * b * b;
  };
  const loa::Summary summary = loa::minimize(f, loa::Vector{{-1.2, 1.0}});
  std::printf("%s\nf = %.3g after %d evaluations\n", summary.message.c_str(), summary.f,
              int(summary.evaluations.value));
  return summary.success() ? 0 : 1;
}
