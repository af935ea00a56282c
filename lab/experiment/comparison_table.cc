#include "experiment/comparison_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/text.h"
#include "experiment/columns.h"
#include "experiment/comparison_summary.h"
#include "experiment/csv.h"
#include "experiment/statistics.h"

namespace loa {
namespace {

// A run that was ended at the gap asked for was not stopped by anybody.
std::string status_of(const ComparedRun& run) {
  return run.reached_gap ? "gap_is_small" : std::string(name(run.status));
}

ComparisonRow summarize(const std::vector<const ComparedRun*>& runs) {
  ComparisonRow row{.problem = runs.front()->problem,
                    .algorithm = runs.front()->algorithm,
                    .runs = static_cast<std::int64_t>(runs.size()),
                    .status = status_of(*runs.front())};
  std::vector<double> evaluations, iterations, gaps, norms;
  for (const ComparedRun* run : runs) {
    evaluations.push_back(static_cast<double>(run->evaluations.value));
    iterations.push_back(static_cast<double>(run->iterations));
    gaps.push_back(run->gap);
    norms.push_back(run->grad_inf_norm);
    row.fallbacks += run->fallbacks;
    row.solved += run->solved ? 1 : 0;
  }
  row.evaluations = median(evaluations);
  row.iterations = median(iterations);
  row.gap = median(gaps);
  row.grad_inf_norm = median(norms);
  return row;
}

}  // namespace

std::vector<ComparisonRow> comparison_rows(const Comparison& comparison) {
  std::vector<ComparisonRow> rows;
  std::vector<const ComparedRun*> group;
  for (const ComparedRun& run : comparison.runs) {
    if (!group.empty() && (group.front()->problem != run.problem || group.front()->algorithm != run.algorithm)) {
      rows.push_back(summarize(group));
      group.clear();
    }
    group.push_back(&run);
  }
  if (!group.empty()) rows.push_back(summarize(group));
  return rows;
}

std::string comparison_table(const Comparison& comparison) {
  const bool many = comparison.plan.starts > 1;
  std::vector<Cells> rows = {{"problem", "n", "algorithm", "evaluations", "iterations", "gap", "", "|g|_inf",
                              "fallbacks", many ? "solved" : "status"}};
  bool unknown_minimum = false;
  for (const ComparisonRow& row : comparison_rows(comparison)) {
    const ComparedProblem& problem = comparison.problems[row.problem];
    unknown_minimum = unknown_minimum || !problem.reference_is_known;
    const Fallbacks& fell = row.fallbacks;
    rows.push_back({printable(problem.name), std::to_string(problem.n), comparison.labels[row.algorithm],
                    fmt::format("{}", row.evaluations), fmt::format("{}", row.iterations),
                    fmt::format("{:.2e}", row.gap), problem.reference_is_known ? "" : "*",
                    fmt::format("{:.2e}", row.grad_inf_norm),
                    fmt::format("{}/{}/{}", fell.model, fell.skipped, fell.restart),
                    many ? fmt::format("{} of {}", row.solved, row.runs) : row.status});
  }
  std::string text = align(rows, {false, true, false, true, true, true, false, true, true, false});
  text += "\ngap: f minus the known minimum, or the one that a Newton solve found";
  if (unknown_minimum) text += "; * minus the lowest f that any run of the problem reached";
  text += "\nfallbacks: predictions replaced by y = d / updates skipped / restarts\n";
  if (many)
    text += fmt::format("medians over {} starts, fallbacks added up; {}, seed {}\n", comparison.plan.starts,
                        comparison.plan.random_starts ? "starts U(0,1) N(0,I)" : "start 0 is the problem's own",
                        comparison.plan.seed);
  for (const std::string& line : comparison.below_optimum) text += "wrong optimum: " + line + "\n";
  return text + comparison_summary(comparison);
}

std::string results_csv(const Comparison& comparison) {
  std::string text =
      "problem,n,algorithm,start,status,solved,f,gap,optimum,optimum_grad_inf_norm,optimum_source,grad_inf_norm,"
      "iterations,"
      "evaluations,gradient_evaluations,hessian_vector_evaluations,hessian_evaluations,fallback_model,fallback_skipped,"
      "fallback_restart\n";
  for (const ComparedRun& run : comparison.runs) {
    const ComparedProblem& problem = comparison.problems[run.problem];
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                   csv_field(problem.name), problem.n, csv_field(comparison.labels[run.algorithm]), run.start,
                   status_of(run), run.solved ? 1 : 0, csv_number(run.f), csv_number(run.gap),
                   csv_number(problem.optimum.f), csv_number(problem.optimum.grad_inf_norm), problem.optimum.source,
                   csv_number(run.grad_inf_norm), run.iterations, run.evaluations.value, run.evaluations.gradient,
                   run.evaluations.hessian_vector, run.evaluations.hessian, run.fallbacks.model, run.fallbacks.skipped,
                   run.fallbacks.restart);
  }
  return text;
}

std::string gaps_csv(const Comparison& comparison) {
  std::string text =
      "problem,algorithm,relative_gap,starts,reached,iterations_q25,iterations_median,iterations_q75,evaluations_q25,"
      "evaluations_median,evaluations_q75\n";
  for (const GroupStatistics& group : group_statistics(comparison))
    for (const ToGap& to : group.to_gap)
      fmt::format_to(std::back_inserter(text), "{},{},{:g},{},{},{},{},{},{},{},{}\n",
                     csv_field(comparison.problems[group.problem].name), csv_field(comparison.labels[group.algorithm]),
                     to.gap, group.runs, to.reached, csv_number(to.iterations.low), csv_number(to.iterations.middle),
                     csv_number(to.iterations.high), csv_number(to.evaluations.low), csv_number(to.evaluations.middle),
                     csv_number(to.evaluations.high));
  return text;
}

std::string timings_csv(const Comparison& comparison) {
  std::string text = "problem,algorithm,start,iterations,seconds\n";
  for (const ComparedRun& run : comparison.runs)
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{:.6g}\n", csv_field(comparison.problems[run.problem].name),
                   csv_field(comparison.labels[run.algorithm]), run.start, run.iterations, run.seconds);
  return text;
}

std::string traces_csv(const Comparison& comparison) {
  std::string text = "problem,algorithm,start,iteration,evaluations,f,gap,grad_inf_norm,step_size\n";
  for (const ComparedRun& run : comparison.runs) {
    const ComparedProblem& problem = comparison.problems[run.problem];
    const std::string key =
        fmt::format("{},{},{}", csv_field(problem.name), csv_field(comparison.labels[run.algorithm]), run.start);
    for (const TraceRow& row : run.trace)
      fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{}\n", key, row.iteration, row.evaluations,
                     csv_number(row.f), csv_number(row.f - problem.reference), csv_number(row.grad_inf_norm),
                     csv_number(row.step_size));
  }
  return text;
}

}  // namespace loa
