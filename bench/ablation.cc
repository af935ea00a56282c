// What each part of bfgs+ and sr1+ is worth, and what their constants are worth: evaluations of f against a reference,
// geometric means over the problems that both solve with the same minimum, with an interval of 95 % from the spread
// over the problems. Deterministic.
//
//   ablation [SET ...]             parts added to bfgs and sr1, parts taken out of bfgs+ and sr1+, against bfgs;
//                                  sets of `loa list sets`, default named synthetic expressions
//   ablation constants [SET ...]   bfgs+ with one constant changed, against bfgs+, and l-bfgs+ likewise on larger
//                                  synthetic problems; default synthetic expressions
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "experiment/problem_sets.h"
#include "linalg/conjugated_inverse_hessian.h"
#include "linalg/refreshed_inverse_hessian.h"
#include "loa/lab.h"
#include "model/classical_models.h"
#include "oracle/oracles.h"
#include "problem/synthetic.h"
#include "storage/storages.h"

namespace {

constexpr double kGradientTolerance = 1e-6;
constexpr std::int64_t kMaxEvaluations = 3000;

struct Variant {
  std::string name;
  loa::Algorithm algorithm;
};

// --- parts -----------------------------------------------------------------------------------------------------------

enum class Rule {
  kBfgs,
  kSr1,
  kTestedSr1,  // Sr1 where it is positive definite for every <d, B^-1 d>
  kExactSr1,   // where it is for that of the last step
};

struct Parts {
  bool values = false;
  bool weak_wolfe = false;
  bool refreshed = false;
  bool conjugated = false;
  bool filtered = false;
  bool triples = false;  // 100 triples (dg, d, y) on a scale that is refreshed: every pair enters with its own y
};

std::shared_ptr<const loa::Model> make_model(Rule rule) {
  if (rule == Rule::kBfgs) return std::make_shared<loa::SecantStepModel>();
  if (rule == Rule::kSr1) return std::make_shared<loa::ResidualModel>();
  return std::make_shared<loa::SafeResidualModel>();
}

loa::MakeInverseHessian refreshed(const loa::RefreshedOptions& options) {
  return [options](loa::Index n, const loa::Reduction& reduction) {
    return std::make_unique<loa::RefreshedInverseHessian>(n, options, reduction);
  };
}

std::shared_ptr<const loa::Storage> make_storage(const Parts& parts) {
  if (parts.triples)
    return loa::quasi_newton_storage({}, loa::limited_memory({.memory = 100}, loa::PairsKept::kTriple));
  if (!parts.refreshed && !parts.conjugated) return loa::quasi_newton_storage({});
  // Without a refreshed scale the list becomes a matrix at its second pair.
  return loa::quasi_newton_storage({}, refreshed({.num_pairs = parts.refreshed ? loa::RefreshedOptions().num_pairs : 1,
                                                  .depth = parts.conjugated ? 1 : 0}));
}

loa::Algorithm make(Rule rule, const Parts& parts) {
  loa::Algorithm algorithm = loa::make_algorithm("bfgs");
  algorithm.model = make_model(rule);
  algorithm.oracle = loa::quasi_newton_oracle(
      {},
      loa::SecantOptions{.equation = parts.values ? loa::SecantEquation::kValuesToo : loa::SecantEquation::kGradients,
                         .filter = parts.filtered ? 1.0 : 0.0,
                         .measures_step = rule == Rule::kExactSr1});
  algorithm.storage = make_storage(parts);
  if (parts.filtered) algorithm.storage = loa::filtered_storage({}, algorithm.storage);
  if (parts.weak_wolfe) {
    algorithm.line_search = "weak-wolfe";
    algorithm.wolfe.c2 = 0.97;
  }
  return algorithm;
}

// All parts of bfgs+, changed by `change`.
Parts plus(const std::function<void(Parts&)>& change = [](Parts&) {}) {
  Parts parts{.values = true, .weak_wolfe = true, .refreshed = true, .conjugated = true};
  change(parts);
  return parts;
}

// The first one is the reference.
std::vector<Variant> part_variants() {
  std::vector<Variant> list;
  const auto add = [&](const std::string& name, Rule rule, const Parts& parts) {
    list.push_back({name, make(rule, parts)});
  };
  const std::pair<const char*, Parts> single[] = {{"values of f", {.values = true}},
                                                  {"weak-wolfe", {.weak_wolfe = true}},
                                                  {"refreshed scale", {.refreshed = true}},
                                                  {"conjugated pairs", {.conjugated = true}},
                                                  {"filtered pairs", {.filtered = true}}};
  const std::pair<const char*, void (*)(Parts&)> without[] = {
      {"without values of f", [](Parts& parts) { parts.values = false; }},
      {"without weak-wolfe", [](Parts& parts) { parts.weak_wolfe = false; }},
      {"without refreshed scale", [](Parts& parts) { parts.refreshed = false; }},
      {"without conjugated pairs", [](Parts& parts) { parts.conjugated = false; }},
      {"filtered in place of conjugated",
       [](Parts& parts) {
         parts.conjugated = false;
         parts.filtered = true;
       }},
      {"and filtered pairs", [](Parts& parts) { parts.filtered = true; }}};
  add("bfgs", Rule::kBfgs, {});
  for (const auto& [name, parts] : single) add(std::string("bfgs, ") + name, Rule::kBfgs, parts);
  add("sr1", Rule::kSr1, {});
  for (const auto& [name, parts] : single) add(std::string("sr1, ") + name, Rule::kSr1, parts);
  add("sr1, test of phi", Rule::kTestedSr1, {});
  add("sr1, test of phi and mu", Rule::kExactSr1, {});
  add("bfgs+", Rule::kBfgs, plus());
  for (const auto& [name, change] : without) add(std::string("bfgs+ ") + name, Rule::kBfgs, plus(change));
  add("sr1+", Rule::kTestedSr1, plus());
  for (const auto& [name, change] : without) add(std::string("sr1+ ") + name, Rule::kTestedSr1, plus(change));
  add("sr1+ without test of phi", Rule::kSr1, plus());
  add("sr1+ with mu of the last step", Rule::kExactSr1, plus());
  const Parts for_all{.values = true, .weak_wolfe = true, .triples = true};
  Parts for_all_filtered = for_all;
  for_all_filtered.filtered = true;
  add("sr1+ y = r in all pairs", Rule::kTestedSr1, for_all);
  add("sr1+ y = r in all pairs, filtered", Rule::kTestedSr1, for_all_filtered);
  return list;
}

// --- constants -------------------------------------------------------------------------------------------------------

// Takes (s/|dg|^2)^(1-e) (|d|^2/s)^e for the scale |d|/|dg|, which is e = 1/2: the quotient is cos(d, dg)^(1-2e). The
// oracle inside reads the factor from the state, where a controlled storage would put it.
class ScaleExponent final : public loa::Oracle {
 public:
  ScaleExponent(std::shared_ptr<const loa::Oracle> inner, double exponent)
      : inner_(std::move(inner)), exponent_(exponent) {}

