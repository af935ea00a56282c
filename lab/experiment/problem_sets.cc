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

// The names of `kind`, with `keys` of which the next is taken for each name, round and round.
void add_in_turn(const std::string& kind, const std::vector<std::string>& keys, std::vector<std::string>& list) {
  std::size_t turn = 0;
  for (const ProblemInfo& info : problems()) {
    if (info.name.starts_with(kind + ":")) list.push_back(info.name + keys[turn++ % keys.size()]);
  }
}

// n of 30 at most, but for `bundle` (36) and `factorization` (60).
std::vector<std::string> origin_small_problems() {
  std::vector<std::string> list;
  add_in_turn("regression", {",start=near,seed=1", ",start=near,seed=2"}, list);
  add_in_turn("regression", {",start=far,seed=1", ",start=far,seed=2"}, list);
  add_in_turn("chain", {",n=6", ",n=12,seed=1", ",n=18", ",n=30,seed=2", ",n=24"}, list);
  add_in_turn("likelihood", {",seed=1", ",seed=2"}, list);
  add_in_turn("geometry", {",seed=1"}, list);
  for (const char* spec :
       {"likelihood:gp-rbf,n=6,seed=3", "likelihood:gp-matern,n=3,seed=4", "likelihood:gp-rational,n=7,seed=5",
        "likelihood:poisson,n=30,seed=3", "likelihood:multinomial,n=30,seed=4", "likelihood:mixture,n=5,seed=5",
        "geometry:lennard-jones,n=15,seed=2", "geometry:mlp-fit,n=13,seed=2", "grid:brachistochrone,n=20",
        "grid:elastica,n=20,seed=1", "grid:van-der-pol,n=25", "grid:minimal-surface,n=25"}) {
    list.push_back(spec);
  }
  return list;
}

// n = 50 and 100 or near to them, and from 200 to 530.
std::vector<std::string> origin_middle_problems() {
  return {"grid:minimal-surface,n=529",
          "grid:p-laplacian,n=100",
          "grid:p-laplacian,n=324",
          "grid:shear-thinning,n=225",
          "grid:bratu,n=100",
          "grid:bratu,n=484",
          "grid:phase-field,n=49",
          "grid:phase-field,n=400",
          "grid:obstacle,n=256",
          "grid:torsion,n=100",
          "grid:torsion,n=529",
          "grid:journal-bearing,n=225",
          "grid:optimal-design,n=324",
          "grid:denoising,n=49,seed=1",
          "grid:denoising,n=484,seed=2",
          "grid:superconductor,n=98",
          "grid:superconductor,n=450",
          "grid:bratu-line,n=200",
          "grid:brachistochrone,n=50",
          "grid:brachistochrone,n=250",
          "grid:elastica,n=100",
          "grid:spring-chain,n=100",
          "grid:spring-chain,n=300",
          "grid:van-der-pol,n=50",
          "grid:van-der-pol,n=400",
          "chain:quartic,n=300",
          "chain:power,n=100",
          "chain:tridiagonal,n=250",
          "chain:broyden-tridiagonal,n=400",
          "chain:broyden-banded,n=200,seed=1",
          "chain:engval,n=500",
          "chain:liarwhd,n=100,seed=2",
          "chain:nondia,n=50",
          "chain:scaled-cosine,n=200",
          "chain:sinquad,n=100",
          "chain:cragg-levy,n=300",
          "chain:singular,n=100",
          "chain:wood,n=50,seed=1",
          "chain:fletcher,n=100",
          "chain:freudenstein-roth,n=200",
          "chain:exponential,n=500,seed=1",
          "chain:toint-gaussian,n=300,seed=1",
          "chain:schmidt-vetters,n=100",
          "chain:nonconvex-sparse,n=350",
          "chain:sparse-quartic,n=250",
          "chain:curly,n=50",
          "chain:boundary-value,n=50",
          "chain:dixon-maany,n=450",
          "likelihood:poisson,n=100,seed=1",
          "likelihood:negative-binomial,n=50,seed=2",
          "likelihood:probit,n=200,seed=2",
          "likelihood:ordinal,n=100,seed=4",
          "likelihood:multinomial,n=300,seed=6",
          "likelihood:student,n=250,seed=1",
          "likelihood:weibull,n=50,seed=3",
          "likelihood:cox,n=200,seed=4",
          "likelihood:arma,n=50,seed=1",
          "regression:spectrum,n=51,seed=1",
          "regression:spectrum,n=102,seed=2",
          "geometry:lennard-jones,n=99,seed=1",
          "geometry:morse,n=51,seed=2",
          "geometry:thomson,n=240,seed=1",
          "geometry:scaling,n=100,seed=1",
          "geometry:factorization,n=300,seed=1",
          "geometry:bundle,n=108,seed=1",
          "geometry:mlp-fit,n=101,seed=1",
          "geometry:mlp-classes,n=201,seed=2"};
}

