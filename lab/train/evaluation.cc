// The figures of merit on fresh quadratics: what a user would get, through minimize() itself.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "loa/minimize.h"
#include "loa/train.h"
#include "train/training_problems.h"

namespace loa {
namespace {

constexpr std::int64_t kEvery = 5;  // iterations between two terms of the mean

struct Contestant {
  std::string name, algorithm, weights, line_search;
};

// f - f* at iterations 0, 1, ..., K. Gaps below 1e-28 of the first are round-off: such a run has converged and its gap
// stays there. A run that left the range of f has an infinite gap from there on.
std::vector<double> gaps(const TrainingProblem& problem, const Contestant& contestant, std::int64_t iterations) {
  constexpr double kRoundOffGap = 1e-28;
  Options options;
  options.algorithm = contestant.algorithm;
  options.weights = contestant.weights;
  options.line_search = contestant.line_search;
  options.safeguard = Safeguard::kOff;
  options.first_step = problem.first_step;
  options.gtol = 0.0;
  options.max_iterations = iterations;
  options.keep_trace = true;
  const Summary summary = minimize(*problem.objective, problem.start, options);

  std::vector<double> result = {summary.trace.front().f - problem.minimum};
  const double floor = kRoundOffGap * result.front();
  for (std::size_t k = 1; k < summary.trace.size(); ++k)
    result.push_back(result.back() <= floor ? floor : std::max(summary.trace[k].f - problem.minimum, floor));
  const bool converged = summary.success() || result.back() <= floor;
  result.resize(static_cast<std::size_t>(iterations) + 1,
                converged ? result.back() : std::numeric_limits<double>::infinity());
  return result;
}

// The row of contestant c. gap[problem][contestant][iteration]; contestant 0 is BFGS.
EvaluationRow summarize(const std::vector<std::vector<std::vector<double>>>& gap, std::size_t c) {
  EvaluationRow row;
  std::int64_t num_finite = 0, num_terms = 0;
  for (const auto& of_problem : gap) {
    const std::vector<double>& bfgs = of_problem[0];
    const std::vector<double>& own = of_problem[c];
    const std::size_t last = own.size() - 1;
    const auto loss = [&](std::size_t k) { return std::log1p(own[k] / bfgs[k]); };
    const double ratio = own[last] / bfgs[last];
    row.worst_ratio = std::max(row.worst_ratio, ratio);
    row.better += ratio < 1.0;
    row.much_worse += !(ratio <= 1.5);
    if (!std::isfinite(own[last])) {
      ++row.not_finite;
      continue;
    }
    ++num_finite;
    row.final_loss += loss(last);
    for (std::size_t k = kEvery; k <= last; k += kEvery, ++num_terms) row.mean_loss += loss(k);
  }
  row.final_loss /= static_cast<double>(std::max<std::int64_t>(num_finite, 1));
  row.mean_loss /= static_cast<double>(std::max<std::int64_t>(num_terms, 1));
  return row;
}

}  // namespace

Error evaluate_weights(const std::vector<std::string>& weights, const EvaluationOptions& options,
                       std::vector<EvaluationRow>& rows) {
  std::vector<Contestant> contestants = {{"bfgs", "bfgs", "", "fixed"},
                                         {"sr1", "sr1", "", "fixed"},
                                         {"conjugate-gradient", "conjugate-gradient", "", "exact"}};
  for (const std::string& name : weights) {
    Weights found;
    if (Error error = find_weights(name, found)) return error;
    contestants.push_back({name, algorithm_of(found), name, "fixed"});
  }
  if (options.problems < 1 || options.dimension < 2 || options.iterations < 1 || options.threads < 0)
    return "evaluate: expected at least one problem, dimension 2, one iteration, and threads of 0 or more";

  std::vector<std::vector<std::vector<double>>> gap(static_cast<std::size_t>(options.problems));
  parallel_for(options.problems, threads_or_default(options.threads), [&](Index index, int) {
    TrainingOptions drawn;
    drawn.dimension = options.dimension;
    const TrainingProblem problem =
        training_quadratic(drawn, options.seed + static_cast<std::uint64_t>(index), /*start=*/0);
    for (const Contestant& contestant : contestants)
      gap[static_cast<std::size_t>(index)].push_back(gaps(problem, contestant, options.iterations));
  });

  rows.clear();
  for (std::size_t c = 0; c < contestants.size(); ++c) {
    rows.push_back(summarize(gap, c));
    rows.back().name = contestants[c].name;
  }
  return {};
}

}  // namespace loa
