// The built-in problems on which evaluations are counted.
#pragma once

#include <string>
#include <vector>

#include "loa/problem.h"

namespace bench {

// The MGH problems from three starts each, the other families in two sizes.
inline std::vector<std::string> problem_list() {
  std::vector<std::string> list = {"quadratic:n=20,seed=1",  "quadratic:n=100,seed=2", "logistic:seed=1",
                                   "logistic:n=10,seed=2",   "ridge:seed=1",           "rosenbrock:n=2",
                                   "rosenbrock:n=20",        "chained-rosenbrock:n=5", "chained-rosenbrock:n=20",
                                   "chained-rosenbrock:n=50"};
  for (const loa::ProblemInfo& info : loa::problems()) {
    if (!info.name.starts_with("mgh:")) continue;
    for (const char* start : {"1", "10", "100"}) list.push_back(info.name + ",start=" + start);
  }
  return list;
}

}  // namespace bench