  void observe(loa::Objective& f, loa::State& state, loa::Input& input) const override {
    const double cosine = loa::cosine(state.x - state.x_prev, state.grad - state.grad_prev, *state.reduction);
    state.scalars.assign(1, cosine > 0.0 ? std::pow(cosine, 1.0 - 2.0 * exponent_) : 1.0);
    inner_->observe(f, state, input);
  }

 private:
  std::shared_ptr<const loa::Oracle> inner_;
  double exponent_;
};

std::vector<Variant> dense_constants() {
  std::vector<Variant> list;
  // bfgs+ with something changed.
  const auto add = [&](const std::string& name, const std::function<void(loa::Algorithm&)>& change) {
    list.push_back({name, loa::make_algorithm("bfgs+")});
    change(list.back().algorithm);
  };
  const auto add_operator = [&](const std::string& name, const loa::RefreshedOptions& options) {
    add(name,
        [&](loa::Algorithm& algorithm) { algorithm.storage = loa::quasi_newton_storage({}, refreshed(options)); });
  };
  add("bfgs+", [](loa::Algorithm&) {});
  for (const loa::Index num : {20, 50, 100, 200}) add_operator(fmt::format("{} pairs", num), {.num_pairs = num});
  for (const double damping : {3.0, 10.0, 30.0, 100.0})
    add_operator(fmt::format("damping {}", damping), {.damping = damping});
  for (const loa::Index depth : {0, 1}) add_operator(fmt::format("depth {}", depth), {.depth = depth});
  for (const double bound : {2.0, 3.0, 5.0, 1000.0})
    add(fmt::format("tau within a factor of {}", bound), [&](loa::Algorithm& algorithm) {
      algorithm.oracle = loa::quasi_newton_oracle(
          {}, loa::SecantOptions{.equation = loa::SecantEquation::kValuesToo, .largest_ratio = bound});
    });
  for (const double c2 : {0.9, 0.95, 0.97, 0.99})
    add(fmt::format("c2 = {}", c2), [&](loa::Algorithm& algorithm) { algorithm.wolfe.c2 = c2; });
  for (const double exponent : {0.0, 0.25, 0.5, 0.75, 1.0})
    add(fmt::format("scale exponent {}", exponent), [&](loa::Algorithm& algorithm) {
      algorithm.oracle = std::make_shared<ScaleExponent>(algorithm.oracle, exponent);
    });
  for (const double kappa : {0.25, 0.5, 1.0})
    add(fmt::format("filtered, kappa = {}", kappa), [&](loa::Algorithm& algorithm) {
      algorithm.oracle = loa::quasi_newton_oracle(
          {}, loa::SecantOptions{.equation = loa::SecantEquation::kValuesToo, .filter = kappa});
      algorithm.storage = loa::filtered_storage({}, algorithm.storage);
    });
  return list;
}

std::vector<Variant> limited_constants() {
  constexpr loa::Index kMemory = 10, kAll = std::numeric_limits<loa::Index>::max();
  std::vector<Variant> list = {{"l-bfgs+", loa::make_algorithm("l-bfgs+")}};
  const auto add = [&](const std::string& name, const loa::ConjugationOptions& conjugation) {
    const loa::ConjugatedOptions options{.capacity = kMemory - 1, .diagonal = false, .conjugation = conjugation};
    list.push_back({name, loa::make_algorithm("l-bfgs+")});
    list.back().algorithm.storage =
        loa::quasi_newton_storage({}, [options](loa::Index n, const loa::Reduction& reduction) {
          return std::make_unique<loa::ConjugatedInverseHessian>(n, options, reduction);
        });
  };
  for (const loa::Index depth : {loa::Index{1}, loa::Index{2}, loa::Index{3}, loa::Index{5}, kAll})
    add(depth == kAll ? "depth all" : fmt::format("depth {}", depth), {.depth = depth});
  for (const double damping : {30.0, 100.0, 300.0})
    add(fmt::format("damping {}", damping), {.damping = damping, .depth = 3});
  return list;
}

// Every third synthetic family, n = 200, 500 and 1000 in turn.
std::vector<std::string> larger_problems() {
  constexpr loa::Index kSizes[] = {200, 500, 1000};
  std::vector<std::string> specs;
  const std::vector<std::string> families = loa::synthetic_families();
  for (std::size_t i = 0; i < families.size(); i += 3) {
    const std::string spec = fmt::format("synthetic:{},seed=1,n={}", families[i], kSizes[i / 3 % 3]);
    loa::Problem problem;
    if (!loa::make_problem(spec, problem)) specs.push_back(spec);  // some families have an n of their own
  }
  return specs;
}

// --- tables ----------------------------------------------------------------------------------------------------------

struct Result {
  bool solved = false;
  double f = 0.0;
  double evaluations = 0.0;
};

[[noreturn]] void complain(const std::string& error) {
  fmt::print(stderr, "{}\n", error);
  std::exit(2);
}

Result solve(const std::string& spec, const loa::Algorithm& algorithm) {
  loa::Problem problem;
  if (const loa::Error error = loa::make_problem(spec, problem)) complain(error.message());
  const loa::Summary summary = loa::minimize(*problem.objective, problem.start, algorithm,
                                             {.gtol = kGradientTolerance, .max_evaluations = kMaxEvaluations});
  return {summary.grad_inf_norm <= kGradientTolerance, summary.f, static_cast<double>(summary.evaluations.value)};
}

bool same_minimum(double a, double b) { return std::abs(a - b) <= 1e-6 + 1e-4 * std::abs(b); }

// Mean of the logarithms, and 1.96 standard errors.
struct Mean {
  int count = 0;
  double sum = 0.0, squares = 0.0;

