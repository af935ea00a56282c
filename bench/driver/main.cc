// One program a library; `tools/bench` starts them in turns and compares what they print, one JSON object each.
//
//   list                                     the solvers of this library
//   time SOLVER N SHORT LONG SECONDS         what an iteration costs without f
//   memory SOLVER N ITERATIONS               what a run adds to the memory of the process
//   evaluations SOLVER GTOL MAX              evaluations on each of the built-in problems
//
// The cost of an iteration is the difference of two runs of SHORT and of LONG iterations, each without the time spent in
// f, divided by LONG - SHORT: setting up and filling the memory of pairs is in both. The runs take turns for SECONDS,
// and the least time of each counts. A solver that does not finish the short run in SECONDS makes each once, the long one
// with kSlowDifference iterations more than the short one.
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

#include "../problem_list.h"
#include "functions.h"
#include "loa/problem.h"
#include "peer.h"

namespace {

using bench::Solver;
using bench::Task;

constexpr int kSlowDifference = 3;

struct Run {
  int iterations = 0;
  std::int64_t evaluations = 0;
  double seconds = std::numeric_limits<double>::infinity();  // without f
  double whole_seconds = 0.0;
};

Run run(const Solver& solver, bench::Function& f, const std::vector<double>& start, int iterations) {
  bench::Timed timed(f);
  const double begin = bench::now();
  const int made = solver.run({.f = timed, .start = start, .iterations = iterations});
  const double whole = bench::now() - begin;
  return {made, timed.evaluations(), whole - timed.seconds(), whole};
}

void keep_least(Run& least, const Run& next) {
  const double seconds = std::min(least.seconds, next.seconds);
  least = next;
  least.seconds = seconds;
}

int time_iterations(const Solver& solver, std::ptrdiff_t n, int short_length, int long_length, double budget) {
  bench::Quadratic f(n);
  const std::vector<double> start(static_cast<std::size_t>(n), 1.0);
  const double begin = bench::now();
  Run short_run = run(solver, f, start, short_length), long_run;
  const bool slow = short_run.whole_seconds > budget;
  if (slow) long_length = std::min(long_length, short_length + kSlowDifference);
  int repetitions = 0;
  do {
    if (!slow) keep_least(short_run, run(solver, f, start, short_length));
    keep_least(long_run, run(solver, f, start, long_length));
    ++repetitions;
  } while (!slow && bench::now() - begin < budget);
  const int difference = long_run.iterations - short_run.iterations;
  if (long_run.iterations < long_length || difference <= 0) {
    fmt::print(stderr, "{}, n = {}: {} of {} iterations were made\n", solver.name, n, long_run.iterations, long_length);
    return 1;
  }
  fmt::print(R"({{"short_iterations": {}, "short_seconds": {:.9g}, "long_iterations": {}, "long_seconds": {:.9g}, )"
             R"("evaluations_per_iteration": {:.4g}, "repetitions": {}}})"
             "\n",
             short_run.iterations, short_run.seconds, long_run.iterations, long_run.seconds,
             static_cast<double>(long_run.evaluations - short_run.evaluations) / difference, repetitions);
  return 0;
}

// An entry of /proc/self/status in bytes (Linux; 0 elsewhere): VmRSS, what the process holds, or VmHWM, the most it held.
double memory_in_bytes(std::string_view entry) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(entry)) return 1024.0 * std::strtod(line.c_str() + entry.size(), nullptr);
  return 0.0;
}

int measure_memory(const Solver& solver, std::ptrdiff_t n, int iterations) {
  bench::Quadratic f(n);
  const std::vector<double> start(static_cast<std::size_t>(n), 1.0);
  const double before = memory_in_bytes("VmRSS:");
  const Run made = run(solver, f, start, iterations);
  const double peak = memory_in_bytes("VmHWM:");
  if (made.iterations < iterations || !(peak > before)) {
    fmt::print(stderr, "{}, n = {}: {} of {} iterations, memory from {} to {} bytes\n", solver.name, n, made.iterations,
               iterations, before, peak);
    return 1;
  }
  fmt::print(R"({{"bytes_before": {:.0f}, "bytes_peak": {:.0f}}})"
             "\n",
             before, peak);
  return 0;
}

// A built-in problem as a plain function.
class BuiltIn final : public bench::Function {
 public:
  explicit BuiltIn(loa::Problem problem)
      : problem_(std::move(problem)), x_(problem_.start), grad_(problem_.start.size()) {}
  std::ptrdiff_t dimension() const override { return x_.size(); }
  double value(const double* x) override {
    std::copy_n(x, x_.size(), x_.data());
    return problem_.objective->value(x_);
  }
  double value_and_gradient(const double* x, double* grad) override {
    std::copy_n(x, x_.size(), x_.data());
    const double f = problem_.objective->value_and_gradient(x_, grad_);
    std::copy_n(grad_.data(), grad_.size(), grad);
    return f;
  }
  std::vector<double> start() const { return {problem_.start.begin(), problem_.start.end()}; }

 private:
  loa::Problem problem_;
  loa::Vector x_, grad_;
};

int count_evaluations(const Solver& solver, double gtol, int max_evaluations) {
  std::string separator;
  fmt::print("[");
  for (const std::string& spec : bench::problem_list()) {
    loa::Problem problem;
    if (const std::string error = loa::make_problem(spec, problem); !error.empty()) {
      fmt::print(stderr, "{}\n", error);
      return 2;
    }
    BuiltIn f(std::move(problem));
    bench::Watched watched(f, gtol);
    // Every iteration takes an evaluation at least, so this limit leaves no solution out.
    solver.run({.f = watched, .start = f.start(), .iterations = max_evaluations});
    const bool solved = watched.solved() && watched.evaluations() <= max_evaluations;
    fmt::print(R"({}{{"problem": "{}", "solved": {}, "evaluations": {}, "f": {:.17g}}})", separator, spec, solved,
               watched.evaluations(), watched.f());
    separator = ",\n ";
  }
  fmt::print("]\n");
  return 0;
}

int list_solvers() {
  std::string separator;
  fmt::print("{{");
  for (const Solver& solver : bench::solvers()) {
    fmt::print(R"({}"{}": "{}")", separator, solver.name, solver.kind == bench::Kind::kDense ? "dense" : "limited");
    separator = ", ";
  }
  fmt::print("}}\n");
  return 0;
}

int refuse() {
  fmt::print(stderr, "expected one of: list | time SOLVER N SHORT LONG SECONDS | memory SOLVER N ITERATIONS | evaluations "
                     "SOLVER GTOL MAX\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 1 && words[0] == "list") return list_solvers();
  if (words.size() < 2) return refuse();
  for (const Solver& solver : bench::solvers()) {
    if (solver.name != words[1]) continue;
    const auto number = [&](std::size_t i) { return std::strtod(words[i].c_str(), nullptr); };
    const auto integer = [&](std::size_t i) { return static_cast<int>(number(i)); };
    if (words[0] == "time" && words.size() == 6)
      return time_iterations(solver, integer(2), integer(3), integer(4), number(5));
    if (words[0] == "memory" && words.size() == 4) return measure_memory(solver, integer(2), integer(3));
    if (words[0] == "evaluations" && words.size() == 4) return count_evaluations(solver, number(2), integer(3));
    return refuse();
  }
  fmt::print(stderr, "found no solver '{}' here\n", words[1]);
  return 2;
}
