#include "experiment/comparison_summary.h"

#include <fmt/format.h>

#include <cmath>

#include "experiment/columns.h"
#include "experiment/relative_evaluations.h"

namespace loa {
namespace {

std::string value_text(const Ratio& ratio) {
  return std::isnan(ratio.value) ? "-" : fmt::format("{:.3f}", ratio.value);
}

std::string interval_text(const Ratio& ratio) {
  return std::isnan(ratio.low) ? "-" : fmt::format("[{:.3f}, {:.3f}]", ratio.low, ratio.high);
}

std::string text_of(const Ratio& ratio) {
  return std::isnan(ratio.low) ? value_text(ratio) : value_text(ratio) + " " + interval_text(ratio);
}

Cells cells_of(const RelativeEvaluations& row) {
  Cells cells = {row.algorithm, fmt::format("{} of {}", row.solved, row.runs)};
  if (row.algorithm == row.against)
    cells.insert(cells.end(), {"1", "", "", "", "", "", ""});
  else
    cells.insert(cells.end(), {value_text(row.ratio), interval_text(row.ratio),
                               fmt::format("{}/{}/{}", row.wins, row.ties, row.losses), fmt::format("{}", row.count),
                               fmt::format("{}", row.problems), fmt::format("{}", row.only_this),
                               fmt::format("{}", row.only_other)});
  return cells;
}

// `best`: one more column in the first of these tables.
std::string reference_table(const Comparison& comparison, const std::string& against,
                            const std::vector<std::int64_t>& best) {
  std::vector<Cells> rows = {{"algorithm", "solved", "ratio", "95 % interval", "wins/ties/losses", "runs", "problems",
                              "only it", "only " + against}};
  for (const RelativeEvaluations& row : relative_evaluations(comparison, against)) rows.push_back(cells_of(row));
  if (!best.empty()) rows[0].push_back("best");
  for (std::size_t a = 0; a < best.size(); ++a) rows[a + 1].push_back(std::to_string(best[a]));
  return fmt::format("\nevaluations relative to {}\n", against) +
         align(rows, {false, true, true, true, true, true, true, true, true, true});
}

std::string oracle_text(const Comparison& comparison) {
  const HindsightOracle result = hindsight_oracle(comparison);
  if (result.problems == 0) return "oracle: none; it needs two or more starts of a problem\n";
  return fmt::format(
      "oracle: {} of {}, the best single algorithm; {} of {}; over {} problems, failures as {} evaluations\n",
      text_of(result.to_best_single), result.best_single, text_of(result.to_baseline), baseline(comparison),
      result.problems, comparison.plan.max_evaluations);
}

}  // namespace

std::string comparison_summary(const Comparison& comparison) {
  const VirtualBest virtual_one = virtual_best(comparison);
  std::string text;
  for (const std::string& against : references(comparison))
    text += reference_table(comparison, against, text.empty() ? virtual_one.best : std::vector<std::int64_t>());
  if (comparison.labels.size() > 1) {
    text += fmt::format("\nvirtual best: {} of {} over {} runs\n", text_of(virtual_one.ratio), baseline(comparison),
                        virtual_one.count);
    text += oracle_text(comparison);
  }
  text += fmt::format(
      "\n{} problems, {} start{} each, gtol {:g}, at most {} evaluations, seed {}\n"
      "ratio: geometric mean over runs and problems where both find the same minimum; best: runs with the fewest "
      "evaluations\n",
      comparison.problems.size(), comparison.plan.starts, comparison.plan.starts > 1 ? "s" : "", comparison.plan.gtol,
      comparison.plan.max_evaluations, comparison.plan.seed);
  if (comparison.interrupted) text += "interrupted: the runs that are missing were not made\n";
  return text;
}

}  // namespace loa
