// Runs with bounds, for tools/compare_bounded.
//
//   bounded list SET                                  the SPECs of a set
//   bounded run ALGORITHM GTOL MAX_EVALUATIONS SPEC   one JSON object: how many calls of f until the first point whose
//                                                     projected gradient is at most GTOL, and how the run ended
//   bounded serve SPEC                                f for a solver in another process: n and the start, lower and
//                                                     upper bounds on standard output, 8 bytes a number; then for each
//                                                     x of n doubles on standard input f and the n of the gradient
//   bounded time ALGORITHM FIRST LAST SECONDS SPEC    one JSON object: what the iterations FIRST to LAST take, without
//                                                     f, with the bounds and without them, in turns, on one thread
//   bounded memory ALGORITHM M ITERATIONS SPEC        one JSON object: what a run with M pairs adds to the memory of
//                                                     the process, which holds f, the start and the bounds before
//
// `time` makes runs of FIRST and of LAST iterations. Runs do not differ but in time, so the calls of f of the first are
// also those of the second, and what comes after them is what is timed: the least of each time between two calls, of
// the processor. The SPEC is that of a problem or `separable:n=N,active=SHARE`, sum_i c_i x_i^2/2 with c_i from 1 to
// 1e4, from x = 1, where a random SHARE of the variables has the lower bound 0.1, at which they arrive one after the
// other, and all others have bounds that are never met.
#include <fmt/core.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "experiment/problem_sets.h"
#include "loa/lab.h"
#include "loa/threads.h"

namespace {

using loa::Index;
using loa::Vector;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

[[noreturn]] void fail(const std::string& what) {
  fmt::print(stderr, "bounded: {}\n", what);
  std::exit(2);
}

struct Box {
  Vector lower, upper;
};

Box box_of(const loa::Problem& problem) {
  const Index n = problem.objective->dimension();
  return {problem.lower.size() > 0 ? problem.lower : Vector::Constant(n, -kInfinity),
          problem.upper.size() > 0 ? problem.upper : Vector::Constant(n, kInfinity)};
}

loa::Problem make(const std::string& spec) {
  loa::Problem problem;
  if (const loa::Error error = loa::make_problem(spec, problem)) fail(error.message());
  return problem;
}

double projected_inf_norm(const Box& box, const Vector& x, const Vector& grad) {
  double largest = 0.0;
  for (Index i = 0; i < x.size(); ++i) {
    const double to = std::min(std::max(x(i) - grad(i), box.lower(i)), box.upper(i));
    const double change = std::abs(x(i) - to);
    if (!(change <= largest)) largest = change;
  }
  return largest;
}

int run(const std::string& algorithm, double gtol, std::int64_t max_evaluations, const std::string& spec) {
  const loa::Problem problem = make(spec);
  const Box box = box_of(problem);
  std::int64_t calls = 0, calls_until = -1, outside = 0;
  double f_until = std::numeric_limits<double>::quiet_NaN();
  const loa::Function f = [&](const Vector& x, Vector& grad) {
    ++calls;
    if (!((x.array() >= box.lower.array()).all() && (x.array() <= box.upper.array()).all())) ++outside;
    const double value = problem.objective->value_and_gradient(x, grad);
    if (calls_until < 0 && std::isfinite(value) && projected_inf_norm(box, x, grad) <= gtol) {
      calls_until = calls;
      f_until = value;
    }
    return value;
  };
  loa::Options options{.algorithm = algorithm, .gtol = gtol, .max_evaluations = max_evaluations};
  options.lower = box.lower;
  options.upper = box.upper;
  const loa::Summary summary = loa::minimize(f, problem.start, options);
  fmt::print(
      "{{\"evaluations\": {}, \"f\": {:.17g}, \"calls\": {}, \"outside\": {}, \"n\": {}, \"status\": \"{}\", "
      "\"final\": {:.17g}, \"residual\": {:.3e}, \"restarts\": {}, \"seconds\": {:.3g}, \"active\": {}}}\n",
      calls_until, std::isnan(f_until) ? 0.0 : f_until, calls, outside, problem.start.size(), loa::name(summary.status),
      std::isfinite(summary.f) ? summary.f : 0.0, summary.grad_inf_norm, summary.fallbacks.restart, summary.seconds,
      summary.bounds ? summary.bounds->num_active : 0);
  return 0;
}

void put(const double* numbers, Index count) {
  if (std::fwrite(numbers, sizeof(double), static_cast<std::size_t>(count), stdout) != static_cast<std::size_t>(count))
    fail("cannot write");
}

int serve(const std::string& spec) {
  const loa::Problem problem = make(spec);
  const Box box = box_of(problem);
  const Index n = problem.objective->dimension();
  const auto count = static_cast<double>(n);
  put(&count, 1);
  for (const Vector* v : {&problem.start, &box.lower, &box.upper}) put(v->data(), n);
  std::fflush(stdout);
  Vector x(n), grad(n);
  while (std::fread(x.data(), sizeof(double), static_cast<std::size_t>(n), stdin) == static_cast<std::size_t>(n)) {
    const double f = problem.objective->value_and_gradient(x, grad);
    put(&f, 1);
    put(grad.data(), n);
    std::fflush(stdout);
  }
  return 0;
}

// Of the processor on this thread, in seconds: waiting for others is not counted.
double now() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

class Separable final : public loa::Objective {
 public:
  explicit Separable(Index n) : c_(n) {
    for (Index i = 0; i < n; ++i) c_(i) = std::pow(1e4, static_cast<double>(i) / static_cast<double>(n));
  }
  Index dimension() const override { return c_.size(); }
  double value_and_gradient(const Vector& x, Vector& grad) override {
    grad = c_.cwiseProduct(x);
    return 0.5 * grad.dot(x);
  }