  void add(double value) {
    ++count;
    sum += value;
    squares += value * value;
  }
  double mean() const { return sum / count; }
  double margin() const {
    return 1.96 * std::sqrt(std::max(0.0, squares / count - mean() * mean()) / std::max(1, count - 1));
  }
};

void print_table(const std::string& name, const std::vector<std::string>& specs, const std::vector<Variant>& variants) {
  fmt::print("{}: {} problems, gtol {:g}, at most {} evaluations\n", name, specs.size(), kGradientTolerance,
             kMaxEvaluations);
  std::vector<Result> reference;
  for (const Variant& variant : variants) {
    int solved = 0;
    Mean logs;
    for (std::size_t i = 0; i < specs.size(); ++i) {
      const Result result = solve(specs[i], variant.algorithm);
      if (reference.size() == i) reference.push_back(result);
      solved += result.solved;
      if (!result.solved || !reference[i].solved || !same_minimum(result.f, reference[i].f)) continue;
      logs.add(std::log(result.evaluations / reference[i].evaluations));
    }
    fmt::print("{:<38} solved {:>4}  evaluations/{} {:.3f} [{:.3f}, {:.3f}] on {}\n", variant.name, solved,
               variants.front().name, std::exp(logs.mean()), std::exp(logs.mean() - logs.margin()),
               std::exp(logs.mean() + logs.margin()), logs.count);
    std::fflush(stdout);
  }
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
  using Sets = std::vector<std::string>;
  Sets sets(argv + 1, argv + argc);
  const bool constants = !sets.empty() && sets.front() == "constants";
  if (constants) sets.erase(sets.begin());
  if (sets.empty()) sets = constants ? Sets{"synthetic", "expressions"} : Sets{"named", "synthetic", "expressions"};
  for (const std::string& set : sets) {
    std::vector<std::string> specs;
    if (const loa::Error error = loa::add_problem_set(set, specs)) complain(error.message());
    print_table(set, specs, constants ? dense_constants() : part_variants());
  }
  if (constants) print_table("larger synthetic problems", larger_problems(), limited_constants());
}
