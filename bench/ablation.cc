// What each part of bfgs+ is worth: evaluations of f against BFGS when a part is added to BFGS alone, and when it is
// taken out of bfgs+. Geometric means over the problems that both solve with the same minimum. Deterministic.
//
//   ablation [SET ...]     sets of `loa list sets`; default named synthetic expressions
#include <fmt/core.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "experiment/problem_sets.h"
#include "linalg/refreshed_inverse_hessian.h"
#include "loa/loa.h"
#include "oracle/oracles.h"
#include "storage/storages.h"

namespace {

constexpr double kGradientTolerance = 1e-6;
constexpr std::int64_t kMaxEvaluations = 3000;

struct Parts {
  bool values = false;
  bool weak_wolfe = false;
  bool refreshed = false;
  bool conjugated = false;
};

loa::Algorithm make(const Parts& parts) {
  loa::Algorithm algorithm = loa::make_algorithm("bfgs");
  if (parts.values) algorithm.oracle = loa::quasi_newton_oracle({}, loa::SecantEquation::kValuesToo);
  if (parts.weak_wolfe) {
    algorithm.line_search = "weak-wolfe";
    algorithm.wolfe.c2 = 0.97;
  }
  if (!parts.refreshed && !parts.conjugated) return algorithm;
  // Without a refreshed scale the list becomes a matrix at its second pair.
  const loa::RefreshedOptions options{.num_pairs = parts.refreshed ? loa::RefreshedOptions().num_pairs : 1,
                                      .depth = parts.conjugated ? 1 : 0};
  algorithm.storage = loa::quasi_newton_storage({}, [options](loa::Index n, const loa::Reduction& reduction) {
    return std::make_unique<loa::RefreshedInverseHessian>(n, options, reduction);
  });
  return algorithm;
}

struct Variant {
  const char* name;
  Parts parts;
};

constexpr Variant kVariants[] = {
    {"bfgs", {}},
    {"bfgs, values of f", {.values = true}},
    {"bfgs, weak-wolfe", {.weak_wolfe = true}},
    {"bfgs, refreshed scale", {.refreshed = true}},
    {"bfgs, conjugated pairs", {.conjugated = true}},
    {"bfgs+ without values of f", {.weak_wolfe = true, .refreshed = true, .conjugated = true}},
    {"bfgs+ without weak-wolfe", {.values = true, .refreshed = true, .conjugated = true}},
    {"bfgs+ without refreshed scale", {.values = true, .weak_wolfe = true, .conjugated = true}},
    {"bfgs+ without conjugated pairs", {.values = true, .weak_wolfe = true, .refreshed = true}},
    {"bfgs+", {.values = true, .weak_wolfe = true, .refreshed = true, .conjugated = true}},
};

struct Result {
  bool solved = false;
  double f = 0.0;
  double evaluations = 0.0;
};

Result solve(const std::string& spec, const loa::Algorithm& algorithm) {
  loa::Problem problem;
  if (const std::string error = loa::make_problem(spec, problem); !error.empty()) {
    fmt::print(stderr, "{}\n", error);
    std::exit(2);
  }
  const loa::Summary summary = loa::minimize(*problem.objective, problem.start, algorithm,
                                             {.gtol = kGradientTolerance, .max_evaluations = kMaxEvaluations});
  return {summary.grad_inf_norm <= kGradientTolerance, summary.f, static_cast<double>(summary.evaluations.value)};
}

bool same_minimum(double a, double b) { return std::abs(a - b) <= 1e-6 + 1e-4 * std::abs(b); }

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> sets(argv + 1, argv + argc);
  if (sets.empty()) sets = {"named", "synthetic", "expressions"};
  for (const std::string& set : sets) {
    std::vector<std::string> specs;
    if (const std::string error = loa::add_problem_set(set, specs); !error.empty()) {
      fmt::print(stderr, "{}\n", error);
      return 2;
    }
    fmt::print("{}: {} problems, gtol {:g}, at most {} evaluations\n", set, specs.size(), kGradientTolerance,
               kMaxEvaluations);
    std::vector<Result> reference;
    for (const Variant& variant : kVariants) {
      const loa::Algorithm algorithm = make(variant.parts);
      int solved = 0, both = 0;
      double sum_of_logs = 0.0;
      for (std::size_t i = 0; i < specs.size(); ++i) {
        const Result result = solve(specs[i], algorithm);
        if (reference.size() == i) reference.push_back(result);
        solved += result.solved;
        if (!result.solved || !reference[i].solved || !same_minimum(result.f, reference[i].f)) continue;
        sum_of_logs += std::log(result.evaluations / reference[i].evaluations);
        ++both;
      }
      fmt::print("{:<32} solved {:>4}  evaluations/bfgs {:.3f} on {}\n", variant.name, solved,
                 std::exp(sum_of_logs / both), both);
    }
    fmt::print("\n");
  }
}
