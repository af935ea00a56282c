// The figures of merit on fresh quadratics: what a user would get, through minimize() itself.
#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include "base/thread_pool.h"
#include "loa/minimize.h"
#include "loa/train.h"
#include "train/training_problems.h"

namespace loa {
namespace {

constexpr std::int64_t kEvery = 5;  // iterations between two terms of the mean

struct Contestant {
  std::string name, algorithm, weights, line_search;
};

// f - f* at iterations 0, 1, ..., K. A run that reached gradient 0 stays where it is; one that left the range of f has
// an infinite gap from there on.
std::vector<double> gaps(const TrainingProblem& problem, const Contestant& contestant, std::int64_t iterations) {
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
  std::vector<double> result;
  for (const TraceRow& row : summary.trace) result.push_back(row.f - problem.minimum);
  const double rest = summary.success() && !result.empty() ? result.back() : std::numeric_limits<double>::infinity();
  result.resize(static_cast<std::size_t>(iterations) + 1, rest);
  return result;
}

}  // namespace

std::string evaluate_weights(const std::vector<std::string>& weights, const EvaluationOptions& options,
                             std::vector<EvaluationRow>& rows) {
  std::vector<Contestant> contestants = {{"bfgs", "bfgs", "", "fixed"},
                                         {"sr1", "sr1", "", "fixed"},
                                         {"conjugate-gradient", "conjugate-gradient", "", "exact"}};
  for (const std::string& name : weights) {
    Weights found;
    if (std::string error = find_weights(name, found); !error.empty()) return error;
    contestants.push_back({name, "loa-bfgs", name, "fixed"});
  }
  if (options.problems < 1 || options.dimension < 2 || options.iterations < 1)
    return "evaluate: expected at least one problem, dimension 2 and one iteration";

  // gap[problem][contestant][iteration]
  const auto num_problems = static_cast<std::size_t>(options.problems);
  std::vector<std::vector<std::vector<double>>> gap(num_problems);
  ThreadPool pool(options.threads > 0 ? options.threads
                                      : std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
  pool.run(static_cast<int>(num_problems), [&](int index, int) {
    TrainingOptions drawn;
    drawn.dimension = options.dimension;
    const TrainingProblem problem =
        training_quadratic(drawn, options.seed + static_cast<std::uint64_t>(index), /*start=*/0);
    for (const Contestant& contestant : contestants)
      gap[static_cast<std::size_t>(index)].push_back(gaps(problem, contestant, options.iterations));
  });

  rows.clear();
  for (std::size_t c = 0; c < contestants.size(); ++c) {
    EvaluationRow row{.name = contestants[c].name};
    std::int64_t num_terms = 0, num_finite = 0;
    for (const auto& of_problem : gap) {
      const std::vector<double>& bfgs = of_problem[0];
      const std::vector<double>& own = of_problem[c];
      const auto loss = [&](std::size_t k) { return std::log1p(own[k] / bfgs[k]); };
      const auto last = static_cast<std::size_t>(options.iterations);
      const double ratio = own[last] / bfgs[last];
      row.not_finite += !std::isfinite(own[last]);
      if (std::isfinite(own[last])) {
        ++num_finite;
        row.final_loss += loss(last);
        for (std::size_t k = kEvery; k <= last; k += kEvery, ++num_terms) row.mean_loss += loss(k);
      }
      row.worst_ratio = std::max(row.worst_ratio, ratio);
      row.better += ratio < 1.0;
      row.much_worse += !(ratio <= 1.5);
    }
    row.final_loss /= static_cast<double>(std::max<std::int64_t>(num_finite, 1));
    row.mean_loss /= static_cast<double>(std::max<std::int64_t>(num_terms, 1));
    rows.push_back(row);
  }
  return "";
}

}  // namespace loa
