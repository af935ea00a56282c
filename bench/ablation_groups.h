// The groups of variants that bench/ablation.cc compares: parts taken out one at a time, constants changed one at a
// time.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "loa/algorithm.h"

namespace loa_bench {

struct Variant {
  std::string name;
  loa::Algorithm algorithm;
};

struct Group {
  std::string name;
  std::string family;                          // another name, for several groups together; may be empty
  std::vector<std::string> sets;               // where the user names none, as SET or SET=STARTS
  std::function<std::vector<Variant>()> make;  // the first variant is the reference
};

const std::vector<Group>& groups();

// Algorithms by name and as this file puts them together, all parts as they are: the two must be the same.
struct Twins {
  std::string name;
  loa::Algorithm named, made;
};
std::vector<Twins> twins();

}  // namespace loa_bench
