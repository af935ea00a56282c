// What each part of bfgs+, bfgs+d and sr1+ is worth, and what their constants are worth: evaluations of f against a
// reference, geometric means over the problems that both solve with the same minimum, with an interval of 95 % from the
// spread over the problems. Deterministic, for any number of threads. Prints a table in Markdown for each group.
//
//   ablation [--gtol EPS] [--max-evaluations N] [--jobs J] [GROUP ...] [SET[=STARTS] ...]
//
//   parts         parts added to bfgs and sr1, parts taken out of bfgs+ and sr1+, against bfgs
//   parts+d       parts taken out of bfgs+d, against bfgs+d
//   constants+d   bfgs+d with one constant changed, against bfgs+d; pairs+d, memory+d, diagonal+d, trials+d and
//   search+d
//                 are the constants of one part
//   matrix+d      when B becomes a matrix
//   limited+d     l-bfgs+d with one constant changed, against l-bfgs+d
//
// With a + in place of +d it is bfgs+ (l-bfgs+), which has no diagonal. Without a group it is parts. The sets are those
// of `loa list sets`, and
//
//   larger     every third synthetic family, n = 200, 500 and 1000 in turn
//   fits       regressions from far starts
//   walls      functions that are infinite outside of a domain, n = 2 to 10
//   networks   physics-informed networks, five seeds: the loss after 2000 evaluations in place of the evaluations
//
// Without a set each group has its own. With SET=N each problem is solved from its start and from N - 1 others,
// perturbed as by `loa compare`, and the interval is that of the means over the starts.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "ablation_groups.h"
#include "base/parallel.h"
#include "experiment/problem_sets.h"
#include "experiment/start.h"
#include "loa/lab.h"
#include "problem/synthetic.h"

