// What one sweep over the dense inverse Hessian costs, beside the least that any sweep must cost: reading and writing
// half the matrix. Compare the two columns of one run; absolute times depend on the machine.
#include <benchmark/benchmark.h>

#include <vector>

#include "linalg/dense_inverse_hessian.h"
#include "loa/random.h"

namespace {

loa::Vector random_vector(loa::Index n, loa::Random& random) {
  loa::Vector v(n);
  for (double& value : v) value = random.normal();
  return v;
}

// A pass that reads and writes n (n+1)/2 doubles.
void ReadAndWriteHalf(benchmark::State& state) {
  const loa::Index n = state.range(0);
  std::vector<double> half(static_cast<std::size_t>(n * (n + 1) / 2), 1.0);
  for (auto _ : state) {
    for (double& value : half) value *= 1.0000001;
    benchmark::ClobberMemory();
  }
}

// One iteration's worth: queue an update, then apply it in the sweep of the product.
void UpdateAndApply(benchmark::State& state) {
  const loa::Index n = state.range(0);
  loa::Random random(1);
  const loa::Vector d = random_vector(n, random), v = random_vector(n, random);
  loa::Vector out(n), B_d(n);
  loa::DenseInverseHessian B(n);
  B.reset(1.0);
  B.apply(d, B_d);
  for (auto _ : state) {
    B.update({.d = d, .delta_g = d, .B_delta_g = B_d, .y = d});
    B.apply(v, out);
    benchmark::DoNotOptimize(out.data());
  }
}

BENCHMARK(ReadAndWriteHalf)->Arg(100)->Arg(1000)->Arg(2000)->Arg(4000)->Unit(benchmark::kMicrosecond);
BENCHMARK(UpdateAndApply)->Arg(100)->Arg(1000)->Arg(2000)->Arg(4000)->Unit(benchmark::kMicrosecond);

}  // namespace
