#include "experiment/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/numbers.h"

namespace loa {
namespace {

Quartiles quartiles(const std::vector<double>& values) {
  return {quantile(values, 0.25), quantile(values, 0.5), quantile(values, 0.75)};
}

double relative_gap(const Comparison& comparison, const ComparedRun& run, double f) {
  return (f - comparison.problems[run.problem].reference) / comparison.initial_gap(run);
}

// Ended by a limit, which says nothing about the algorithm's health.
bool is_limit(Status status) {
  return status == Status::kIterationLimitReached || status == Status::kEvaluationLimitReached ||
         status == Status::kTimeLimitReached;
}

GroupStatistics statistics_of(const Comparison& comparison, const Runs& runs) {
  GroupStatistics s;
  s.problem = runs.front()->problem;
  s.algorithm = runs.front()->algorithm;
  s.runs = static_cast<std::int64_t>(runs.size());
  std::vector<double> gaps, microseconds;
  for (const ComparedRun* run : runs) {
    s.failures += !run->converged() && !is_limit(run->status);
    s.fallbacks += run->fallbacks;
    gaps.push_back(relative_gap(comparison, *run, run->f));
    microseconds.push_back(1e6 * run->seconds / static_cast<double>(std::max<std::int64_t>(run->iterations, 1)));
  }
  s.final_gap = quartiles(gaps);
  s.microseconds = quartiles(microseconds);
  for (const double gap : kGaps) s.to_gap.push_back(to_gap(comparison, runs, gap));
  return s;
}

// Evaluations to the gap of every run, by (problem, start), one entry an algorithm; infinite when not reached.
using CostTable = std::map<std::pair<std::size_t, std::int64_t>, std::vector<double>>;

CostTable costs(const Comparison& comparison, double gap) {
  CostTable table;
  for (const ComparedRun& run : comparison.runs) {
    std::vector<double>& row = table[{run.problem, run.start}];
    row.resize(comparison.labels.size(), kInfinity);
    if (const TraceRow* reached = first_at_gap(comparison, run, gap))
      row[run.algorithm] = static_cast<double>(reached->evaluations);
  }
  return table;
}

// The distribution function of values of which the infinite ones never come.
ProfileCurve profile_curve(const std::string& label, std::vector<double> values) {
  ProfileCurve curve{.label = label, .x = {}, .fraction = {}};
  std::ranges::sort(values);
  for (std::size_t i = 0; i < values.size() && std::isfinite(values[i]); ++i) {
    if (i + 1 < values.size() && values[i + 1] == values[i]) continue;
    curve.x.push_back(values[i]);
    curve.fraction.push_back(static_cast<double>(i + 1) / static_cast<double>(values.size()));
  }
  return curve;
}

// The spec on a title of one line: without the folder of a data file, and cut where it is still too long.
std::string short_title(std::string name) {
  constexpr std::size_t kLongest = 32;
  if (const std::size_t path = name.find("data="); path != std::string::npos) {
    const std::size_t slash = name.rfind('/', name.find(',', path));
    if (slash != std::string::npos && slash > path) name.erase(path + 5, slash - path - 4);
  }
  return name.size() <= kLongest ? name : name.substr(0, kLongest - 3) + "...";
}

}  // namespace

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  for (double& value : values)
    if (std::isnan(value)) value = kInfinity;
  std::ranges::sort(values);
  const double position = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const double weight = position - static_cast<double>(below);
  if (weight == 0.0 || values[below] == values[below + 1]) return values[below];
  return values[below] + weight * (values[below + 1] - values[below]);
}

const TraceRow* first_at_gap(const Comparison& comparison, const ComparedRun& run, double gap) {
  for (const TraceRow& row : run.trace)
    if (relative_gap(comparison, run, row.f) <= gap) return &row;
  return nullptr;
}

Runs runs_of(const Comparison& comparison, std::size_t problem, std::size_t algorithm) {
  Runs runs;
  for (const ComparedRun& run : comparison.runs)
    if ((problem == kAllProblems || run.problem == problem) && run.algorithm == algorithm) runs.push_back(&run);
  return runs;
}

double gap_at(const Comparison& comparison, const ComparedRun& run, std::int64_t iteration) {
  double lowest = kInfinity;
  for (const TraceRow& row : run.trace)
    if (row.iteration <= iteration) lowest = std::min(lowest, relative_gap(comparison, run, row.f));
  return lowest;
}

std::vector<double> gaps_at(const Comparison& comparison, std::size_t algorithm, std::int64_t iteration) {
  std::vector<double> gaps;
  for (const ComparedRun* run : runs_of(comparison, kAllProblems, algorithm))
    gaps.push_back(gap_at(comparison, *run, iteration));
  return gaps;
}

ToGap to_gap(const Comparison& comparison, const Runs& runs, double gap) {
  ToGap to{.gap = gap, .iterations = {}, .evaluations = {}, .reached = 0};
  std::vector<double> iterations, evaluations;
  for (const ComparedRun* run : runs) {
    const TraceRow* row = first_at_gap(comparison, *run, gap);
    to.reached += row != nullptr;
    iterations.push_back(row ? static_cast<double>(row->iteration) : kInfinity);
    evaluations.push_back(row ? static_cast<double>(row->evaluations) : kInfinity);
  }
  to.iterations = quartiles(iterations);
  to.evaluations = quartiles(evaluations);
  return to;
}