namespace {

using loa_bench::Group;
using loa_bench::Variant;
using Specs = std::vector<std::string>;

struct Settings {
  double gtol = 1e-6;
  std::int64_t max_evaluations = 3000;
  int jobs = loa::num_threads();
};

[[noreturn]] void complain(const std::string& error) {
  fmt::print(stderr, "ablation: {}\n", error);
  std::exit(2);
}

// --- problems --------------------------------------------------------------------------------------------------------

Specs larger_problems() {
  constexpr loa::Index kSizes[] = {200, 500, 1000};
  Specs specs;
  const Specs& families = loa::synthetic_families();
  for (std::size_t i = 0; i < families.size(); i += 3) {
    const std::string spec = fmt::format("synthetic:{},seed=1,n={}", families[i], kSizes[i / 3 % 3]);
    loa::Problem problem;
    if (!loa::make_problem(spec, problem)) specs.push_back(spec);  // some families have an n of their own
  }
  return specs;
}

Specs fits() {
  constexpr int kSeeds = 10;
  Specs specs;
  for (const loa::ProblemInfo& info : loa::problems())
    for (int seed = 1; seed <= kSeeds && info.name.starts_with("regression:"); ++seed)
      specs.push_back(fmt::format("{},start=far,seed={}", info.name, seed));
  return specs;
}

Specs walls() {
  constexpr int kSeeds = 10;
  Specs specs;
  for (const char* family : {"log-barrier", "inverse-barrier", "box-barrier", "portfolio", "entropy"})
    for (const int n : {2, 5, 10})
      for (int seed = 1; seed <= kSeeds; ++seed)
        specs.push_back(fmt::format("synthetic:{},seed={},n={}", family, seed, n));
  return specs;
}

Specs networks() {
  constexpr int kSeeds = 5;
  Specs specs;
  for (const char* equation : {"helmholtz", "burgers", "poisson", "allen-cahn"})
    for (int seed = 0; seed < kSeeds; ++seed) specs.push_back(fmt::format("pinn:{},seed={}", equation, seed));
  return specs;
}

// A set, and from how many starts its problems are solved.
struct Chosen {
  std::string name;
  std::size_t starts = 1;
  Specs specs = {};
};

Specs problems_of(const std::string& set) {
  if (set == "networks") return networks();
  if (set == "larger") return larger_problems();
  if (set == "fits") return fits();
  if (set == "walls") return walls();
  Specs specs;
  if (const loa::Error error = loa::add_problem_set(set, specs)) complain(error.message());
  return specs;
}

Chosen choose(const std::string& text) {
  const std::size_t equals = text.find('=');
  Chosen set{.name = text.substr(0, equals)};
  if (equals != std::string::npos) set.starts = static_cast<std::size_t>(std::atoi(text.c_str() + equals + 1));
  if (set.starts < 1 || set.starts > 1000) complain("found " + text + ", expected SET=STARTS with 1 to 1000 starts");
  set.specs = problems_of(set.name);
  return set;
}

// --- runs ------------------------------------------------------------------------------------------------------------

struct Result {
  bool reached = false;  // the tolerance
  double f = 0.0;
  double evaluations = 0.0;
};

// A problem has scratch space of its own: each thread has one, and keeps it while the next run is on the same problem.
struct Copy {
  std::string spec;
  loa::Problem problem;
};

loa::Problem& problem_for(const std::string& spec, Copy& copy) {
  if (copy.spec != spec) {
    copy = {spec, {}};
    if (const loa::Error error = loa::make_problem(spec, copy.problem)) complain(error.message());
  }
  return copy.problem;
}

Result solve(loa::Problem& problem, std::uint64_t start, const loa::Algorithm& algorithm, const Settings& settings) {
  const loa::Summary summary =
      loa::minimize(*problem.objective, start == 0 ? problem.start : loa::perturbed_start(problem.start, start),
                    algorithm, {.gtol = settings.gtol, .max_evaluations = settings.max_evaluations});
  return {summary.grad_inf_norm <= settings.gtol, summary.f, static_cast<double>(summary.evaluations.value)};
}

// Otherwise a table would be about another method than the one that it names.
void check_twins(const Settings& settings) {
  for (const char* spec : {"rosenbrock:n=2", "chained-rosenbrock:n=60", "synthetic:tanh-fit,seed=2,n=40"})
    for (const auto& [name, named, made] : loa_bench::twins()) {
      Copy copy;
      const Result a = solve(problem_for(spec, copy), 0, named, settings);
      const Result b = solve(problem_for(spec, copy), 0, made, settings);
      if (a.f != b.f || a.evaluations != b.evaluations)
        complain(fmt::format("{}: found {} evaluations by {} and {} by its parts, expected the same", spec,
                             a.evaluations, name, b.evaluations));
    }
}

// Of one set, for problem p, variant v and start s.
class Results {
 public:
  Results(const Chosen& set, const std::vector<Variant>& variants, const Settings& settings)
      : num_variants_(variants.size()), starts_(set.starts), list_(set.specs.size() * num_variants_ * starts_) {
    std::vector<Copy> copies(static_cast<std::size_t>(settings.jobs));
    const auto work = [&](std::ptrdiff_t piece, int thread) {
      const auto index = static_cast<std::size_t>(piece);
      const std::size_t start = index % starts_, v = index / starts_ % num_variants_,
                        p = index / starts_ / num_variants_;
      loa::Problem& problem = problem_for(set.specs[p], copies[static_cast<std::size_t>(thread)]);
      list_[index] = solve(problem, start, variants[v].algorithm, settings);
    };
    loa::parallel_for(static_cast<std::ptrdiff_t>(list_.size()), settings.jobs, work);
  }

  const Result& at(std::size_t p, std::size_t v, std::size_t s) const {
    return list_[(p * num_variants_ + v) * starts_ + s];
  }
  // Of the runs that reach the tolerance.
  double lowest(std::size_t p, std::size_t s) const {
    double f = std::numeric_limits<double>::infinity();
    for (std::size_t v = 0; v < num_variants_; ++v)
      if (at(p, v, s).reached) f = std::min(f, at(p, v, s).f);
    return f;
  }

