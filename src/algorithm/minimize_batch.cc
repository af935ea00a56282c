#include <map>
#include <string>

#include "base/parallel.h"
#include "loa/minimize.h"

namespace loa {

std::vector<BatchResult> minimize_batch(std::span<const BatchProblem> problems, const Options& options) {
  // The parts of an algorithm are const, so all runs share them.
  std::map<std::string, Algorithm> algorithms;
  const auto name_for = [&](const BatchProblem& problem) { return algorithm_for(options, problem.x0.size()); };
  for (const BatchProblem& problem : problems) {
    const std::string name = name_for(problem);
    if (!algorithms.contains(name))
      algorithms.emplace(name, make_algorithm(name, options.hyper_parameters, options.weights));
  }

  std::vector<BatchResult> results(problems.size());
  parallel_for(static_cast<Index>(problems.size()), num_threads(), [&](Index index, int) {
    const BatchProblem& problem = problems[static_cast<std::size_t>(index)];
    BatchResult& result = results[static_cast<std::size_t>(index)];
    try {
      result.summary = minimize(*problem.f, problem.x0, algorithms.at(name_for(problem)), options);
    } catch (...) {
      result.error = std::current_exception();
    }
  });
  return results;
}

}  // namespace loa
