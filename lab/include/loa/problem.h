// The built-in problems, by name.
//
// Layer: problem.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "loa/error.h"
#include "loa/export.h"
#include "loa/objective.h"

LOA_EXPORT_BEGIN
namespace loa {

// An objective with its start and what is known about it.
struct Problem {
  std::string name;  // the spec it was made from
  std::unique_ptr<Objective> objective;
  Vector start;                      // the standard start, or a seeded one
  std::optional<double> minimum;     // f at the (global) minimizer, when known
  std::vector<double> local_minima;  // other values of f at which descent methods legitimately end; may be -infinity
  std::optional<double> lipschitz;   // L, a Lipschitz constant of the gradient, when known
  std::optional<double> strong_convexity;  // mu, when f is known to be strongly convex
};

// A row of problems().
struct ProblemInfo {
  std::string name;         // "quadratic", "mgh:brown-badly-scaled"
  std::string description;  // one line, with the keys it understands
};

// Every name that make_problem understands.
const std::vector<ProblemInfo>& problems();

// Makes a problem from SPEC: `name` or `name:key=value,...`, for instance `quadratic:n=100,seed=3`,
// `logistic:data=FILE,reduction=sum,l2=1/m`, `mgh:brown-badly-scaled`. Returns no error and fills `problem`, or
// one line that says what was found and what was expected.
Error make_problem(const std::string& spec, Problem& problem);

}  // namespace loa
LOA_EXPORT_END
