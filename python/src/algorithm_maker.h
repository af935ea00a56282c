// An algorithm as Python hands it over: made from Gamma, because checking and comparing make it again.
#pragma once

#include <functional>
#include <string>

#include "loa/algorithm.h"

namespace loa::python {

struct AlgorithmMaker {
  std::string name;
  std::function<Algorithm(const HyperParameters&)> make;
  AlgorithmInfo info;  // of the named algorithm whose parts are used
};

}  // namespace loa::python