 private:
  Vector c_;
};

loa::Problem make_timed(const std::string& spec) {
  long long n = 0;
  double share = 0.0;
  if (std::sscanf(spec.c_str(), "separable:n=%lld,active=%lf", &n, &share) != 2) return make(spec);
  loa::Problem problem;
  problem.objective = std::make_unique<Separable>(n);
  problem.start = Vector::Ones(n);
  problem.lower = Vector::Constant(n, -10.0);
  problem.upper = Vector::Constant(n, 10.0);
  std::mt19937_64 random(1);
  for (Index i = 0; i < n; ++i)
    if (static_cast<double>(random() >> 11) * 0x1p-53 < share) problem.lower(i) = 0.1;
  return problem;
}

// A run of so many iterations: the seconds before each call of f.
struct Timed {
  std::vector<double> gaps;
  loa::Summary summary;
};

Timed run_timed(const loa::Problem& problem, const loa::Options& options) {
  Timed result;
  result.gaps.reserve(20 * static_cast<std::size_t>(options.max_iterations));
  double left = now();
  const loa::Function f = [&](const Vector& x, Vector& grad) {
    result.gaps.push_back(now() - left);
    const double value = problem.objective->value_and_gradient(x, grad);
    left = now();
    return value;
  };
  result.summary = loa::minimize(f, problem.start, options);
  return result;
}

// Iterations from the end of a shorter run on.
struct Cost {
  loa::Options options;
  std::size_t first_call = 0;
  std::vector<double> least;
  loa::Index num_active = 0;

  void measure(const loa::Problem& problem, std::int64_t last) {
    options.max_iterations = last;
    const Timed run = run_timed(problem, options);
    if (run.summary.iterations < last || (!least.empty() && least.size() != run.gaps.size()))
      fail(fmt::format("expected {} iterations, found {}", last, run.summary.iterations));
    if (least.empty()) least.assign(run.gaps.size(), kInfinity);
    for (std::size_t i = 0; i < least.size(); ++i) least[i] = std::min(least[i], run.gaps[i]);
    num_active = run.summary.bounds ? run.summary.bounds->num_active : 0;
  }

