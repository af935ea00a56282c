// Algorithm 1: a choice of four parts, run by one loop.
//
// Layer: algorithm.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "loa/claims.h"
#include "loa/export.h"
#include "loa/hyper_parameters.h"
#include "loa/line_search.h"
#include "loa/model.h"
#include "loa/options.h"
#include "loa/oracle.h"
#include "loa/storage.h"
#include "loa/summary.h"
#include "loa/update.h"
#include "loa/weights.h"

LOA_EXPORT_BEGIN
namespace loa {

// An optimization algorithm, learned or not. The parts are const: whatever changes lives in the State.
struct Algorithm {
  std::string name;
  std::shared_ptr<const Oracle> oracle;                                       // C
  std::shared_ptr<const Model> model;                                         // M_theta
  std::shared_ptr<const Update> update;                                       // U
  std::shared_ptr<const Storage> storage;                                     // S
  std::shared_ptr<const LineSearch> line_search = make_line_search("fixed");  // unless the user names another

  // Quasi-Newton and Newton directions come with a natural step of 1; others start the line search from what the last
  // step gained.
  bool unit_step_is_natural = true;
  // The first trial of a line search is shortened to what promises this many times the decrease of the last step, by
  // the slope and half of the step; never lengthened. SciPy's searches have 1.01. Not in the first `promise_from`
  // iterations after a start or a restart.
  double largest_promise = std::numeric_limits<double>::infinity();
  std::int64_t promise_from = 1;
};

// What there is to know about a named algorithm without making it.
struct AlgorithmInfo {
  std::string name;
  std::string description;
  std::string line_search = {};  // the default one
  bool learned = false;          // takes weights
  bool needs_hessian = false;
  bool limited_memory = false;  // B_k from the last pairs: never an n x n matrix
  Claims claims = {};           // which principles it obeys; `loa check` measures whether it does
};

// All named algorithms in the order of the documentation.
const std::vector<AlgorithmInfo>& algorithms();

// The largest n for which "auto" takes bfgs+d, whose B_k is a matrix in long runs; fewer where its 4 n^2 bytes are more
// than this share of the memory, so that 16 runs fit. At n = 5000 it takes 1.6 of the time of l-bfgs+d, the same with a
// costly f, and networks need it (docs/performance.md); n = 10000 is alike, so that memory alone, 144 MB, sets 6000.
inline constexpr Index kLargestDense = 6000;
inline constexpr double kLargestShareOfMemory = 1.0 / 16.0;

// The name of the algorithm for n variables: options.algorithm, but for "auto". That is bfgs+d, for more variables and
// for slices l-bfgs+d, with Safeguard::kSpectrum bfgs, and with an initial_inverse_hessian l-bfgs+.
std::string algorithm_for(const Options& options, Index n);

// Makes a named algorithm. `weights` is a name or a file, for learned algorithms only; empty means the default.
// Capital letters in a name are as small ones. Throws std::invalid_argument when there is no such algorithm or weights.
Algorithm make_algorithm(const std::string& name, const HyperParameters& hyper_parameters = {},
                         const std::string& weights = "");

// The same with weights in memory. `weights` must be for the algorithm, which must be a learned one.
Algorithm make_algorithm(const std::string& name, const HyperParameters& hyper_parameters, const Weights& weights);

// The loop. Continues from `state`, which needs x, f, grad and the previous point, and whatever Storage::initialize
// made.
Summary run(const Algorithm& algorithm, CountedObjective& f, State state, const Options& options);

}  // namespace loa
LOA_EXPORT_END
