#include "experiment/comparison_files.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "experiment/comparison_table.h"
#include "experiment/relative_evaluations.h"
#include "experiment/statistics.h"
#include "files/program.h"
#include "loa/version.h"

namespace loa {
namespace {

using Json = nlohmann::ordered_json;

Json quartiles_json(const Quartiles& q) { return {{"q25", q.low}, {"median", q.middle}, {"q75", q.high}}; }

Json fallbacks_json(const Fallbacks& fallbacks) {
  return {{"model", fallbacks.model}, {"skipped", fallbacks.skipped}, {"restart", fallbacks.restart}};
}

Json profile_json(const std::vector<ProfileCurve>& curves) {
  Json json = Json::object();
  for (const ProfileCurve& curve : curves) json[curve.label] = {{"x", curve.x}, {"fraction", curve.fraction}};
  return json;
}

Json ratio_json(const Ratio& ratio) { return {{"ratio", ratio.value}, {"low", ratio.low}, {"high", ratio.high}}; }

Json relative_json(const Comparison& comparison) {
  Json list = Json::array();
  for (const std::string& against : references(comparison))
    for (const RelativeEvaluations& row : relative_evaluations(comparison, against)) {
      Json json = {{"algorithm", row.algorithm}, {"against", row.against}};
      json.update(ratio_json(row.ratio));
      json.update({{"count", row.count},
                   {"problems", row.problems},
                   {"only_this", row.only_this},
                   {"only_other", row.only_other},
                   {"wins", row.wins},
                   {"ties", row.ties},
                   {"losses", row.losses},
                   {"solved", row.solved},
                   {"runs", row.runs}});
      list.push_back(json);
    }
  return list;
}

// One number an algorithm.
Json counts_json(const Comparison& comparison, const std::vector<std::int64_t>& counts) {
  Json json = Json::object();
  for (std::size_t a = 0; a < counts.size(); ++a) json[comparison.labels[a]] = counts[a];
  return json;
}

Json virtual_best_json(const Comparison& comparison) {
  const VirtualBest result = virtual_best(comparison);
  Json json = ratio_json(result.ratio);
  json.update({{"count", result.count},
               {"solved", result.solved},
               {"best", counts_json(comparison, result.best)},
               {"alone", counts_json(comparison, result.alone)}});
  return json;
}

// null without an oracle.
Json oracle_json(const Comparison& comparison) {
  const HindsightOracle result = hindsight_oracle(comparison);
  if (result.problems == 0) return nullptr;
  return {{"best_single", result.best_single},
          {"to_best_single", ratio_json(result.to_best_single)},
          {"to_baseline", ratio_json(result.to_baseline)},
          {"problems", result.problems},
          {"chosen", counts_json(comparison, result.chosen)}};
}

// Numbers that are not finite come out as null, text that is not UTF-8 with replacement characters.
std::string dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

std::string summary_json(const Comparison& comparison) {
  Json problems = Json::array(), groups = Json::array();
  for (const ComparedProblem& problem : comparison.problems)
    problems.push_back({{"name", problem.name},
                        {"n", problem.n},
                        {"optimum", problem.optimum.f},
                        {"optimum_grad_inf_norm", problem.optimum.grad_inf_norm},
                        {"optimum_source", problem.optimum.source}});
  for (const GroupStatistics& group : group_statistics(comparison)) {
    Json to_gap = Json::array();
    for (const ToGap& to : group.to_gap)
      to_gap.push_back({{"relative_gap", to.gap},
                        {"reached", to.reached},
                        {"iterations", quartiles_json(to.iterations)},
                        {"evaluations", quartiles_json(to.evaluations)}});
    groups.push_back({{"problem", comparison.problems[group.problem].name},
                      {"algorithm", comparison.labels[group.algorithm]},
                      {"runs", group.runs},
                      {"failures", group.failures},
                      {"final_relative_gap", quartiles_json(group.final_gap)},
                      {"microseconds_per_iteration", quartiles_json(group.microseconds)},
                      {"fallbacks", fallbacks_json(group.fallbacks)},
                      {"to_gap", to_gap}});
  }
  constexpr double kProfileGap = 1e-6;
  return dump({{"problems", problems},
               {"groups", groups},
               {"baseline", baseline(comparison)},
               {"relative_evaluations", relative_json(comparison)},
               {"virtual_best", virtual_best_json(comparison)},
               {"oracle", oracle_json(comparison)},
               {"profiles",
                {{"relative_gap", kProfileGap},
                 {"performance", profile_json(performance_profile(comparison, kProfileGap))},
                 {"data", profile_json(data_profile(comparison, kProfileGap))}}},
               {"below_optimum", comparison.below_optimum},
               {"interrupted", comparison.interrupted}});
}

std::string manifest_json(const Comparison& comparison) {
  const ComparisonPlan& plan = comparison.plan;
  Json checksums = Json::object();
  for (const ComparedProblem& problem : comparison.problems)
    if (!problem.checksum.empty()) checksums[problem.name] = problem.checksum;
  return dump({{"loa_version", LOA_VERSION},
               {"program_sha256", program_identity()},
               {"compiler", __VERSION__},
               {"problems", plan.problems},
               {"algorithms", plan.algorithms},
               {"weights", plan.weights},
               {"line_search", plan.line_search},
               {"safeguard", plan.safeguard},
               {"starts", plan.starts},
               {"random_starts", plan.random_starts},
               {"seed", plan.seed},
               {"first_step", plan.first_step},
               {"gtol", plan.gtol},
               {"gap", plan.gap},
               {"max_iterations", plan.max_iterations},
               {"max_evaluations", plan.max_evaluations},
               {"against", plan.against},
               {"data_sha256", checksums}});
}

Error write_comparison(const Comparison& comparison, const std::string& folder, std::vector<std::string>& names) {
  const std::pair<std::string, std::string> texts[] = {
      {"traces.csv", traces_csv(comparison)},     {"results.csv", results_csv(comparison)},
      {"gaps.csv", gaps_csv(comparison)},         {"timings.csv", timings_csv(comparison)},
      {"summary.json", summary_json(comparison)}, {"manifest.json", manifest_json(comparison)}};
  for (const auto& [name, text] : texts) {
    if (Error error = write_file((std::filesystem::path(folder) / name).string(), text)) return error;
    names.push_back(name);
  }
  return {};
}

}  // namespace loa
