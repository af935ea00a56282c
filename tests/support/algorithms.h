// The algorithms that a test runs: all of the registry but those that the test names, each with its reason.
//
// A new algorithm is in none of these lists, so every test takes it until somebody says why not.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "loa/algorithm.h"

namespace loa::test {

struct Skipped {
  std::string algorithm, reason;
};
using SkipList = std::vector<Skipped>;

inline SkipList skip(const std::vector<std::string>& names, const std::string& reason) {
  SkipList list;
  for (const std::string& name : names) list.push_back({name, reason});
  return list;
}

inline SkipList operator+(SkipList a, const SkipList& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// The algorithms that have something in common, for a test that concerns the others.
inline SkipList first_order(const std::string& reason) {
  return skip({"gradient-descent", "heavy-ball", "nesterov", "adam", "conjugate-gradient"}, reason);
}
inline SkipList recurrent(const std::string& reason) { return skip({"l2l-gd", "rnnprop"}, reason); }
inline SkipList with_matrix(const std::string& reason) {
  return skip({"newton", "bfgs", "sr1", "bfgs+", "bfgs+d", "sr1+", "ss-bfgs", "ss-broyden", "loa", "loa-bfgs"}, reason);
}
inline SkipList with_limited_memory(const std::string& reason) {
  return skip({"l-bfgs", "l-bfgs+", "l-bfgs+d", "l-sr1", "loa-l-bfgs"}, reason);
}

// Throws where the list names an algorithm that does not exist, so that no list outlives its algorithms.
inline std::vector<std::string> algorithms_except(const SkipList& skipped) {
  std::vector<std::string> names;
  for (const AlgorithmInfo& info : algorithms()) names.push_back(info.name);
  for (const Skipped& entry : skipped)
    if (std::erase(names, entry.algorithm) == 0)
      throw std::logic_error("skipped twice or not registered: " + entry.algorithm);
  return names;
}

}  // namespace loa::test