// n = 500 to 5000, functions whose evaluation costs about n.
std::vector<std::string> origin_large_problems() {
  return {"grid:minimal-surface,n=2500",
          "grid:p-laplacian,n=900",
          "grid:shear-thinning,n=1600",
          "grid:bratu,n=4900",
          "grid:phase-field,n=1024",
          "grid:obstacle,n=900",
          "grid:torsion,n=2500",
          "grid:journal-bearing,n=1024",
          "grid:optimal-design,n=1600",
          "grid:denoising,n=4900,seed=1",
          "grid:superconductor,n=800",
          "grid:brachistochrone,n=500",
          "grid:van-der-pol,n=2000",
          "chain:quartic,n=2000",
          "chain:power,n=1000",
          "chain:broyden-tridiagonal,n=5000",
          "chain:broyden-banded,n=1000,seed=1",
          "chain:engval,n=3000",
          "chain:liarwhd,n=2000,seed=2",
          "chain:cosine,n=1000",
          "chain:sinquad,n=500",
          "chain:cragg-levy,n=2000",
          "chain:singular,n=1000",
          "chain:wood,n=1000,seed=1",
          "chain:dennis-schnabel,n=5000",
          "chain:toint-gaussian,n=1000,seed=1",
          "chain:schmidt-vetters,n=2000",
          "chain:nonconvex-sparse,n=1500",
          "chain:dixon-maany,n=3000",
          "chain:raydan,n=5000",
          "likelihood:poisson,n=500,seed=2",
          "geometry:factorization,n=1200,seed=2"};
}

// With a share of 0.1, 0.3 and 0.6 of the variables at a bound in turn.
void add_with_bounds(const std::vector<std::string>& specs, const std::string& seed, std::vector<std::string>& list) {
  const char* const shares[] = {"0.1", "0.3", "0.6"};
  std::size_t turn = 0;
  for (const std::string& spec : specs)
    list.push_back(spec + (spec.find(':') == std::string::npos ? ":" : ",") + "active=" + shares[turn++ % 3] +
                   ",bounds=" + seed);
}

std::vector<std::string> bounded_problems() {
  std::vector<std::string> list = {"box:nnls,n=20,seed=1",
                                   "box:nnls,n=100,seed=2",
                                   "box:nnls,n=300,seed=3",
                                   "box:quadratic,n=10,seed=1",
                                   "box:quadratic,n=50,seed=2",
                                   "box:quadratic,n=100,seed=3,active=0.6",
                                   "box:quadratic,n=100,seed=4,condition=1e6",
                                   "box:quadratic,n=200,seed=5,degenerate=0.5",
                                   "box:quadratic,n=300,seed=6,condition=1e2",
                                   "box:quadratic,n=200,seed=7,active=0.9,degenerate=0.3",
                                   "box:obstacle,n=100",
                                   "box:obstacle,n=400",
                                   "box:obstacle,n=2500",
                                   "box:torsion,n=400",
                                   "box:torsion,n=2500",
                                   "box:torsion,n=400,load=20",
                                   "box:bearing,n=400",
                                   "box:bearing,n=2500",
                                   "box:bearing,n=400,eccentricity=0.1",
                                   "box:surface,n=100",
                                   "box:surface,n=400",
                                   "box:surface,n=2500",
                                   "box:gaussian-process,n=4,seed=1",
                                   "box:gaussian-process,n=6,seed=2",
                                   "box:gaussian-process,n=8,seed=3",
                                   "box:gaussian-process,n=12,m=60,seed=4"};
  std::vector<std::string> named;
  for (const std::string& spec : named_problems())
    if (spec.find("start=10") == std::string::npos) named.push_back(spec);
  add_with_bounds(named, "1", list);
  std::vector<std::string> every_third;
  const std::vector<std::string> middle = middle_problems();
  for (std::size_t i = 0; i < middle.size(); i += 3) every_third.push_back(middle[i]);
  add_with_bounds(every_third, "1", list);
  return list;
}

std::vector<std::string> bounded_held_out_problems() {
  std::vector<std::string> list = {"box:nnls,n=60,seed=11",
                                   "box:nnls,n=200,seed=12",
                                   "box:quadratic,n=30,seed=11",
                                   "box:quadratic,n=150,seed=12,active=0.5",
                                   "box:quadratic,n=150,seed=13,condition=1e6,degenerate=0.3",
                                   "box:quadratic,n=400,seed=14,active=0.2",
                                   "box:obstacle,n=900",
                                   "box:torsion,n=900,load=10",
                                   "box:bearing,n=900,eccentricity=0.5",
                                   "box:surface,n=900,height=0.5",
                                   "box:gaussian-process,n=5,seed=11",
                                   "box:gaussian-process,n=9,seed=12",
                                   "box:gaussian-process,n=7,m=80,seed=13"};
  std::vector<std::string> others;
  const std::vector<std::string> middle = origin_middle_problems(), small = origin_small_problems();
  for (std::size_t i = 0; i < middle.size(); i += 2) others.push_back(middle[i]);
  for (std::size_t i = 0; i < small.size(); i += 4) others.push_back(small[i]);
  add_with_bounds(others, "2", list);
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
      {"origin-small", "regressions, likelihoods, chains, geometry from the literature; n mostly 2 to 30",
       origin_small_problems},
      {"origin-middle", "grids, chains, likelihoods, geometry from the literature; n = 50 to 530",
       origin_middle_problems},
      {"origin-large", "grids and chains from the literature for limited memory; n = 500 to 5000",
       origin_large_problems},
      {"bounded", "bounds on the variables, from applications, known solutions, and drawn for named and middle",
       bounded_problems},
      {"bounded-held-out", "the same kinds with other sizes and seeds", bounded_held_out_problems},
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
