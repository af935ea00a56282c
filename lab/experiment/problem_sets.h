// Lists of problems by name, so that a standard comparison is one short command.
#pragma once

#include <string>
#include <vector>

#include "loa/error.h"

namespace loa {

struct NamedProblemSet {
  std::string name;
  std::string description;
  std::vector<std::string> (*specs)();
};

const std::vector<NamedProblemSet>& problem_sets();

// Adds the specs of a set to `list`, without those that it already has. Returns what is wrong, if anything is.
Error add_problem_set(const std::string& name, std::vector<std::string>& list);

// `named`: the MGH problems from three starts each, the other families in two sizes.
std::vector<std::string> named_problems();

}  // namespace loa