  double seconds() const {
    double sum = 0.0;
    for (std::size_t i = first_call; i < least.size(); ++i) sum += least[i];
    return sum;
  }
};

int time_iterations(const std::string& algorithm, std::int64_t first, std::int64_t last, double seconds,
                    const std::string& spec) {
  loa::set_num_threads(1);
  const loa::Problem problem = make_timed(spec);
  Cost costs[2];  // without and with bounds
  for (Cost& cost : costs) {
    cost.options = {.algorithm = algorithm, .gtol = 0.0, .max_iterations = first};
    if (&cost == &costs[1]) {
      cost.options.lower = problem.lower;
      cost.options.upper = problem.upper;
    }
    cost.first_call = run_timed(problem, cost.options).gaps.size();
  }
  int rounds = 0;
  for (const double begin = now(); rounds == 0 || now() - begin < seconds; ++rounds)
    for (Cost& cost : costs) cost.measure(problem, last);
  const double num = static_cast<double>(last - first);
  fmt::print(
      "{{\"spec\": \"{}\", \"algorithm\": \"{}\", \"n\": {}, \"active\": {:.4g}, \"without_ms\": {:.4g}, "
      "\"with_ms\": {:.4g}, \"ratio\": {:.4g}, \"calls_without\": {}, \"calls_with\": {}, \"rounds\": {}}}\n",
      spec, algorithm, problem.start.size(),
      static_cast<double>(costs[1].num_active) / static_cast<double>(problem.start.size()),
      1e3 * costs[0].seconds() / num, 1e3 * costs[1].seconds() / num, costs[1].seconds() / costs[0].seconds(),
      costs[0].least.size() - costs[0].first_call, costs[1].least.size() - costs[1].first_call, rounds);
  return 0;
}

// An entry of /proc/self/status in bytes (Linux): VmRSS, what the process holds, or VmHWM, the most it held.
double memory_in_bytes(const std::string& entry) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(entry)) return 1024.0 * std::strtod(line.c_str() + entry.size(), nullptr);
  return 0.0;
}

int measure_memory(const std::string& algorithm, int memory, std::int64_t iterations, const std::string& spec) {
  loa::Problem problem = make_timed(spec);
  const auto n = static_cast<double>(problem.start.size());
  loa::Options options{.algorithm = algorithm, .gtol = 0.0, .max_iterations = iterations};
  options.hyper_parameters.memory = memory;
  options.lower.swap(problem.lower);
  options.upper.swap(problem.upper);
  const double before = memory_in_bytes("VmRSS:");
  const loa::Summary summary = loa::minimize(*problem.objective, problem.start, options);
  const double peak = memory_in_bytes("VmHWM:");
  if (summary.iterations < iterations)
    fail(fmt::format("expected {} iterations, found {}", iterations, summary.iterations));
  fmt::print(
      "{{\"spec\": \"{}\", \"algorithm\": \"{}\", \"m\": {}, \"active\": {:.4g}, \"doubles_per_variable\": {:.4g}, "
      "\"asked\": {}, \"peak_gb\": {:.3g}}}\n",
      spec, algorithm, memory, summary.bounds ? static_cast<double>(summary.bounds->num_active) / n : 0.0,
      (peak - before) / 8.0 / n, 3 * memory + 15, peak / 1e9);
  return 0;
}

int list(const std::string& set) {
  std::vector<std::string> specs;
  if (const loa::Error error = loa::add_problem_set(set, specs)) fail(error.message());
  for (const std::string& spec : specs) fmt::print("{}\n", spec);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "list" && argc == 3) return list(argv[2]);
  if (command == "serve" && argc == 3) return serve(argv[2]);
  if (command == "run" && argc == 6) return run(argv[2], std::atof(argv[3]), std::atoll(argv[4]), argv[5]);
  if (command == "time" && argc == 7)
    return time_iterations(argv[2], std::atoll(argv[3]), std::atoll(argv[4]), std::atof(argv[5]), argv[6]);
  if (command == "memory" && argc == 6)
    return measure_memory(argv[2], std::atoi(argv[3]), std::atoll(argv[4]), argv[5]);
  fail(
      "expected list SET, run ALGORITHM GTOL MAX_EVALUATIONS SPEC, serve SPEC, time ALGORITHM FIRST LAST SECONDS SPEC "
      "or memory ALGORITHM M ITERATIONS SPEC");
}
