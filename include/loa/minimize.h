// The front door.
//
// Layer: algorithm.
#pragma once

#include <exception>
#include <span>
#include <vector>

#include "loa/algorithm.h"
#include "loa/differences.h"
#include "loa/export.h"
#include "loa/objective.h"
#include "loa/options.h"
#include "loa/summary.h"

LOA_EXPORT_BEGIN
namespace loa {

// Minimizes f from x0, which becomes the paper's x_{-1}: a first gradient step leads to x_0, where the algorithm
// starts. Throws std::invalid_argument on a mistake in the call (an unknown name, a size that does not fit); an
// exception of f passes through; everything numerical is in the summary.
Summary minimize(Objective& f, const Vector& x0, const Options& options = {});
Summary minimize(const Function& f, const Vector& x0, const Options& options = {});

// The same for an f that returns its value alone: gradients are differences (loa/differences.h), forward ones with n
// values of f, and central ones with 2 n from where forward ones are too inaccurate to go on, or to know that the
// gradient is small. An evaluation is one of f with its gradient, whatever it costs. docs/statuses.md has the rule.
Summary minimize(const ValueFunction& f, const Vector& x0, const Options& options = {});

// The same with an algorithm of one's own instead of options.algorithm.
Summary minimize(Objective& f, const Vector& x0, const Algorithm& algorithm, const Options& options);

// Continues a run from the state of a summary or a file, bit for bit. The limits on iterations and evaluations
// count from the run's first start, the one on seconds from this call. The algorithm, its weights and hyper-parameters
// must be those that made the state.
Summary resume(Objective& f, const State& state, const Options& options);

// The same with an algorithm of one's own, which must have the name that is in the state.
Summary resume(Objective& f, const State& state, const Algorithm& algorithm, const Options& options);

// One of many problems for minimize_batch(). The objective must not be shared: problems are minimized at the same time.
struct BatchProblem {
  Objective* f;
  Vector x0;
};

// What became of it.
struct BatchResult {
  Summary summary;
  std::exception_ptr error = nullptr;  // what minimize() would have thrown; the summary is empty then
};

// Minimizes many independent problems on num_threads() threads (loa/threads.h), each problem on one. The results are in
// the order of the problems, and each is bit for bit what minimize() gives, whatever the number of threads and whatever
// happens to the others. options.observer is called from several threads. Throws std::invalid_argument on an unknown
// name in the options.
std::vector<BatchResult> minimize_batch(std::span<const BatchProblem> problems, const Options& options = {});

}  // namespace loa
LOA_EXPORT_END