std::vector<GroupStatistics> group_statistics(const Comparison& comparison) {
  std::vector<GroupStatistics> all;
  for (std::size_t p = 0; p < comparison.problems.size(); ++p)
    for (std::size_t a = 0; a < comparison.labels.size(); ++a)
      if (const Runs runs = runs_of(comparison, p, a); !runs.empty()) all.push_back(statistics_of(comparison, runs));
  return all;
}

BandCurve gap_band(const Comparison& comparison, const Runs& runs, Abscissa abscissa) {
  const auto position = [&](const TraceRow& row) {
    return abscissa == Abscissa::kIterations ? row.iteration : row.evaluations;
  };
  BandCurve curve{.label = runs.empty() ? "" : comparison.labels[runs.front()->algorithm],
                  .x = {},
                  .median = {},
                  .low = {},
                  .high = {}};
  std::int64_t first = std::numeric_limits<std::int64_t>::max(), last = 0;
  for (const ComparedRun* run : runs) {
    if (run->trace.empty()) continue;
    first = std::min(first, position(run->trace.front()));
    last = std::max(last, position(run->trace.back()));
  }
  std::vector<std::size_t> next(runs.size(), 0);
  std::vector<double> lowest(runs.size(), kInfinity);
  for (std::int64_t x = first; x <= last; ++x) {
    bool moved = false;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const std::vector<TraceRow>& trace = runs[i]->trace;
      for (; next[i] < trace.size() && position(trace[next[i]]) <= x; ++next[i], moved = true)
        lowest[i] = std::min(lowest[i], relative_gap(comparison, *runs[i], trace[next[i]].f));
    }
    if (!moved) continue;
    const Quartiles q = quartiles(lowest);
    curve.x.push_back(static_cast<double>(x));
    curve.median.push_back(q.middle);
    curve.low.push_back(q.low);
    curve.high.push_back(q.high);
  }
  return curve;
}

std::vector<ProfileCurve> performance_profile(const Comparison& comparison, double gap) {
  std::vector<std::vector<double>> ratios(comparison.labels.size());
  for (const auto& [key, row] : costs(comparison, gap)) {
    const double best = std::ranges::min(row);
    for (std::size_t a = 0; a < row.size(); ++a)
      ratios[a].push_back(std::isfinite(row[a]) ? row[a] / std::max(best, 1.0) : kInfinity);
  }
  std::vector<ProfileCurve> curves;
  for (std::size_t a = 0; a < ratios.size(); ++a) curves.push_back(profile_curve(comparison.labels[a], ratios[a]));
  return curves;
}

std::vector<ProfileCurve> data_profile(const Comparison& comparison, double gap) {
  std::vector<std::vector<double>> groups(comparison.labels.size());
  for (const auto& [key, row] : costs(comparison, gap)) {
    const auto gradients = static_cast<double>(comparison.problems[key.first].n + 1);
    for (std::size_t a = 0; a < row.size(); ++a) groups[a].push_back(row[a] / gradients);
  }
  std::vector<ProfileCurve> curves;
  for (std::size_t a = 0; a < groups.size(); ++a) curves.push_back(profile_curve(comparison.labels[a], groups[a]));
  return curves;
}

BandFigure convergence_figure(const Comparison& comparison) {
  BandFigure figure = {.name = "convergence", .x_label = "evaluations", .log_x = true, .note = ""};
  figure.formats = "svg png narrow";
  for (std::size_t p = 0; p < comparison.problems.size(); ++p) {
    const ComparedProblem& problem = comparison.problems[p];
    BandPanel& panel = figure.panels.emplace_back();
    panel.title = short_title(problem.name) + (problem.reference_is_known ? "" : " *");
    if (!problem.reference_is_known) figure.note = "* minimum not known: gap to the lowest f reached";
    for (std::size_t a = 0; a < comparison.labels.size(); ++a) {
      Runs runs = runs_of(comparison, p, a);
      std::erase_if(runs, [&](const ComparedRun* run) {
        return run->start != 0 || !(comparison.initial_gap(*run) > 0.0 && comparison.initial_gap(*run) < kInfinity);
      });
      BandCurve curve = gap_band(comparison, runs, Abscissa::kEvaluations);
      curve.label = comparison.labels[a];
      curve.low = curve.high = {};
      // At a known minimum the curve goes down to the axis; a gap of zero to the lowest f reached says nothing, so the
      // curve ends there.
      if (!problem.reference_is_known)
        std::ranges::replace_if(
            curve.median, [](double gap) { return !(gap > 0.0); }, std::nan(""));
      panel.curves.push_back(std::move(curve));
    }
  }
  return figure;
}

ProfileFigure profile_figure(const Comparison& comparison) {
  ProfileFigure figure;
  figure.name = "profiles";
  figure.formats = "svg pdf";
  for (const double gap : {1e-3, 1e-6}) {
    const std::string to = fmt::format("to a relative gap of {:.0e}", gap);
    ProfilePanel& performance = figure.panels.emplace_back();
    performance.title = "performance " + to;
    performance.x_label = "evaluations / best";
    performance.curves = performance_profile(comparison, gap);
    ProfilePanel& data = figure.panels.emplace_back();
    data.title = "data " + to;
    data.x_label = "evaluations / (n + 1)";
    data.curves = data_profile(comparison, gap);
  }
  return figure;
}

}  // namespace loa
