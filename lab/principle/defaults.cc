// What `loa check` runs when nobody says otherwise.
#include <stdexcept>

#include "loa/principle.h"
#include "loa/problem.h"

namespace loa {

CheckedAlgorithm checked_algorithm(const std::string& name, const std::string& weights) {
  make_algorithm(name, {}, weights);  // complains
  CheckedAlgorithm checked{.name = name, .make = [name, weights](const HyperParameters& gamma) {
                             return make_algorithm(name, gamma, weights);
                           }};
  for (const AlgorithmInfo& info : algorithms())
    if (info.name == name) checked.claims = info.claims;
  return checked;
}

bool takes_bounds(const CheckedAlgorithm& algorithm) { return algorithm.make({}).storage->takes_bounds(); }

CheckedProblem checked_problem(const std::string& spec) {
  const auto make = [spec] {
    Problem problem;
    if (const Error error = make_problem(spec, problem)) throw std::invalid_argument(error.message());
    return problem;
  };
  const Problem made = make();
  return {.name = spec,
          .make = [make] { return std::move(make().objective); },
          .start = made.start,
          .lower = made.lower,
          .upper = made.upper};
}

std::vector<CheckedProblem> bounded_check_problems() {
  std::vector<CheckedProblem> problems;
  for (const char* spec :
       {"box:quadratic,n=10,seed=1,condition=10", "box:quadratic,n=40,seed=2,condition=10", "box:nnls,n=10,seed=1",
        "quadratic:n=10,seed=1,active=0.3", "ridge:m=60,n=15,seed=1,active=0.4", "logistic:m=30,n=10,seed=1,active=0.3",
        "rosenbrock:n=2,active=0.5", "chained-rosenbrock:n=6,seed=1,active=0.3",
        "chained-rosenbrock:n=6,seed=5,active=0.5", "mgh:trigonometric,n=5,active=0.4"})
    problems.push_back(checked_problem(spec));
  return problems;
}

std::vector<CheckedProblem> default_check_problems() {
  std::vector<CheckedProblem> problems;
  for (const char* spec :
       {"quadratic:n=10,seed=1", "quadratic:n=10,seed=1,start=1", "quadratic:n=40,seed=2,low=1,high=8",
        "ridge:m=60,n=15,seed=1", "logistic:m=30,n=10,seed=1", "logistic:m=20,n=5,seed=2", "rosenbrock:n=2",
        "chained-rosenbrock:n=6,seed=1", "chained-rosenbrock:n=6,seed=2", "mgh:trigonometric,n=5"})
    problems.push_back(checked_problem(spec));
  return problems;
}

std::vector<CheckedMode> default_check_modes() {
  using Gamma = CheckedMode::Gamma;
  return {{.line_search = "fixed", .safeguard = Safeguard::kOff, .gamma = Gamma::kGiven},
          {.line_search = "fixed", .safeguard = Safeguard::kOn, .gamma = Gamma::kOwn},
          {.line_search = "more-thuente", .safeguard = Safeguard::kOn, .gamma = Gamma::kOwn},
          {.line_search = "hager-zhang", .safeguard = Safeguard::kOn, .gamma = Gamma::kOwn},
          {.line_search = "weak-wolfe", .safeguard = Safeguard::kOn, .gamma = Gamma::kOwn}};
}

}  // namespace loa
