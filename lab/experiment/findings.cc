#include "experiment/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace loa {
namespace {

std::string count_text(double value) { return std::isfinite(value) ? fmt::format("{:.4g}", value) : "-"; }

struct Panel {
  std::string title;
  std::size_t problem;  // or kAllProblems
};

std::vector<Panel> panels_of(const Experiment& experiment, const Comparison& comparison) {
  if (experiment.panels.size() == 1 && comparison.problems.size() > 1) return {{experiment.panels[0], kAllProblems}};
  std::vector<Panel> panels;
  for (std::size_t p = 0; p < comparison.problems.size(); ++p)
    panels.push_back({experiment.panels.empty() ? comparison.problems[p].name : experiment.panels[p], p});
  return panels;
}

// How often the claim held, as a verdict.
ClaimVerdict verdict_of(std::size_t held, std::size_t total) {
  if (total == 0) return ClaimVerdict::kNone;
  if (held == total) return ClaimVerdict::kHolds;
  return 2 * held >= total ? ClaimVerdict::kHoldsPartly : ClaimVerdict::kDoesNotHold;
}

// Gaps of both at iteration k on every problem and start.
void judge_pairs(const Experiment& experiment, const Comparison& comparison, std::size_t subject, std::size_t rival,
                 ReportSection& section, std::vector<std::string>& losses) {
  std::size_t held = 0, total = 0;
  std::string found;
  for (const std::int64_t k : experiment.pairs) {
    const PairCount count =
        count_pairs(gaps_at(comparison, subject, k), gaps_at(comparison, rival, k), experiment.factor);
    found += found.empty() ? fmt::format("{} of {} problems after {} iterations", count.ahead, count.counted, k)
                           : fmt::format(", {} of {} after {}", count.ahead, count.counted, k);
    if (2 * count.ahead < count.counted) losses.push_back(fmt::format("{} at k = {}", section.title, k));
    held += count.ahead;
    total += count.counted;
  }
  section.finding += fmt::format(
      "The relative gap of {} is below that of {} on {}; problems that both have solved to round-off are "
      "not counted",
      experiment.subject, experiment.rival, found);
  section.verdict = verdict_of(held, total);
}

void judge_counts(const Experiment& experiment, const Comparison& comparison, std::size_t subject, std::size_t rival,
                  ReportSection& section, std::vector<std::string>& losses) {
  std::size_t held = 0, total = 0;
  std::string found;
  for (const Panel& panel : panels_of(experiment, comparison)) {
    const ToGap mine = to_gap(comparison, runs_of(comparison, panel.problem, subject), experiment.gap);
    const ToGap theirs = to_gap(comparison, runs_of(comparison, panel.problem, rival), experiment.gap);
    const double iterations = mine.iterations.middle / theirs.iterations.middle;
    const double evaluations = mine.evaluations.middle / theirs.evaluations.middle;
    found += fmt::format("{}{}: {} against {} iterations, {} against {} evaluations", found.empty() ? "" : "; ",
                         panel.title, count_text(mine.iterations.middle), count_text(theirs.iterations.middle),
                         count_text(mine.evaluations.middle), count_text(theirs.evaluations.middle));
    if (!std::isfinite(mine.iterations.middle) && !std::isfinite(theirs.iterations.middle)) continue;  // neither
    ++total;
    const bool holds = iterations <= experiment.factor && evaluations <= experiment.factor;
    held += holds;
    if (!holds) losses.push_back(panel.title);
  }
  section.finding += fmt::format("{} against {}, medians to a relative gap of {:g}. {}", experiment.subject,
                                 experiment.rival, experiment.gap, found);
  section.verdict = verdict_of(held, total);
}

}  // namespace

ReportTable gap_table(const Experiment& experiment, const Comparison& comparison) {
  ReportTable table;
  table.caption = "Median iterations / evaluations to a relative gap, and the runs that get to the last one";
  table.header = {"algorithm"};
  const std::vector<Panel> panels = panels_of(experiment, comparison);
  if (panels.size() > 1) table.header.insert(table.header.begin(), "problem");
  for (const double gap : kGaps) table.header.push_back(fmt::format("{:.0e}", gap));
  table.header.push_back("reached");
  for (const Panel& panel : panels)
    for (std::size_t a = 0; a < comparison.labels.size(); ++a) {
      const Runs runs = runs_of(comparison, panel.problem, a);
      std::vector<std::string> row = {comparison.labels[a]};
      if (panels.size() > 1) row.insert(row.begin(), panel.title);
      std::int64_t reached = 0;
      for (const double gap : kGaps) {
        const ToGap to = to_gap(comparison, runs, gap);
        row.push_back(count_text(to.iterations.middle) + " / " + count_text(to.evaluations.middle));
        reached = to.reached;
      }
      row.push_back(fmt::format("{} of {}", reached, runs.size()));
      table.rows.push_back(row);
    }
  return table;
}

void judge(const Experiment& experiment, const Comparison& comparison, ReportSection& section,
           std::vector<std::string>& losses) {
  const std::size_t subject = comparison.index_of(experiment.subject), rival = comparison.index_of(experiment.rival);
  if (experiment.subject.empty() || experiment.rival.empty()) return;
  if (subject == comparison.labels.size() || rival == comparison.labels.size()) {
    section.finding = experiment.subject + " was not run.";
    return;
  }
  if (experiment.pairs.empty())
    judge_counts(experiment, comparison, subject, rival, section, losses);
  else
    judge_pairs(experiment, comparison, subject, rival, section, losses);
  section.finding += ".";
}

}  // namespace loa
