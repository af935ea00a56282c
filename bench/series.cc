// What warm starts and series save, and what they cost where nothing can be learned: evaluations against cold runs.
//
//   series [--gtol EPS] [--algorithm NAME] [--data FOLDER] [FAMILY ...]
//
// A family is a list of problems, solved in order. Columns: evaluations of all cold runs; then the evaluations of the
// others as a part of them:
//
//   x        cold runs from the last solution
//   x and B  Options::warm with the last run, x0 as the cold start
//   B        the same B at x0
//   wrong B  the last B times 2^20, and the B of a quadratic of nobody's (unrelated), at the last solution
//   series   loa::Series
//
// Deterministic. A folder with the data of docs/data.md adds paths on mushrooms and w8a.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "linalg/inverse_hessian_kinds.h"
#include "loa/lab.h"

namespace {

struct Family {
  std::string name;
  std::vector<std::string> specs;
};

constexpr int kMembers = 20;

// l2 falls from `first` to `last` in equal ratios.
Family path(const std::string& name, const std::string& spec, double first, double last) {
  Family family{name, {}};
  for (int i = 0; i < kMembers; ++i)
    family.specs.push_back(
        fmt::format("{},l2={:.17g}", spec, first * std::pow(last / first, static_cast<double>(i) / (kMembers - 1))));
  return family;
}

Family seeds(const std::string& name, const std::string& spec) {
  Family family{name, {}};
  for (int i = 0; i < kMembers; ++i) family.specs.push_back(fmt::format("{}seed={}", spec, i));
  return family;
}

std::vector<Family> families(const std::string& data) {
  std::vector<Family> all = {path("logistic path, n = 51", "logistic:n=50,m=100,seed=1", 1e-1, 1e-5),
                             path("logistic path, n = 31", "logistic:n=30,m=500,seed=2", 1, 1e-6),
                             path("ridge path, n = 50", "ridge:n=50,seed=1", 10, 1e-2)};
  if (!data.empty()) {
    all.push_back(path("logistic path, mushrooms", "logistic:data=" + data + "/mushrooms", 1e-1, 1e-5));
    all.push_back(path("logistic path, w8a", "logistic:data=" + data + "/w8a", 1e-1, 1e-5));
  }
  all.push_back(seeds("rotated quadratics", "synthetic:spread-quadratic,n=30,"));
  all.push_back(seeds("logistic, other data", "synthetic:logistic-loss,n=30,"));
  all.push_back(seeds("poisson, other data", "synthetic:poisson,n=20,"));
  all.push_back(seeds("control of pendulums", "synthetic:control,n=40,"));
  Family unrelated{"unrelated expressions", {}};
  for (int i = 0; i < kMembers; ++i) unrelated.specs.push_back(fmt::format("synthetic:expression-{},n=10,seed=1", i));
  all.push_back(unrelated);
  return all;
}

loa::WarmStart stretched(const loa::WarmStart& warm) {
  return {warm.x(), loa::congruent(
                        *warm.B(), [](const loa::Vector& v) { return v; }, 0x1p20)};
}

loa::WarmStart unrelated(const loa::WarmStart& warm, const loa::Options& options) {
  loa::Problem problem;
  if (loa::make_problem(fmt::format("quadratic:n={},seed=7", warm.x().size()), problem)) std::exit(2);
  loa::Options cold = options;
  cold.warm = {};
  return loa::WarmStart(loa::minimize(*problem.objective, problem.start, cold)).at(warm.x());
}

void run(const Family& family, const loa::Options& options) {
  std::int64_t cold = 0, x = 0, x_and_B = 0, B = 0, too_long = 0, of_other = 0, of_series = 0, given_up = 0;
  loa::Series series(options);
  loa::Vector last;
  loa::WarmStart known;
  for (const std::string& spec : family.specs) {
    loa::Problem problem;
    if (const loa::Error error = loa::make_problem(spec, problem)) {
      fmt::print("{}\n", error.message());
      std::exit(2);
    }
    const auto solve = [&](const loa::Vector& start, const loa::WarmStart& warm) {
      loa::Options chosen = options;
      chosen.warm = warm;
      return loa::minimize(*problem.objective, start, chosen);
    };
    const loa::Vector& x0 = problem.start;
    const bool has = known.has_B() && last.size() == x0.size();
    cold += solve(x0, {}).evaluations.value;
    x += solve(has ? last : x0, {}).evaluations.value;
    B += solve(x0, has ? known.at(x0) : loa::WarmStart()).evaluations.value;
    too_long += solve(x0, has ? stretched(known) : loa::WarmStart()).evaluations.value;
    of_other += solve(x0, has ? unrelated(known, options) : loa::WarmStart()).evaluations.value;
    const loa::Summary warm = solve(x0, has ? known : loa::WarmStart());
    x_and_B += warm.evaluations.value;
    given_up += warm.fallbacks.warm;
    of_series += series.minimize(*problem.objective, x0).evaluations.value;
    last = warm.x;
    if (warm.state.B != nullptr) known = loa::WarmStart(warm);
    known = known.at(last);
  }
  const auto part = [cold](std::int64_t n) { return static_cast<double>(n) / static_cast<double>(cold); };
  fmt::print("| {:<24} | {:>6} | {:.3f} | {:.3f} | {:>2} | {:.3f} | {:.3f} | {:.3f} | {:.3f} | {:>2} |\n", family.name,
             cold, part(x), part(x_and_B), given_up, part(B), part(too_long), part(of_other), part(of_series),
             series.report().misled);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  loa::Options options;
  std::string data;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&] { return std::string(i + 1 < argc ? argv[++i] : ""); };
    if (word == "--gtol")
      options.gtol = std::atof(value().c_str());
    else if (word == "--algorithm")
      options.algorithm = value();
    else if (word == "--data")
      data = value();
    else
      names.push_back(word);
  }
  fmt::print("| family | cold | x | x and B | given up | B | B too long | B of another | series | misled |\n");
  fmt::print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const Family& family : families(data)) {
    const auto is_meant = [&](const std::string& name) { return family.name.find(name) != std::string::npos; };
    if (names.empty() || std::ranges::any_of(names, is_meant)) run(family, options);
  }
  return 0;
}
