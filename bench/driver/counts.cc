// What an iteration of a distributed run takes, counted: all-reduces, numbers that travel, flops of the kernels,
// memory.
//
//   counts ALGORITHM N MEMORY ITERATIONS
//
// prints one JSON object with what the whole run took. Two runs that differ in ITERATIONS give what an iteration takes.
// The run is that of one process among many: the Reduction says that there are other slices, and leaves the numbers as
// they are. f = sum of w_i (x_{i+1} - x_i)^2/2 is a quadratic with a diagonal that varies, which takes one trial an
// iteration and more iterations than anybody asks for. tools/scale.py runs this.
#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>

#include "linalg/kernels.h"
#include "loa/loa.h"

namespace {

using loa::Index;
using Size = loa::Kernels::Size;

double num_flops = 0.0;
const loa::Kernels* uncounted = nullptr;

void count(double flops) { num_flops += flops; }
double as_double(Size size) { return static_cast<double>(size); }

void counted_products(const double* const* columns, Size num_columns, const double* const* v, Size num_v, Size first,
                      Size last, double* sums) {
  count(2.0 * as_double(num_columns) * as_double(num_v) * as_double(last - first));
  uncounted->products(columns, num_columns, v, num_v, first, last, sums);
}

void counted_combine(const double* const* columns, Size num_columns, const double* const* coefficients,
                     const double* start, const double* const* v, Size num_v, Size first, Size last,
                     double* const* out) {
  count((2.0 * as_double(num_columns) + 1.0) * as_double(num_v) * as_double(last - first));
  uncounted->combine(columns, num_columns, coefficients, start, v, num_v, first, last, out);
}

void counted_ratio_powers(const double* a, const double* b, double offset, double exponent, Size first, Size last,
                          double* out) {
  // The two sums and the quotient; 22 for the logarithm, 37 for the exponential function, 3 around them.
  constexpr double kFlopsOfPower = 65.0;
  count(kFlopsOfPower * as_double(last - first));
  uncounted->ratio_powers(a, b, offset, exponent, first, last, out);
}

void counted_scale_columns(const double* const* columns, Size num_columns, const double* factors, Size size,
                           double* out, Size stride) {
  count(as_double(num_columns) * as_double(size));
  uncounted->scale_columns(columns, num_columns, factors, size, out, stride);
}

double counted_max_abs(const double* a, Size n) {
  count(as_double(n));
  return uncounted->max_abs(a, n);
}

}  // namespace

// The linker puts the second in place of loa::kernels() (--wrap). What a function returns as a reference is a pointer
// to the machine.
extern "C" const loa::Kernels* __real__ZN3loa7kernelsEv();
extern "C" const loa::Kernels* __wrap__ZN3loa7kernelsEv() {
  static const loa::Kernels counted = [] {
    uncounted = __real__ZN3loa7kernelsEv();
    loa::Kernels table = *uncounted;
    table.products = counted_products;
    table.combine = counted_combine;
    table.ratio_powers = counted_ratio_powers;
    table.scale_columns = counted_scale_columns;
    table.max_abs = counted_max_abs;
    return table;
  }();
  return &counted;
}

namespace {

class CountingReduction final : public loa::Reduction {
 public:
  void reduce(std::span<double> sums, std::span<double> maxima) const override {
    ++calls;
    numbers += sums.size() + maxima.size();
  }

  mutable std::size_t calls = 0, numbers = 0;
};

// Not inlined, so that tools/scale.py can leave it out of what it counts.
[[gnu::noinline]] double value_and_gradient_of_f(const loa::Vector& x, loa::Vector& grad) {
  double f = 0.0;
  grad.setZero();
  for (Index i = 0; i + 1 < x.size(); ++i) {
    const double weight = 1.0 + static_cast<double>(i % 7), change = x[i + 1] - x[i];
    f += 0.5 * weight * change * change;
    grad[i] -= weight * change;
    grad[i + 1] += weight * change;
  }
  return f;
}

// An entry of /proc/self/status in bytes (Linux; 0 elsewhere).
double memory_in_bytes(std::string_view entry) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(entry)) return 1024.0 * std::strtod(line.c_str() + entry.size(), nullptr);
  return 0.0;
}

std::int64_t integer(std::string_view word) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || value < 1) {
    fmt::print(stderr, "counts: expected a positive whole number, found {}\n", word);
    std::exit(2);
  }
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "counts: expected ALGORITHM N MEMORY ITERATIONS\n");
    return 2;
  }
  const Index n = integer(argv[2]);
  loa::set_num_threads(1);
  const CountingReduction reduction;
  loa::Options options;
  options.algorithm = argv[1];
  options.hyper_parameters.memory = integer(argv[3]);
  options.max_iterations = integer(argv[4]);
  options.gtol = 0.0;
  options.reduction = &reduction;
  loa::Vector start(n);
  for (Index i = 0; i < n; ++i) start[i] = static_cast<double>(i * 7919 % 1000) / 1000.0;
  loa::FunctionObjective f(n, value_and_gradient_of_f);
  const double before = memory_in_bytes("VmRSS:");
  const loa::Summary summary = loa::minimize(f, start, options);
  fmt::print(
      R"({{"iterations": {}, "evaluations": {}, "all_reduces": {}, "numbers": {}, "flops": {:.0f}, "bytes": {:.0f}}})"
      "\n",
      summary.iterations, summary.evaluations.value, reduction.calls, reduction.numbers, num_flops,
      memory_in_bytes("VmHWM:") - before);
  return 0;
}
