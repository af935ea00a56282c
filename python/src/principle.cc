// check: the paper's Table 1.
#include "loa/principle.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "algorithm_maker.h"
#include "background.h"
#include "bindings.h"
#include "experiment/principle_table.h"
#include "objective.h"

namespace loa::python {
namespace {

using ClaimMap = std::map<std::string, std::string>;

Verdict verdict_of(const std::string& text) {
  for (const Verdict verdict : {Verdict::kHolds, Verdict::kTuned, Verdict::kFails})
    if (name(verdict) == text) return verdict;
  throw std::invalid_argument("claims: expected holds, tuned or fails, found '" + text + "'");
}

Claims claims_of(const ClaimMap& map) {
  Claims claims{.dimension = Verdict::kFails,
                .translation = Verdict::kFails,
                .permutation = Verdict::kFails,
                .orthogonal = Verdict::kFails,
                .geometric_scaling = Verdict::kFails,
                .function_scaling = Verdict::kFails};
  const std::map<std::string, Verdict*> places = {{"dimension", &claims.dimension},
                                                  {"translation", &claims.translation},
                                                  {"permutation", &claims.permutation},
                                                  {"orthogonal", &claims.orthogonal},
                                                  {"geometric_scaling", &claims.geometric_scaling},
                                                  {"function_scaling", &claims.function_scaling}};
  for (const auto& [principle, verdict] : map) {
    const auto place = places.find(principle);
    if (place == places.end())
      throw std::invalid_argument("claims: expected the name of a principle, found '" + principle + "'");
    *place->second = verdict_of(verdict);
  }
  return claims;
}

nb::dict as_dict(const PrincipleCell& cell) {
  nb::dict dict;
  dict["verdict"] = std::string(cell.is_asked ? name(cell.verdict) : "none");
  dict["claimed"] = std::string(name(cell.claimed));
  dict["as_claimed"] = cell.as_claimed();
  dict["deviation"] = cell.deviation;
  dict["tolerance"] = cell.tolerance;
  dict["compared"] = cell.compared;
  dict["exponent"] = cell.exponent;
  dict["note"] = cell.note;
  dict["worst_problem"] = cell.worst.problem;
  dict["worst_mode"] = cell.worst.mode;
  dict["worst_transform"] = cell.worst.transform;
  return dict;
}

// Claims of None are those of the registry. A problem is a spec, or (name, Objective, start, lower, upper), the last
// two None where there are no bounds. No problems are the default ones, with bounds or without.
nb::tuple run_check(const std::vector<std::pair<std::shared_ptr<AlgorithmMaker>, std::optional<ClaimMap>>>& algorithms,
                    const std::optional<nb::list>& problems, std::int64_t iterations, std::uint64_t seed, int jobs,
                    bool with_bounds) {
  std::vector<CheckedAlgorithm> checked;
  for (const auto& [maker, claims] : algorithms)
    checked.push_back(
        {.name = maker->name, .make = maker->make, .claims = claims ? claims_of(*claims) : maker->info.claims});
  PrincipleOptions options;
  options.iterations = iterations;
  options.seed = seed;
  options.jobs = jobs;
  if (with_bounds) options.problems = bounded_check_problems();
  if (problems) {
    options.problems.clear();
    for (const nb::handle item : *problems) {
      if (nb::isinstance<nb::str>(item)) {
        options.problems.push_back(checked_problem(nb::cast<std::string>(item)));
        continue;
      }
      const nb::tuple parts = nb::cast<nb::tuple>(item);
      const Vector start = vector_from(nb::object(parts[2]), "x0");
      const auto callables = nb::cast<std::shared_ptr<Callables>>(parts[1]);
      options.problems.push_back({.name = nb::cast<std::string>(parts[0]),
                                  .make = [callables, n = start.size()]() -> std::unique_ptr<Objective> {
                                    return std::make_unique<PythonObjective>(n, callables);
                                  },
                                  .start = start,
                                  .lower = parts[3].is_none() ? Vector() : vector_from(parts[3], "lower bounds"),
                                  .upper = parts[4].is_none() ? Vector() : vector_from(parts[4], "upper bounds")});
    }
  }
  std::vector<PrincipleRow> rows;
  in_background([&](std::atomic<bool>& stop) {
    for (CheckedAlgorithm& algorithm : checked)
      algorithm.make = [make = algorithm.make, &stop](const HyperParameters& gamma) {
        Algorithm made = make(gamma);
        made.model = std::make_shared<StoppableModel>(made.model, stop);
        return made;
      };
    rows = check_principles(checked, options);
  });
  nb::list list;
  for (const PrincipleRow& row : rows) {
    nb::dict dict;
    dict["algorithm"] = row.algorithm;
    for (const Principle principle : kPrinciples)
      dict[std::string(name(principle)).c_str()] = as_dict(row.at(principle));
    dict["as_claimed"] = row.as_claimed();
    list.append(dict);
  }
  return nb::make_tuple(list, principle_table(rows), principle_details(rows));
}

}  // namespace

void bind_principle(nb::module_& m) {
  m.def("check", &run_check, nb::arg("algorithms"), nb::arg("problems").none(), nb::arg("iterations"), nb::arg("seed"),
        nb::arg("jobs"), nb::arg("with_bounds"));
  nb::list names;
  for (const Principle principle : kPrinciples) names.append(std::string(name(principle)));
  m.attr("principles") = nb::tuple(names);
}

}  // namespace loa::python
