// The one list of built-in problems, for the library, the program and Python alike.
#include <new>
#include <string>
#include <vector>

#include "base/text.h"
#include "loa/problem.h"
#include "problem/spec.h"

namespace loa {
namespace {

struct Family {
  const char* name;
  void (*make)(Spec&, Problem&);
  const char* description;
  const std::vector<ProblemInfo>& (*variants)() = nullptr;  // name:NAME, listed instead of the name

  std::string prefix() const { return name + std::string(":"); }
};

constexpr Family kFamilies[] = {
    {"quadratic", make_quadratic,
     "1/2 ||Ax - b||^2 as in the paper; n=100, seed=0, start=0, low=, high= (extreme eigenvalues of A)"},
    {"logistic", make_logistic,
     "logistic regression; data=FILE or m=100 (per class), n=50; reduction=mean|sum, l2=1e-3 (or 1/m), seed=0"},
    {"ridge", make_ridge, "1/2 ||Ax - b||^2 + l2/2 ||x||^2; data=FILE or m=200, n=50; l2=1 (or 1/m), seed=0"},
    {"rosenbrock", make_rosenbrock, "extended Rosenbrock, independent pairs; n=, seed=, rotation="},
    {"chained-rosenbrock", make_chained_rosenbrock,
     "sum over i of 100 (x_{i+1} - x_i^2)^2 + (1 - x_i)^2; n=, seed=, rotation="},
    {"mgh", make_mgh, "", mgh_problems},
    {"synthetic", make_synthetic, "", synthetic_problems},
    {"grid", make_grid, "", grid_problems},
    {"chain", make_chain, "", chain_problems},
    {"likelihood", make_likelihood, "", likelihood_problems},
    {"regression", make_regression, "", regression_problems},
    {"geometry", make_geometry, "", geometry_problems},
    {"pinn", make_pinn, "", pinn_problems},
    {"family", make_family, "", family_problems},
    {"box", make_box, "", box_problems},
};

std::vector<ProblemInfo> list_problems() {
  std::vector<ProblemInfo> list;
  for (const Family& family : kFamilies) {
    if (family.variants == nullptr) list.push_back({family.name, family.description});
  }
  for (const Family& family : kFamilies) {
    if (family.variants == nullptr) continue;
    for (const ProblemInfo& info : family.variants()) list.push_back(info);
  }
  return list;
}

std::string unknown_name(const Spec& spec) {
  std::vector<std::string> names, candidates;
  for (const Family& family : kFamilies) {
    names.push_back(family.variants == nullptr ? family.name : family.prefix() + "NAME");
    if (family.variants == nullptr) continue;
    for (const ProblemInfo& info : family.variants()) {
      // `brown-badly-scaled` alone: the prefix was forgotten.
      if (info.name == family.prefix() + spec.name()) {
        return printable(spec.text()) + ": found the problem " + quote(spec.name()) + ", did you mean " +
               quote(info.name) + "?";
      }
    }
  }
  for (const ProblemInfo& info : problems()) candidates.push_back(info.name);
  return printable(spec.text()) + ": found the problem " + quote(spec.name()) + ", expected one of " + join(names) +
         suggestion(spec.name(), candidates);
}

}  // namespace

const std::vector<ProblemInfo>& problems() {
  static const std::vector<ProblemInfo> list = list_problems();
  return list;
}

Error make_problem(const std::string& text, Problem& problem) {
  Spec spec;
  if (const Error wrong = Spec::parse(text, spec)) return wrong;
  for (const Family& family : kFamilies) {
    if (spec.name() != family.name) continue;
    if (family.variants == nullptr && !spec.variant().empty()) {
      spec.fail("found " + quote(spec.variant()) + " after the colon, expected key=value");
      return spec.finish();
    }
    Problem made;
    try {
      const bool draws = family.make != make_box && (spec.has("active") || spec.has("bounds"));
      BoundsDraw draw;
      if (draws) draw = {spec.real("active", 0.3, 0.0, 1.0), spec.integer("bounds", 0, 0, 1000000)};
      family.make(spec, made);
      if (draws && made.objective != nullptr)
        if (const Error none = draw_bounds(draw, made)) spec.fail(none.message());
    } catch (const std::bad_alloc&) {
      spec.fail("not enough memory for a problem of this size");
    }
    if (Error mistake = spec.finish()) return printable(mistake.message());
    made.name = text;
    problem = std::move(made);
    return {};
  }
  return unknown_name(spec);
}

}  // namespace loa