 private:
  std::size_t num_variants_, starts_;
  std::vector<Result> list_;
};

// --- tables ----------------------------------------------------------------------------------------------------------

bool same_minimum(double a, double b) { return std::abs(a - b) <= 1e-6 + 1e-4 * std::abs(b); }

// Mean, and 1.96 standard errors.
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

// The loss of a variant against the first one, both after the same number of evaluations.
std::string loss_cell(const Results& results, const Chosen& set, std::size_t v) {
  Mean logs;
  for (std::size_t p = 0; p < set.specs.size(); ++p)
    for (std::size_t s = 0; s < set.starts; ++s) logs.add(std::log(results.at(p, v, s).f / results.at(p, 0, s).f));
  if (v == 0) return "1";
  return fmt::format("{:.2f} [{:.2f}, {:.2f}]", std::exp(logs.mean()), std::exp(logs.mean() - logs.margin()),
                     std::exp(logs.mean() + logs.margin()));
}

// The evaluations of a variant against the first one, and how many runs it solves: those that end at the tolerance, and
// at the lowest minimum that any variant finds from the same start.
std::string cell(const Results& results, const Chosen& set, std::size_t v) {
  int solved = 0;
  Mean logs;
  for (std::size_t p = 0; p < set.specs.size(); ++p) {
    Mean of_problem;
    for (std::size_t s = 0; s < set.starts; ++s) {
      const Result &result = results.at(p, v, s), &reference = results.at(p, 0, s);
      solved += result.reached && same_minimum(result.f, results.lowest(p, s));
      if (result.reached && reference.reached && same_minimum(result.f, reference.f))
        of_problem.add(std::log(result.evaluations / reference.evaluations));
    }
    if (of_problem.count > 0) logs.add(of_problem.mean());
  }
  if (v == 0) return fmt::format("1, {}", solved);
  return fmt::format("{:.3f} [{:.3f}, {:.3f}], {}", std::exp(logs.mean()), std::exp(logs.mean() - logs.margin()),
                     std::exp(logs.mean() + logs.margin()), solved);
}

void print_table(const Group& group, const Specs& sets, const Settings& settings) {
  const std::vector<Variant> variants = group.make();
  std::string head = "| |", line = "| --- |";
  Specs rows;
  for (const Variant& variant : variants) rows.push_back("| " + variant.name + " |");
  for (const std::string& text : sets) {
    const Chosen set = choose(text);
    const bool is_loss = set.name == "networks";
    Settings own = settings;
    if (is_loss) own.gtol = 0.0, own.max_evaluations = 2000;
    const Results results(set, variants, own);
    head += fmt::format(" {}, {} runs{} |", set.name, set.specs.size() * set.starts, is_loss ? ", loss" : "");
    line += " --- |";
    for (std::size_t v = 0; v < variants.size(); ++v)
      rows[v] += " " + (is_loss ? loss_cell : cell)(results, set, v) + " |";
    fmt::print(stderr, "{} on {}: done\n", group.name, text);
  }
  fmt::print("{}: evaluations against {}, and how many runs are solved; gtol {:g}, at most {} evaluations\n\n{}\n{}\n",
             group.name, variants.front().name, settings.gtol, settings.max_evaluations, head, line);
  for (const std::string& row : rows) fmt::print("{}\n", row);
  fmt::print("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  std::vector<const Group*> chosen;
  Specs sets;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&] { return i + 1 < argc ? argv[++i] : ""; };
    std::vector<const Group*> named;
    for (const Group& group : loa_bench::groups())
      if (word == group.name || word == group.family) named.push_back(&group);
    if (word == "--gtol")
      settings.gtol = std::atof(value());
    else if (word == "--max-evaluations")
      settings.max_evaluations = std::atoll(value());
    else if (word == "--jobs")
      settings.jobs = std::max(1, std::atoi(value()));
    else if (named.empty())
      sets.push_back(word);
    else
      chosen.insert(chosen.end(), named.begin(), named.end());
  }
  if (chosen.empty()) chosen.push_back(&loa_bench::groups().front());
  for (const std::string& set : sets) choose(set);  // a mistake is found before the first run
  check_twins(settings);
  for (const Group* group : chosen) print_table(*group, sets.empty() ? group->sets : sets, settings);
}
