#include "experiment/wall_clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiment/contestant.h"
#include "loa/minimize.h"

namespace loa {
namespace {

constexpr int kRepetitions = 7;

// Seconds of an iteration of one run, f included; infinite when it made none.
double seconds_per_iteration(Problem& problem, const Contestant& contestant, const Algorithm& algorithm,
                             std::int64_t iterations) {
  Options options;
  options.algorithm = algorithm.name;
  options.line_search = contestant.line_search;
  options.safeguard = contestant.safeguard;
  options.gtol = 0.0;
  options.max_iterations = iterations;
  options.lower = problem.lower;
  options.upper = problem.upper;
  if (problem.lipschitz) options.first_step = 0.5 / *problem.lipschitz;
  const Summary summary = minimize(*problem.objective, problem.start, algorithm, options);
  return summary.iterations > 0 ? summary.seconds / static_cast<double>(summary.iterations)
                                : std::numeric_limits<double>::infinity();
}

}  // namespace

Error measure_wall_clock(const Experiment& experiment,
                         const std::function<Continue(std::size_t done, std::size_t total)>& observer,
                         WallClock& clock) {
  const ComparisonPlan& plan = experiment.plan;
  std::vector<Contestant> contestants(plan.algorithms.size());
  for (std::size_t a = 0; a < contestants.size(); ++a)
    if (Error error = parse_contestant(plan.algorithms[a], {}, contestants[a])) return error;

  // relative[a][p], in units of the first algorithm.
  std::vector<std::vector<double>> relative(contestants.size());
  for (std::size_t p = 0; p < plan.problems.size(); ++p) {
    Problem problem;
    if (Error error = make_problem(plan.problems[p], problem)) return error;
    std::vector<Algorithm> algorithms(contestants.size());
    for (std::size_t a = 0; a < contestants.size(); ++a)
      if (Error error = make_for_problem(contestants[a], problem, algorithms[a])) return error;
    std::vector<double> seconds(contestants.size(), std::numeric_limits<double>::infinity());
    for (int repetition = 0; repetition < kRepetitions; ++repetition) {
      for (std::size_t a = 0; a < contestants.size(); ++a)
        seconds[a] =
            std::min(seconds[a], seconds_per_iteration(problem, contestants[a], algorithms[a], plan.max_iterations));
      const std::size_t done = p * kRepetitions + static_cast<std::size_t>(repetition) + 1;
      if (observer && observer(done, plan.problems.size() * kRepetitions) == Continue::kNo) return {};
    }
    for (std::size_t a = 0; a < contestants.size(); ++a) relative[a].push_back(seconds[a] / seconds[0]);
  }

  clock.table.caption = "Time of an iteration, f included, relative to " + contestants[0].label + "; one thread";
  clock.table.header = {"algorithm"};
  for (std::size_t p = 0; p < plan.problems.size(); ++p)
    clock.table.header.push_back(experiment.panels.empty() ? plan.problems[p] : experiment.panels[p]);
  const std::vector<double>*subject = nullptr, *rival = nullptr;
  for (std::size_t a = 0; a < contestants.size(); ++a) {
    std::vector<std::string> row = {contestants[a].label};
    for (const double value : relative[a]) row.push_back(std::isfinite(value) ? fmt::format("{:.2f}", value) : "-");
    clock.table.rows.push_back(row);
    if (contestants[a].label == experiment.subject) subject = &relative[a];
    if (contestants[a].label == experiment.rival) rival = &relative[a];
  }
  if (subject == nullptr || rival == nullptr) return {};
  std::size_t held = 0;
  for (std::size_t p = 0; p < subject->size(); ++p) {
    const double ratio = (*subject)[p] / (*rival)[p];
    held += ratio <= experiment.factor;
    clock.finding += fmt::format("{}{:.2f} ({})", p == 0 ? "" : ", ", ratio, clock.table.header[p + 1]);
  }
  clock.finding = fmt::format("An iteration of {} takes this many times as long as one of {}: {}.", experiment.subject,
                              experiment.rival, clock.finding);
  clock.verdict = held == subject->size() ? ClaimVerdict::kHolds
                  : held > 0              ? ClaimVerdict::kHoldsPartly
                                          : ClaimVerdict::kDoesNotHold;
  return {};
}

}  // namespace loa
