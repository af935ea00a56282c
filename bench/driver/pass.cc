// The least that an iteration with a dense symmetric matrix must do: read and write n (n+1)/2 doubles once. A plain
// loop, compiled for the machine it runs on. Usage: pass N SECONDS [THREADS]; prints the least seconds of a pass. With
// THREADS the doubles lie in pages of 2 MB, as those of loa do, and each thread takes an equal part.
#include <fmt/core.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <thread>
#include <vector>

#include "functions.h"

namespace {

// Kept out of line, so that no pass is merged with another.
[[gnu::noinline]] void scale(double* values, std::size_t count, double factor) {
  for (std::size_t i = 0; i < count; ++i) values[i] *= factor;
}

void print(double least) {
  fmt::print(R"({{"iterations": 1, "evaluations": 0, "seconds": [{:.6g}]}})"
             "\n",
             least);
}

void pass_on_threads(std::size_t count, double budget, int num_threads) {
  constexpr std::size_t kLargePage = std::size_t{1} << 21;
  const std::size_t bytes = (count * sizeof(double) / kLargePage + 1) * kLargePage;
  auto* values = static_cast<double*>(std::aligned_alloc(kLargePage, bytes));
  if (values == nullptr) std::exit(1);
  madvise(values, bytes, MADV_HUGEPAGE);
  std::fill_n(values, count, 1.0);
  std::barrier meet(num_threads);
  std::atomic<bool> going = true;
  const auto part = [&](int thread) {
    const std::size_t first = count * static_cast<std::size_t>(thread) / static_cast<std::size_t>(num_threads);
    const std::size_t last = count * static_cast<std::size_t>(thread + 1) / static_cast<std::size_t>(num_threads);
    scale(values + first, last - first, 1.0000001);
  };
  double least = std::numeric_limits<double>::infinity();
  {
    std::vector<std::jthread> workers;
    for (int thread = 1; thread < num_threads; ++thread)
      workers.emplace_back([&, thread] {
        for (;;) {
          meet.arrive_and_wait();
          if (!going) return;
          part(thread);
          meet.arrive_and_wait();
        }
      });
    for (const double begin = bench::now(); bench::now() - begin < budget;) {
      const double start = bench::now();
      meet.arrive_and_wait();
      part(0);
      meet.arrive_and_wait();
      least = std::min(least, bench::now() - start);
    }
    going = false;
    meet.arrive_and_wait();
  }
  std::free(values);
  print(least);
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t n = argc >= 3 ? std::strtol(argv[1], nullptr, 10) : 0;
  const double budget = argc >= 3 ? std::strtod(argv[2], nullptr) : 0.0;
  const long num_threads = argc == 4 ? std::strtol(argv[3], nullptr, 10) : 1;
  if (n <= 0 || !(budget > 0.0) || argc > 4 || num_threads < 1) {
    fmt::print(stderr, "expected N SECONDS [THREADS]\n");
    return 2;
  }
  if (argc == 4) {
    pass_on_threads(static_cast<std::size_t>(n * (n + 1) / 2), budget, static_cast<int>(num_threads));
    return 0;
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
  print(least);
}
