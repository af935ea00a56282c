// One program a library; `tools/bench` starts them in turns and compares what they print, one JSON object each.
//
//   list                                     the solvers of this library
//   time SOLVER N SHORT LONG SECONDS         what an iteration costs without f
//   memory SOLVER N ITERATIONS               what a run adds to the memory of the process
//   evaluations SOLVER GTOL MAX              evaluations on each of the built-in problems
//   solve SOLVER GTOL MAX SECONDS PROBLEM    a whole run on one problem, and its time without and inside of f
//
// `time` runs SHORT iterations to learn how many calls of f they take, then LONG iterations again and again for
// SECONDS. Runs do not differ but in time, so the call before which a gap of time lies says what was done in it. The
// answer has the least of each gap after the first SHORT iterations: LONG - SHORT iterations without f, setting up, and
// the filling of the memory of pairs. "mean" is the mean of their sum over all runs, for a machine that is never idle.
// `solve` repeats its run in the same way, and counts all gaps.
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiment/problem_sets.h"
#include "functions.h"
#include "loa/problem.h"
#include "peer.h"

namespace {

using bench::Solver;

// Calls of f an iteration for which there is room before the timing allocates.
constexpr int kRoomForCalls = 20;

struct Run {
  int iterations = 0;
  std::int64_t evaluations = 0;
  std::vector<double> gaps, insides;  // seconds before and inside of each call of f
};

Run run(const Solver& solver, bench::Function& f, const std::vector<double>& start, int iterations, double gtol = 0.0) {
  bench::Timed timed(f, static_cast<std::size_t>(iterations) * kRoomForCalls);
  const int made = solver.run({.f = timed, .start = start, .iterations = iterations, .gtol = gtol});
  return {made, timed.evaluations(), std::move(timed.gaps()), std::move(timed.insides())};
}

// The least of each time of two runs that do not differ but in time, into `least`.
void take_least(const Run& next, Run& least) {
  for (std::vector<double> Run::*times : {&Run::gaps, &Run::insides})
    std::transform((next.*times).begin(), (next.*times).end(), (least.*times).begin(), (least.*times).begin(),
                   [](double a, double b) { return std::min(a, b); });
}

double sum(const std::vector<double>& times) { return std::accumulate(times.begin(), times.end(), 0.0); }

int time_iterations(const Solver& solver, std::ptrdiff_t n, int short_length, int long_length, double budget) {
  bench::Quadratic f(n);
  const std::vector<double> start(static_cast<std::size_t>(n), 1.0);
  const Run short_run = run(solver, f, start, short_length);
  Run least;
  int repetitions = 0;
  double total = 0.0;
  for (const double begin = bench::now(); repetitions == 0 || bench::now() - begin < budget; ++repetitions) {
    Run next = run(solver, f, start, long_length);
    if (next.iterations < long_length || next.gaps.size() <= short_run.gaps.size() ||
        (repetitions > 0 && next.gaps.size() != least.gaps.size())) {
      fmt::print(stderr, "{}, n = {}: {} of {} iterations with {} calls of f, expected {}\n", solver.name, n,
                 next.iterations, long_length, next.gaps.size(), least.gaps.size());
      return 1;
    }
    total = std::accumulate(next.gaps.begin() + std::ssize(short_run.gaps), next.gaps.end(), total);
    if (repetitions > 0)
      take_least(next, least);
    else
      least = std::move(next);
  }
  const int difference = least.iterations - short_run.iterations;
  fmt::print(R"({{"iterations": {}, "evaluations": {}, "repetitions": {}, "mean": {:.6g}, "seconds": [)", difference,
             least.evaluations - short_run.evaluations, repetitions, total / repetitions);
  for (std::size_t i = short_run.gaps.size(); i < least.gaps.size(); ++i)
    fmt::print("{}{:.6g}", i > short_run.gaps.size() ? ", " : "", least.gaps[i]);
  fmt::print("]}}\n");
  return 0;
}

// An entry of /proc/self/status in bytes (Linux; 0 elsewhere): VmRSS, what the process holds, or VmHWM, the most it
// held.
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
  for (const std::string& spec : loa::named_problems()) {
    loa::Problem problem;
    if (const loa::Error error = loa::make_problem(spec, problem)) {
      fmt::print(stderr, "{}\n", error.message());
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

int solve(const Solver& solver, double gtol, int max_iterations, double budget, const std::string& spec) {
  loa::Problem problem;
  if (const loa::Error error = loa::make_problem(spec, problem)) {
    fmt::print(stderr, "{}\n", error.message());
    return 2;
  }
  BuiltIn f(std::move(problem));
  bench::Watched watched(f, gtol);
  const double begin = bench::now();
  Run least = run(solver, watched, f.start(), max_iterations, gtol);
  const std::int64_t evaluations = watched.evaluations();
  // Three runs at least, unless they are long, so that an interruption is not in all of them.
  const auto seconds = [begin] { return bench::now() - begin; };
  for (int num_runs = 1; seconds() < budget || (num_runs < 3 && seconds() < 20.0 * budget); ++num_runs) {
    const Run next = run(solver, f, f.start(), max_iterations, gtol);
    if (next.gaps.size() != least.gaps.size()) {
      fmt::print(stderr, "{}, {}: {} calls of f, expected {}\n", solver.name, spec, next.gaps.size(),
                 least.gaps.size());
      return 1;
    }
    take_least(next, least);
  }
  fmt::print(R"({{"solved": {}, "evaluations": {}, "f": {:.17g}, "outside": {:.6g}, "inside": {:.6g}}})"
             "\n",
             watched.solved(), evaluations, watched.f(), sum(least.gaps), sum(least.insides));
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
  fmt::print(stderr,
             "expected one of: list | time SOLVER N SHORT LONG SECONDS | memory SOLVER N ITERATIONS | evaluations "
             "SOLVER GTOL MAX | solve SOLVER GTOL MAX SECONDS PROBLEM\n");
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
    if (words[0] == "solve" && words.size() == 6) return solve(solver, number(2), integer(3), number(4), words[5]);
    return refuse();
  }
  fmt::print(stderr, "found no solver '{}' here\n", words[1]);
  return 2;
}
