// What is compared: an algorithm with its settings, as text.
//
// `NAME` or `NAME:key=value,...`, for instance `loa-bfgs:weights=loa-bfgs-paper,line-search=fixed` or
// `gradient-descent:step=1/L`. Keys: weights, line-search, safeguard (on, off), step (a number, 1/L, or tuned),
// momentum (a number, or tuned), memory, label (how it is called in tables and figures; otherwise the text itself).
#pragma once

#include <functional>
#include <string>

#include "loa/algorithm.h"
#include "loa/error.h"
#include "loa/problem.h"

namespace loa {

struct Contestant {
  std::string label;
  std::string algorithm;
  std::string weights;
  std::string line_search;
  Safeguard safeguard = Safeguard::kOn;
  HyperParameters hyper_parameters;

  // With f L-smooth and mu-strongly convex: gamma = 1/L; or the classical tuned values, for heavy-ball (Polyak 1964)
  // gamma = 4/(sqrt L + sqrt mu)^2 and momentum ((sqrt L - sqrt mu)/(sqrt L + sqrt mu))^2, for the others 2/(L + mu).
  enum class StepRule { kGiven, kOverLipschitz, kTuned };
  StepRule step_rule = StepRule::kGiven;

  bool learned = false;
  bool needs_hessian = false;

  // An algorithm of one's own, which no name can make; empty for the named ones.
  std::function<Algorithm(const HyperParameters&)> make = {};
};

// What a text does not say.
struct ContestantDefaults {
  std::string weights;  // of learned algorithms
  std::string line_search;
  bool safeguard = true;
};

// Returns no error and fills `contestant`, or what is wrong.
Error parse_contestant(const std::string& text, const ContestantDefaults& defaults, Contestant& contestant);

// The algorithm with its Gamma for one problem. Returns no error or what is missing.
Error make_for_problem(const Contestant& contestant, const Problem& problem, Algorithm& algorithm);

}  // namespace loa
