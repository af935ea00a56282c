// Names to algorithms, for C++, the program and Python alike.
#include <cmath>
#include <stdexcept>
#include <utility>

#include "algorithm/named.h"
#include "base/memory.h"
#include "base/text.h"
#include "core/bounds.h"
#include "linalg/limited_memory_inverse_hessian.h"
#include "model/architecture.h"

namespace loa {
namespace {

struct Entry {
  AlgorithmInfo info;
  Algorithm (*make)(const HyperParameters&);  // null for learned algorithms
  Algorithm (*make_learned)(const HyperParameters&, const Weights&) = nullptr;
  std::string weights_of = {};  // the algorithm whose weights it takes; empty: its own
};

// With a fixed step-size gamma, which has the unit of x^2/f.
constexpr Claims kFirstOrder = {.geometric_scaling = Verdict::kTuned, .function_scaling = Verdict::kTuned};
// gamma has the unit of x. Squares of coordinates do not commute with rotations.
constexpr Claims kAdam = {.orthogonal = Verdict::kFails, .geometric_scaling = Verdict::kTuned};
constexpr Claims kEverything = {};
// A formula with n in it.
constexpr Claims kNotDimension = {.dimension = Verdict::kFails};
// A network that takes the gradient with its unit.
constexpr Claims kNotScaling = {
    .orthogonal = Verdict::kFails, .geometric_scaling = Verdict::kFails, .function_scaling = Verdict::kFails};
// Theorem 1 (thm::principles). What works coordinate by coordinate does not commute with rotations.
constexpr Claims kTheorem1 = {.orthogonal = Verdict::kFails};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = {
      {{.name = "gradient-descent",
        .description = "steepest descent",
        .line_search = kDefaultLineSearch,
        .claims = kFirstOrder},
       gradient_descent},
      {{.name = "heavy-ball",
        .description = "gradient descent with momentum (Polyak)",
        .line_search = "fixed",
        .claims = kFirstOrder},
       heavy_ball},
      {{.name = "nesterov",
        .description = "accelerated gradient, taken at the extrapolated point",
        .line_search = "fixed",
        .claims = kFirstOrder},
       nesterov},
      {{.name = "adam",
        .description = "adaptive moments, without epsilon and bias correction",
        .line_search = "fixed",
        .claims = kAdam},
       adam},
      {{.name = "newton",
        .description = "Hessian and shifted Cholesky",
        .line_search = kDefaultLineSearch,
        .needs_hessian = true,
        .claims = kEverything},
       newton},
      {{.name = "conjugate-gradient",
        .description = "nonlinear conjugate gradients, Polak-Ribiere+",
        .line_search = "more-thuente",
        .claims = kEverything},
       conjugate_gradient},
      {{.name = "bfgs", .description = "quasi-Newton, y = d", .line_search = kDefaultLineSearch, .claims = kEverything},
       bfgs},
      {{.name = "sr1",
        .description = "quasi-Newton, symmetric rank one, y = r",
        .line_search = kDefaultLineSearch,
        .claims = kEverything},
       sr1},
      {{.name = "bfgs+",
        .description = "bfgs with conjugated pairs, values of f, a refreshed scale and self-scaling",
        .line_search = "weak-wolfe",
        .claims = kEverything},
       bfgs_plus},
      {{.name = "bfgs+d",
        .description = "bfgs+ on a diagonal that has to prove itself",
        .line_search = "weak-wolfe",
        .claims = kTheorem1},
       bfgs_plus_d},
      {{.name = "sr1+",
        .description = "bfgs+ whose newest pair enters by sr1 where that is positive definite",
        .line_search = "weak-wolfe",
        .claims = kEverything},
       sr1_plus},
      {{.name = "ss-bfgs",
        .description = "bfgs, B multiplied by a number before each update (self-scaled)",
        .line_search = kDefaultLineSearch,
        .claims = kEverything},
       ss_bfgs},
      {{.name = "ss-broyden",
        .description = "self-scaled, with a member of Broyden's family chosen in each iteration",
        .line_search = kDefaultLineSearch,
        .claims = kNotDimension},
       ss_broyden},
      {{.name = "l-bfgs",
        .description = "limited-memory BFGS, y = d",
        .line_search = kDefaultLineSearch,
        .limited_memory = true,
        .claims = kEverything},
       l_bfgs},
      {{.name = "l-bfgs+",
        .description = "l-bfgs with conjugated pairs and values of f",
        .line_search = "weak-wolfe",
        .limited_memory = true,
        .claims = kEverything},
       l_bfgs_plus},
      {{.name = "l-bfgs+d",
        .description = "l-bfgs+ on a diagonal that has to prove itself",
        .line_search = "weak-wolfe",
        .limited_memory = true,
        .claims = kTheorem1},
       l_bfgs_plus_d},
      {{.name = "l-sr1",
        .description = "limited-memory quasi-Newton, y = r",
        .line_search = kDefaultLineSearch,
        .limited_memory = true,
        .claims = kEverything},
       l_sr1},
      {{.name = "l2l-gd",
        .description = "the step predicted by an LSTM from the gradient",
        .line_search = "fixed",
        .learned = true,
        .claims = kNotScaling},
       nullptr,
       l2l_gd},
      {{.name = "rnnprop",
        .description = "the step predicted by an LSTM from the moments of Adam",
        .line_search = "fixed",
        .learned = true,
        .claims = kAdam},
       nullptr,
       rnnprop},
      {{.name = "loa",
        .description = "bfgs+d with a learned controller",
        .line_search = "weak-wolfe",
        .learned = true,
        .claims = kTheorem1},
       nullptr,
       loa_controlled},
      {{.name = "loa-bfgs",
        .description = "quasi-Newton, y predicted by the paper's network",
        .line_search = kDefaultLineSearch,
        .learned = true,
        .claims = kTheorem1},
       nullptr,
       loa_bfgs},
      {{.name = "loa-l-bfgs",
        .description = "limited-memory quasi-Newton, y predicted by the network of loa-bfgs",
        .line_search = kDefaultLineSearch,
        .learned = true,
        .limited_memory = true,
        .claims = kTheorem1},
       nullptr,
       loa_l_bfgs,
       "loa-bfgs"},
  };
  return all;
}

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

void check(const HyperParameters& h) {
  if (!std::isnan(h.step_size) && !(h.step_size > 0.0 && std::isfinite(h.step_size)))
    refuse("step_size: expected a positive number, found " + std::to_string(h.step_size));
  for (const auto& [name, value] : {std::pair{"momentum", h.momentum}, {"beta1", h.beta1}, {"beta2", h.beta2}})
    if (!(value >= 0.0 && value < 1.0))
      refuse(std::string(name) + ": expected a number in [0, 1), found " + std::to_string(value));
  if (!(h.memory >= 1 && h.memory <= kLargestMemory))
    refuse("memory: expected a whole number from 1 to " + std::to_string(kLargestMemory) + ", found " +
           std::to_string(h.memory));
}

const Entry& find_entry(const std::string& name) {
  const std::string wanted = lower_case(name);
  std::vector<std::string> known;
  for (const Entry& entry : entries()) {
    if (entry.info.name == wanted) return entry;
    known.push_back(entry.info.name);
  }
  refuse("algorithm: found " + quote(name) + ", expected one of " + join(known) + suggestion(wanted, known));
}

// The algorithm whose weights the algorithm of the entry takes.
const std::string& weights_algorithm(const Entry& entry) {
  return entry.weights_of.empty() ? entry.info.name : entry.weights_of;
}

std::string wrong_weights(const Entry& entry, const Weights& found) {
  return entry.info.name + ": expected weights of " + weights_algorithm(entry) + ", found weights of " +
         algorithm_of(found);
}

}  // namespace

