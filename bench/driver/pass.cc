// The least that an iteration with a dense symmetric matrix must do: read and write n (n+1)/2 doubles once. A plain
// loop, compiled for the machine it runs on. Usage: pass N SECONDS; prints the least seconds of a pass.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <vector>

#include "functions.h"

namespace {

// Kept out of line, so that no pass is merged with another.
[[gnu::noinline]] void scale(double* values, std::size_t count, double factor) {
  for (std::size_t i = 0; i < count; ++i) values[i] *= factor;
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t n = argc == 3 ? std::strtol(argv[1], nullptr, 10) : 0;
  const double budget = argc == 3 ? std::strtod(argv[2], nullptr) : 0.0;
  if (n <= 0 || !(budget > 0.0)) {
    fmt::print(stderr, "expected N SECONDS\n");
    return 2;
  }
  std::vector<double> half(static_cast<std::size_t>(n * (n + 1) / 2), 1.0);
  // Batches of a fraction of a millisecond, so that the clock does not show.
  constexpr double kBatchSeconds = 2e-4;
  int batch = 1;
  double least = std::numeric_limits<double>::infinity();
  for (const double begin = bench::now(); bench::now() - begin < budget;) {
    const double start = bench::now();
    for (int i = 0; i < batch; ++i) scale(half.data(), half.size(), i % 2 == 0 ? 1.0000001 : 1.0 / 1.0000001);
    const double seconds = bench::now() - start;
    least = std::min(least, seconds / batch);
    if (seconds < kBatchSeconds) batch *= 2;
  }
  fmt::print(R"({{"iterations": 1, "evaluations": 0, "seconds": [{:.6g}]}})"
             "\n",
             least);
}
