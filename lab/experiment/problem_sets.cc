#include "experiment/problem_sets.h"

#include <algorithm>

#include "base/text.h"
#include "loa/problem.h"
#include "problem/synthetic.h"
#include "train/evolution_problems.h"

namespace loa {
namespace {

// For limited memory, n from 500 to 5000: functions of which an evaluation costs O(n), or O(n m) with small data.
// `seed` in Rosenbrock's starts makes the pairs differ; without it the path is that of n = 2. Not among them:
// penalty-2, whose terms grow as exp(n/5). The synthetic ones have more variables than any that is trained on.
std::vector<std::string> large_problems() {
  return {"rosenbrock:n=500,seed=1", "rosenbrock:n=2000,seed=2", "rosenbrock:n=5000,seed=3", "chained-rosenbrock:n=500",
          "chained-rosenbrock:n=1000,seed=1", "logistic:n=500,m=500,seed=1", "logistic:n=1000,m=500,seed=2",
          "logistic:n=2000,m=250,seed=3", "logistic:n=500,m=500,reduction=sum,l2=1e-2,seed=4",
          "ridge:n=500,m=1000,seed=1", "ridge:n=1000,m=800,seed=2", "ridge:n=500,m=500,l2=1e-2,seed=3",
          "quadratic:n=500,seed=1", "quadratic:n=1000,seed=2", "mgh:extended-powell-singular,n=500",
          "mgh:extended-powell-singular,n=2000", "mgh:trigonometric,n=500", "mgh:trigonometric,n=1000",
          "mgh:penalty-1,n=500", "mgh:penalty-1,n=1000", "mgh:variably-dimensioned,n=500",
          "mgh:variably-dimensioned,n=1000",
          // Turned variables.
          "rosenbrock:n=1000,seed=4,rotation=1", "rosenbrock:n=5000,seed=5,rotation=2",
          "chained-rosenbrock:n=500,seed=2,rotation=3", "synthetic:logistic-loss,seed=6,n=1000",
          "synthetic:least-squares,seed=3,n=1000", "synthetic:arctan-fit,seed=4,n=1000",
          // Banded least squares: each residual sees 20 neighbours.
          "synthetic:least-squares,seed=2,n=500", "synthetic:tanh-fit,seed=2,n=1000",
          "synthetic:softplus-fit,seed=2,n=2000", "synthetic:arctan-fit,seed=5,n=500",
          // Variables whose scales differ by factors from 200 to 6000.
          "synthetic:tanh-fit,seed=1,n=500", "synthetic:logistic-loss,seed=3,n=1000",
          "synthetic:least-squares,seed=8,n=2000", "synthetic:power-valley,seed=4,n=1000"};
}

std::vector<std::string> synthetic_problems() {
  std::vector<std::string> list;
  for (const std::string& family : synthetic_families())
    for (const char* seed : {"1", "2", "3"}) list.push_back("synthetic:" + family + ",seed=" + seed);
  return list;
}

// More variables than training draws, and as many as `auto` gives to a dense method at most: n from 210 to 499, in
// steps that have no divisor in common with their number, so that no two of 113 families have the same n.
std::vector<std::string> middle_problems() {
  std::vector<std::string> list;
  Index n = 210;
  for (const std::string& family : synthetic_families()) {
    n = 210 + (n - 210 + 37) % 290;
    const SyntheticRange range = synthetic_range(family);
    if (range.low <= n && n <= range.high) list.push_back("synthetic:" + family + ",seed=4,n=" + std::to_string(n));
  }
  return list;
}

std::vector<std::string> expression_problems() {
  constexpr int kTemplates = 80;
  std::vector<std::string> list;
  for (int i = 0; i < kTemplates; ++i) list.push_back("synthetic:expression-" + std::to_string(i) + ",seed=1");
  return list;
}

// What `loa train --seed S` with the trainer evolution leaves out, S % 5 being the fold: its families with two seeds
// and its templates with one. Neither training nor validation has seeds as small as these.
template <std::uint64_t kFold>
std::vector<std::string> left_out_problems() {
  std::vector<std::string> families, templates, list;
  for (const std::string& family : synthetic_families()) families.push_back("synthetic:" + family);
  for (Index i = 0; i < kNumExpressionTemplates; ++i) templates.push_back("synthetic:expression-" + std::to_string(i));
  for (const std::string& family : split_families(families, kFold).validation)
    for (const char* seed : {"1", "2"}) list.push_back(family + ",seed=" + seed);
  for (const std::string& family : split_families(templates, kFold).validation) list.push_back(family + ",seed=1");
  return list;
}

}  // namespace

const std::vector<NamedProblemSet>& problem_sets() {
  static const std::vector<NamedProblemSet> sets = {
      {"named", "64 classics: MGH from three starts each, quadratic, logistic, ridge, Rosenbrock; n up to 100",
       named_problems},
      {"large", "36 problems for limited memory, n from 500 to 5000", large_problems},
      {"middle", "the synthetic families that can have so many variables, n from 210 to 499", middle_problems},
      {"synthetic", "every synthetic family with the seeds 1, 2, 3", synthetic_problems},
      {"expressions", "the random-expression templates 0 to 79 with seed 1", expression_problems},
      {"left-out-0", "synthetic families that evolution with seed 0, 5, ... is not trained on", left_out_problems<0>},
      {"left-out-1", "likewise, seed 1, 6, ...", left_out_problems<1>},
      {"left-out-2", "likewise, seed 2, 7, ...", left_out_problems<2>},
      {"left-out-3", "likewise, seed 3, 8, ...", left_out_problems<3>},
      {"left-out-4", "likewise, seed 4, 9, ...", left_out_problems<4>},
  };
  return sets;
}

Error add_problem_set(const std::string& name, std::vector<std::string>& list) {
  std::vector<std::string> names;
  for (const NamedProblemSet& set : problem_sets()) {
    names.push_back(set.name);
    if (set.name != name) continue;
    for (const std::string& spec : set.specs())
      if (std::ranges::count(list, spec) == 0) list.push_back(spec);
    return {};
  }
  return "found the problem set " + quote(name) + ", expected one of " + join(names) + suggestion(name, names);
}

std::vector<std::string> named_problems() {
  std::vector<std::string> list = {"quadratic:n=20,seed=1",  "quadratic:n=100,seed=2", "logistic:seed=1",
                                   "logistic:n=10,seed=2",   "ridge:seed=1",           "rosenbrock:n=2",
                                   "rosenbrock:n=20",        "chained-rosenbrock:n=5", "chained-rosenbrock:n=20",
                                   "chained-rosenbrock:n=50"};
  for (const ProblemInfo& info : problems()) {
    if (!info.name.starts_with("mgh:")) continue;
    for (const char* start : {"1", "10", "100"}) list.push_back(info.name + ",start=" + start);
  }
  return list;
}

}  // namespace loa
