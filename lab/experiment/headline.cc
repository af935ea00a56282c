#include "experiment/headline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiment/relative_evaluations.h"
#include "experiment/statistics.h"
#include "loa/algorithm.h"

namespace loa {
namespace {

// As papers write it.
std::string name_in_prose(const std::string& algorithm) {
  for (const auto& [label, name] : {std::pair{"bfgs", "BFGS"}, {"sr1", "SR1"}, {"l-bfgs", "L-BFGS"}})
    if (algorithm == label) return name;
  return algorithm;
}

bool is_default(const Experiment& experiment, const Comparison& comparison) {
  return std::ranges::all_of(comparison.problems, [&](const ComparedProblem& problem) {
    return algorithm_for({}, problem.n) == experiment.subject;
  });
}

RelativeEvaluations against(const Comparison& comparison, const std::string& subject, const std::string& rival) {
  const std::vector<RelativeEvaluations> rows = relative_evaluations(comparison, rival);
  return *std::ranges::find(rows, subject, &RelativeEvaluations::algorithm);
}

std::string number(double value) { return std::isnan(value) ? "-" : fmt::format("{:.2f}", value); }

}  // namespace

std::string headline(const Experiment& experiment, const Comparison& comparison) {
  std::string text = experiment.subject + (is_default(experiment, comparison) ? ", the default, took " : " took ");
  for (std::size_t i = 0; i < experiment.rivals.size(); ++i) {
    const std::string& rival = experiment.rivals[i];
    text += i == 0 ? "" : i + 1 == experiment.rivals.size() ? " and " : ", ";
    text += fmt::format("{} of {}'s{}", number(against(comparison, experiment.subject, rival).ratio.value),
                        name_in_prose(rival), i == 0 ? " evaluations" : "");
  }
  return text + fmt::format(" on {} problems", comparison.problems.size());
}

ReportTable headline_table(const Experiment& experiment, const Comparison& comparison) {
  const std::string& subject = experiment.subject;
  ReportTable table;
  table.caption = fmt::format(
      "Evaluations of {} divided by those of the other algorithm, where both find the same minimum: geometric means "
      "over "
      "{} problems with {} starts each, with 95 % intervals",
      subject, comparison.problems.size(), comparison.plan.starts);
  table.header = {"algorithm", "runs solved", subject + " / this", "95 % interval", "fewer / as many / more"};
  for (const std::string& label : comparison.labels) {
    const RelativeEvaluations own = against(comparison, label, subject), row = against(comparison, subject, label);
    std::vector<std::string> cells = {label, fmt::format("{} of {}", own.solved, own.runs), "1", "", ""};
    if (label != subject) {
      cells[2] = number(row.ratio.value);
      cells[3] = fmt::format("[{}, {}]", number(row.ratio.low), number(row.ratio.high));
      cells[4] = fmt::format("{} / {} / {} problems", row.wins, row.ties, row.losses);
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

ProfileFigure headline_figure(const Experiment& experiment, const Comparison& comparison) {
  ProfileFigure figure = {.name = experiment.id};
  ProfilePanel& panel = figure.panels.emplace_back();
  panel.title = fmt::format("{} problems, {} runs each", comparison.problems.size(), comparison.plan.starts);
  panel.x_label = "evaluations of f and its gradient";
  for (std::size_t a = 0; a < comparison.labels.size(); ++a) {
    std::vector<double> evaluations;
    const Runs runs = runs_of(comparison, kAllProblems, a);
    for (const ComparedRun* run : runs)
      if (run->solved) evaluations.push_back(static_cast<double>(run->evaluations.value));
    std::ranges::sort(evaluations);
    ProfileCurve& curve = panel.curves.emplace_back();
    curve.label = comparison.labels[a];
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
      if (i + 1 < evaluations.size() && evaluations[i + 1] == evaluations[i]) continue;
      curve.x.push_back(evaluations[i]);
      curve.fraction.push_back(static_cast<double>(i + 1) / static_cast<double>(runs.size()));
    }
  }
  figure.note = fmt::format("solved: |g|_inf <= {:g}, and no other algorithm found a lower minimum from the same start",
                            comparison.plan.gtol);
  return figure;
}

ClaimVerdict headline_verdict(const Experiment& experiment, const Comparison& comparison) {
  bool holds = true, fails = false;
  for (const std::string& rival : experiment.rivals) {
    const Ratio ratio = against(comparison, experiment.subject, rival).ratio;
    holds = holds && ratio.high < 1.0;
    fails = fails || !(ratio.value < 1.0);
  }
  return holds ? ClaimVerdict::kHolds : fails ? ClaimVerdict::kDoesNotHold : ClaimVerdict::kUndecided;
}

}  // namespace loa
