// What a training on one's own problems says, as text.
#include <fmt/format.h>

#include <string>

#include "loa/own_problems.h"
#include "train/gain.h"

namespace loa {
namespace {

std::string duration(double seconds) {
  return seconds < 90 ? fmt::format("{:.0f} s", seconds) : fmt::format("{:.1f} min", seconds / 60);
}

}  // namespace

std::string text_of(const OwnProgress& progress) {
  if (progress.stage == "probe")
    return fmt::format("about {} evaluations and {}, from a probe", progress.expected_evaluations,
                       duration(progress.expected_seconds));
  std::string text =
      fmt::format("{:<9} {:>2}/{}  {} of about {} evaluations, {} of about {}", progress.stage, progress.generation,
                  progress.generations, progress.evaluations, progress.expected_evaluations, duration(progress.seconds),
                  duration(progress.expected_seconds));
  if (progress.over_default.members > 0)
    text += fmt::format(", best {} of the default on {} members not trained on", text_of(progress.over_default),
                        progress.over_default.members);
  return text;
}

std::string text_of(const OwnReport& report) {
  std::string text = fmt::format("{} members to train on, {} to choose by, {} never seen", report.training,
                                 report.validation, report.test);
  if (report.left_out > 0) text += fmt::format("; {} left out, where f is not finite at the start", report.left_out);
  text += fmt::format("\n{} evaluations in {}{}\n\n", report.evaluations, duration(report.seconds),
                      report.out_of_time ? ", ended by budget_seconds: another machine would give other weights" : "");
  text += fmt::format("{:<14} {:>22} {:>22} {:>8} {:>12}\n", "never seen", "against the default", "against constants",
                      "solved", "evaluations");
  for (const OwnRow& row : report.rows)
    text += fmt::format("{:<14} {:>22} {:>22} {:>8} {:>12g}\n", row.name, text_of(row.over_default),
                        text_of(row.over_constants), row.reached, row.median_evaluations);
  return text + "\n" + report.verdict + "\n\n" + text_of(report.certificate);
}

}  // namespace loa
