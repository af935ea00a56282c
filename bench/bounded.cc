// Runs with bounds, for tools/compare_bounded.
//
//   bounded list SET                                  the SPECs of a set
//   bounded run ALGORITHM GTOL MAX_EVALUATIONS SPEC   one JSON object: how many calls of f until the first point whose
//                                                     projected gradient is at most GTOL, and how the run ended
//   bounded serve SPEC                                f for a solver in another process: n and the start, lower and
//                                                     upper bounds on standard output, 8 bytes a number; then for each
//                                                     x of n doubles on standard input f and the n of the gradient
#include <fmt/core.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>

#include "experiment/problem_sets.h"
#include "loa/lab.h"

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
  fail("expected list SET, run ALGORITHM GTOL MAX_EVALUATIONS SPEC or serve SPEC");
}
