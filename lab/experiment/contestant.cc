#include "experiment/contestant.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/text.h"
#include "problem/spec.h"

namespace loa {
namespace {

// A number, or one of the words; the number goes to `value`.
std::string number_or(Spec& spec, const std::string& key, const std::vector<std::string>& words, double& value) {
  const std::string text = spec.text_value(key, "");
  if (text.empty() || std::ranges::count(words, text) > 0) return text;
  if (parse_real(text, value) != ParsedReal::kOk)
    spec.fail("found " + key + "=" + quote(text) + ", expected a number or " + join(words));
  return "";
}

const AlgorithmInfo* find_algorithm(const std::string& name) {
  for (const AlgorithmInfo& info : algorithms())
    if (info.name == name) return &info;
  return nullptr;
}

}  // namespace

Error parse_contestant(const std::string& text, const ContestantDefaults& defaults, Contestant& contestant) {
  Spec spec;
  if (Error error = Spec::parse(text, spec)) return error;
  if (!spec.variant().empty()) spec.fail("found " + quote(spec.variant()) + ", expected key=value");
  Contestant c;
  c.algorithm = lower_case(spec.name());  // as the registries look names up
  c.label = spec.text_value("label", c.algorithm + text.substr(std::min(spec.name().size(), text.size())));
  c.weights = spec.text_value("weights", "");
  c.line_search = lower_case(spec.text_value("line-search", defaults.line_search));
  c.safeguard = spec.choice("safeguard", {"on", "off"}, defaults.safeguard ? "on" : "off") == "on" ? Safeguard::kOn
                                                                                                   : Safeguard::kOff;
  const std::string step = number_or(spec, "step", {"1/L", "tuned"}, c.hyper_parameters.step_size);
  const std::string momentum = number_or(spec, "momentum", {"tuned"}, c.hyper_parameters.momentum);
  c.hyper_parameters.memory = spec.integer("memory", c.hyper_parameters.memory, 1, 1000);
  if (momentum == "tuned" && step != "tuned") spec.fail("found momentum=tuned, expected step=tuned beside it");
  if (!step.empty() && c.line_search.empty()) c.line_search = "fixed";
  if (step == "1/L") c.step_rule = Contestant::StepRule::kOverLipschitz;
  if (step == "tuned") c.step_rule = Contestant::StepRule::kTuned;
  if (Error error = spec.finish()) return error;

  if (const AlgorithmInfo* info = find_algorithm(c.algorithm)) {
    c.learned = info->learned;
    c.needs_hessian = info->needs_hessian;
    if (c.learned && c.weights.empty()) c.weights = defaults.weights;
  }
  try {
    make_algorithm(c.algorithm, c.hyper_parameters, c.weights);
    if (!c.line_search.empty()) make_line_search(c.line_search);
  } catch (const std::invalid_argument& mistake) {
    return mistake.what();
  }
  contestant = std::move(c);
  return {};
}

Error make_for_problem(const Contestant& contestant, const Problem& problem, Algorithm& algorithm) {
  HyperParameters gamma = contestant.hyper_parameters;
  if (contestant.step_rule != Contestant::StepRule::kGiven) {
    const bool tuned = contestant.step_rule == Contestant::StepRule::kTuned;
    if (!problem.lipschitz || (tuned && !problem.strong_convexity))
      return contestant.label + ": expected a problem with a known " + (tuned ? "L and mu" : "L") + ", found " +
             quote(problem.name) + " without";
    const double L = *problem.lipschitz;
    gamma.step_size = 1.0 / L;
    if (tuned) {
      const double mu = *problem.strong_convexity, sum = std::sqrt(L) + std::sqrt(mu);
      const bool heavy_ball = contestant.algorithm == "heavy-ball";
      gamma.step_size = heavy_ball ? 4.0 / (sum * sum) : 2.0 / (L + mu);
      if (heavy_ball) gamma.momentum = std::pow((std::sqrt(L) - std::sqrt(mu)) / sum, 2);
    }
  }
  try {
    algorithm =
        contestant.make ? contestant.make(gamma) : make_algorithm(contestant.algorithm, gamma, contestant.weights);
  } catch (const std::invalid_argument& mistake) {
    return mistake.what();
  }
  return {};
}

}  // namespace loa
