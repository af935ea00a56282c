// Sources of problems: lists and SPECs. Shared libraries are in problem_library.cc.
#include "loa/own_problems.h"

#include <memory>
#include <stdexcept>
#include <utility>

#include "base/text.h"
#include "loa/problem.h"

namespace loa {
namespace {

std::string with_seed(const std::string& spec, std::uint64_t seed) {
  return spec + (spec.find(':') == spec.npos ? ":" : ",") + "seed=" + std::to_string(seed);
}

OwnProblem made_from(const std::string& spec) {
  Problem problem;
  if (const Error error = make_problem(spec, problem)) throw std::invalid_argument("train: " + error.message());
  if (problem.lower.size() > 0 || problem.upper.size() > 0)
    throw std::invalid_argument("train: found bounds of " + quote(spec) + ", expected a problem without bounds");
  return {std::move(problem.objective), std::move(problem.start)};
}

bool has_seed(const std::string& spec) { return spec.find("seed=") != spec.npos; }

}  // namespace

OwnProblems own_problems(std::vector<OwnFunction> list) {
  const auto shared = std::make_shared<const std::vector<OwnFunction>>(std::move(list));
  const auto make = [shared](std::uint64_t number) -> OwnProblem {
    const OwnFunction& member = shared->at(number);
    return {std::make_unique<FunctionObjective>(member.start.size(), member.f), member.start};
  };
  return {make, static_cast<std::int64_t>(shared->size()), "functions"};
}

Error own_problems(const std::vector<std::string>& specs, OwnProblems& problems) {
  if (specs.empty()) return "problems: expected at least one SPEC, found none";
  std::vector<std::string> families, members;
  for (const std::string& spec : specs) {
    Problem tried;
    if (Error error = make_problem(spec, tried)) return error;
    const bool is_family = !has_seed(spec) && !make_problem(with_seed(spec, 1), tried);
    (is_family ? families : members).push_back(spec);
  }
  if (!families.empty() && !members.empty())
    return "problems: expected SPECs that all take a seed, or single problems alone; found " + quote(families.front()) +
           ", which takes a seed, and " + quote(members.front()) + ", which " +
           (has_seed(members.front()) ? "has one" : "takes none");
  const std::string name = join(specs);
  if (families.empty())
    problems = {[members](std::uint64_t number) { return made_from(members.at(number)); },
                static_cast<std::int64_t>(members.size()), name};
  else
    problems = {
        [families](std::uint64_t number) { return made_from(with_seed(families[number % families.size()], number)); },
        0, name};
  return {};
}

}  // namespace loa
