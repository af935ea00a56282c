// loa compare: problems x algorithms x starts, as a table, CSV files and a picture.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "base/file.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/json.h"
#include "cli/progress.h"
#include "experiment/comparison.h"
#include "experiment/comparison_table.h"
#include "experiment/convergence_figure.h"

namespace loa::cli {
namespace {

struct CompareArguments {
  ComparisonPlan plan;
  std::int64_t seed = 0;
  std::string out;
  bool json = false;
};

Json run_as_json(const Comparison& comparison, const ComparedRun& run) {
  const ComparedProblem& problem = comparison.problems[run.problem];
  return {{"problem", problem.name},
          {"n", problem.n},
          {"algorithm", comparison.plan.algorithms[run.algorithm]},
          {"start", run.start},
          {"status", name(run.status)},
          {"solved", run.solved},
          {"f", run.f},
          {"gap", run.gap},
          {"minimum_is_known", problem.reference_is_known},
          {"grad_inf_norm", run.grad_inf_norm},
          {"iterations", run.iterations},
          {"evaluations",
           {{"value", run.evaluations.value},
            {"gradient", run.evaluations.gradient},
            {"hessian_vector", run.evaluations.hessian_vector},
            {"hessian", run.evaluations.hessian}}},
          {"fallbacks",
           {{"model", run.fallbacks.model}, {"skipped", run.fallbacks.skipped}, {"restart", run.fallbacks.restart}}},
          {"seconds", run.seconds}};
}

Json as_json(const Comparison& comparison, const std::vector<std::string>& files) {
  Json runs = Json::array(), relative = Json::array();
  for (const ComparedRun& run : comparison.runs) runs.push_back(run_as_json(comparison, run));
  for (const RelativeEvaluations& row : relative_evaluations(comparison))
    relative.push_back({{"algorithm", row.algorithm},
                        {"ratio", row.ratio},
                        {"count", row.count},
                        {"solved", row.solved},
                        {"runs", row.runs}});
  return {{"baseline", baseline(comparison.plan)},
          {"relative_evaluations", relative},
          {"runs", runs},
          {"interrupted", comparison.interrupted},
          {"files", files}};
}

void make_folder(const std::string& out) {
  std::error_code error;
  std::filesystem::create_directories(out, error);
  if (out.empty() || !std::filesystem::is_directory(out))
    throw Mistake(fmt::format("--out: found {}, expected a folder or a name for a new one{}", quote(out),
                              error ? " (" + error.message() + ")" : ""));
}

// Writes the tables and the figure; returns the names of the files.
std::vector<std::string> write_files(const Comparison& comparison, const std::filesystem::path& out) {
  const std::pair<std::string, std::string> texts[] = {{"results.csv", results_csv(comparison)},
                                                       {"traces.csv", traces_csv(comparison)},
                                                       {"convergence.gp", convergence_script(comparison)}};
  std::vector<std::string> files;
  for (const auto& [file, text] : texts) {
    refuse_if(write_file((out / file).string(), text));
    files.push_back((out / file).string());
  }
  std::string error;
  switch (draw(out.string(), "convergence.gp", error)) {
    case Drawing::kDone:
      for (const char* file : {"convergence.svg", "convergence.png"}) files.push_back((out / file).string());
      break;
    case Drawing::kNoGnuplot:
      fmt::print(stderr, "loa: no figure was drawn: expected gnuplot, found none; convergence.gp draws it later\n");
      break;
    case Drawing::kFailed:
      fmt::print(stderr, "loa: no figure was drawn: gnuplot says: {}\n", error);
      break;
  }
  return files;
}

ExitStatus compare(CompareArguments& arguments) {
  make_folder(arguments.out);
  for (const char* file : {"results.csv", "traces.csv", "convergence.gp"})
    require_writable("--out", (std::filesystem::path(arguments.out) / file).string());
  arguments.plan.seed = static_cast<std::uint64_t>(arguments.seed);
  ProgressLine line;
  catch_interrupts();
  const auto observe = [&](const ComparisonProgress& progress) {
    if (line.is_due())
      line.show(fmt::format("{} {}/{}  {} on {}", bar(progress.done, progress.total), progress.done, progress.total,
                            progress.algorithm, printable(progress.problem)));
    return interrupted() ? Continue::kNo : Continue::kYes;
  };
  Comparison comparison;
  refuse_if(run_comparison(arguments.plan, observe, comparison));
  line.clear();
  const std::vector<std::string> files = write_files(comparison, arguments.out);
  if (arguments.json) {
    print(as_json(comparison, files));
  } else {
    fmt::print("{}\nwrote {}\n", comparison_table(comparison), join(files));
  }
  return comparison.interrupted ? kNotConverged : kGood;
}

}  // namespace

void add_compare(CLI::App& app, Command& chosen) {
  const auto arguments = std::make_shared<CompareArguments>();
  ComparisonPlan& plan = arguments->plan;
  CLI::App* command = app.add_subcommand("compare", "Run algorithms on problems and compare their evaluations");
  command->add_option("--problems", plan.problems, "Specs as for solve; default " + join(plan.problems))
      ->type_name("SPEC");
  command->add_option("--algorithms", plan.algorithms, "See loa list algorithms; default " + join(plan.algorithms))
      ->type_name("NAME");
  command->add_option("--weights", plan.weights, "For the learned algorithms: a built-in name or a file")
      ->type_name("NAME|FILE");
  command->add_option("--line-search", plan.line_search, "For all algorithms; default each one's own")
      ->type_name("NAME");
  add_count(*command, "--starts", plan.starts, 1,
            "Runs a problem; the first from its own start, the others perturbed as by solve --seed; default 1")
      ->type_name("N");
  add_count(*command, "--seed", arguments->seed, 0, "Of the perturbed starts; default 0")->type_name("S");
  add_number(*command, "--gtol", plan.gtol, Range::kNonNegative, "Stop at |g|_inf <= EPS; default 1e-6")
      ->type_name("EPS");
  add_count(*command, "--max-evaluations", plan.max_evaluations, 1, "At most N evaluations a run; default 3000")
      ->type_name("N");
  add_count(*command, "--jobs", plan.jobs, 1, "Problems to run at the same time; default 1")->type_name("J");
  command->add_option("--out", arguments->out, "Folder for results.csv, traces.csv, convergence.gp, .svg and .png")
      ->type_name("DIR")
      ->required();
  command->add_flag("--json", arguments->json, "Print one JSON object instead of the table");
  command->footer("Exit status 0 when all runs were made, converged or not.");
  command->callback([arguments, &chosen] { chosen = [arguments] { return compare(*arguments); }; });
}

}  // namespace loa::cli