const std::vector<AlgorithmInfo>& algorithms() {
  static const std::vector<AlgorithmInfo> infos = [] {
    std::vector<AlgorithmInfo> list;
    for (const Entry& entry : entries()) list.push_back(entry.info);
    return list;
  }();
  return infos;
}

std::string algorithm_for(const Options& options, Index n) {
  if (const std::string name = lower_case(options.algorithm); name != "auto") return name;
  if (options.safeguard == Safeguard::kSpectrum) return "bfgs";
  if (options.initial_inverse_hessian) return has_bound(options.lower, options.upper) ? "bfgs+d" : "l-bfgs+";
  if (options.reduction != nullptr && options.reduction->is_distributed()) return "l-bfgs+d";  // no matrix
  const double memory = physical_memory(), bytes = 4.0 * static_cast<double>(n) * static_cast<double>(n);
  const bool fits = memory == 0.0 || bytes <= kLargestShareOfMemory * memory;
  return n <= kLargestDense && fits ? "bfgs+d" : "l-bfgs+d";
}

Algorithm make_algorithm(const std::string& name, const HyperParameters& hyper_parameters, const std::string& weights) {
  check(hyper_parameters);
  const Entry& entry = find_entry(name);
  if (!entry.info.learned) {
    if (!weights.empty()) refuse(name + ": expected no weights, found " + quote(weights));
    return entry.make(hyper_parameters);
  }
  Weights found;
  // The default weights have the name of their algorithm.
  if (const Error error = find_weights(weights.empty() ? weights_algorithm(entry) : weights, found))
    refuse(error.message());
  if (algorithm_of(found) != weights_algorithm(entry))
    refuse(wrong_weights(entry, found) + " in '" + printable(weights) + "'");
  return entry.make_learned(hyper_parameters, found);
}

Algorithm make_algorithm(const std::string& name, const HyperParameters& hyper_parameters, const Weights& weights) {
  check(hyper_parameters);
  const Entry& entry = find_entry(name);
  if (!entry.info.learned) refuse(name + ": expected no weights, found weights of " + algorithm_of(weights));
  if (algorithm_of(weights) != weights_algorithm(entry)) refuse(wrong_weights(entry, weights));
  if (const Error mistake = check_weights(weights, architecture_for(weights_algorithm(entry))))
    refuse(name + ": " + mistake.message());
  return entry.make_learned(hyper_parameters, weights);
}

}  // namespace loa
