// loa compare: problems x algorithms x starts, as a table, CSV files and a picture.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/json.h"
#include "cli/progress.h"
#include "cli/time_left.h"
#include "core/counts.h"
#include "experiment/comparison.h"
#include "experiment/comparison_files.h"
#include "experiment/comparison_summary.h"
#include "experiment/comparison_table.h"
#include "experiment/gnuplot.h"
#include "experiment/problem_sets.h"
#include "experiment/statistics.h"
#include "files/file_lock.h"
#include "loa/threads.h"

namespace loa::cli {
namespace {

struct CompareArguments {
  ComparisonPlan plan;
  std::int64_t seed = 0;
  std::string out;
  bool has_problems = false;  // --problems was given
  std::vector<std::string> sets;
  bool fresh = false;
  bool summary = false;
  bool json = false;
};

Json run_as_json(const Comparison& comparison, const ComparedRun& run) {
  const ComparedProblem& problem = comparison.problems[run.problem];
  return {{"problem", problem.name},
          {"n", problem.n},
          {"algorithm", comparison.labels[run.algorithm]},
          {"start", run.start},
          {"status", run.reached_gap ? "gap_is_small" : std::string(name(run.status))},
          {"solved", run.solved},
          {"f", run.f},
          {"gap", run.gap},
          {"minimum_is_known", problem.reference_is_known},
          {"grad_inf_norm", run.grad_inf_norm},
          {"iterations", run.iterations},
          {"evaluations", counts_json<Json>(run.evaluations)},
          {"fallbacks", counts_json<Json>(run.fallbacks)},
          {"seconds", run.seconds}};
}

// summary.json and the runs.
Json as_json(const Comparison& comparison, const std::vector<std::string>& files) {
  Json json = Json::parse(summary_json(comparison));
  Json runs = Json::array();
  for (const ComparedRun& run : comparison.runs) runs.push_back(run_as_json(comparison, run));
  json["runs"] = runs;
  json["files"] = files;
  return json;
}

void make_folder(const std::string& out) {
  std::error_code error;
  std::filesystem::create_directories(out, error);
  if (out.empty() || !std::filesystem::is_directory(out))
    throw Mistake(fmt::format("--out: found {}, expected a folder or a name for a new one{}", quote(out),
                              error ? " (" + error.message() + ")" : ""));
}

// Draws a script of the folder and adds the files to the list. Returns false, having said why, when that is not
// possible.
bool draw_in(const std::filesystem::path& out, const std::string& name, const std::vector<std::string>& endings,
             std::vector<std::string>& files) {
  std::string error;
  const Drawing drawing = draw(out.string(), name + ".gp", error);
  if (drawing == Drawing::kNoGnuplot)
    fmt::print(stderr, "loa: no figure was drawn: expected gnuplot, found none; {}.gp draws it later\n", name);
  if (drawing == Drawing::kFailed) fmt::print(stderr, "loa: no figure was drawn: gnuplot says: {}\n", error);
  if (drawing != Drawing::kDone) return false;
  for (const std::string& ending : endings) files.push_back((out / (name + ending)).string());
  return true;
}

// Writes the tables and the scripts of the figures, and draws them; returns the names of the files.
std::vector<std::string> write_files(const Comparison& comparison, const std::filesystem::path& out, bool draws) {
  std::vector<std::string> names, files;
  refuse_if(write_comparison(comparison, out.string(), names));
  for (const auto& [name, figure] : {std::pair{"convergence", make_band_figure(convergence_figure(comparison))},
                                     std::pair{"profiles", make_profile_figure(profile_figure(comparison))}}) {
    for (const auto& [ending, text] : {std::pair{".csv", figure.csv}, std::pair{".gp", figure.script}}) {
      names.push_back(std::string(name) + ending);
      refuse_if(write_file((out / names.back()).string(), text));
    }
  }
  for (const std::string& file : names) files.push_back((out / file).string());
  if (draws && draw_in(out, "convergence", {".svg", ".png", "-narrow.svg"}, files))
    draw_in(out, "profiles", {".svg", ".pdf"}, files);
  return files;
}

std::string set_names() {
  std::vector<std::string> names;
  for (const NamedProblemSet& set : problem_sets()) names.push_back(set.name);
  return join(names);
}

// One value each time the flag is given.
CLI::Option* add_list(CLI::App& app, const std::string& flag, std::vector<std::string>& list, const std::string& help) {
  return app.add_option(flag, list, help)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

ExitStatus compare(CompareArguments& arguments) {
  make_folder(arguments.out);
  FileLock lock;
  lock_folder("--out", arguments.out, lock);
  for (const char* file : {"results.csv", "traces.csv", "summary.json", "convergence.gp"})
    require_writable("--out", (std::filesystem::path(arguments.out) / file).string());
  if (!arguments.sets.empty() && !arguments.has_problems) arguments.plan.problems.clear();
  for (const std::string& set : arguments.sets) {
    if (const Error error = add_problem_set(set, arguments.plan.problems)) throw Mistake("--set: " + error.message());
  }
  arguments.plan.seed = static_cast<std::uint64_t>(arguments.seed);
  arguments.plan.cache = (std::filesystem::path(arguments.out) / "runs").string();
  if (arguments.fresh) std::filesystem::remove_all(arguments.plan.cache);
  for (const std::string& folder : {arguments.out, arguments.plan.cache}) sweep_folder(folder);
  ProgressLine line;
  catch_interrupts();
  const Clock clock;
  TimeLeft left;
  const auto observe = [&](const ComparisonProgress& progress) {
    if (line.is_due()) {
      const double fraction = static_cast<double>(progress.done) / static_cast<double>(progress.total);
      line.show(fmt::format("{} {}/{}{}  {} on {}", bar(progress.done, progress.total), progress.done, progress.total,
                            left.after(fraction, clock.seconds()), progress.algorithm, printable(progress.problem)));
    }
    return interrupted() ? Continue::kNo : Continue::kYes;
  };
  Comparison comparison;
  refuse_if(run_comparison(arguments.plan, observe, comparison));
  line.clear();
  const std::vector<std::string> files = write_files(comparison, arguments.out, !arguments.summary);
  if (arguments.json) {
    print(as_json(comparison, files));
  } else if (arguments.summary) {
    fmt::print("{}", comparison_summary(comparison));
  } else {
    fmt::print("{}\nwrote {}\n", comparison_table(comparison), printable(join(files)));
  }
  for (const std::string& text : comparison.below_optimum) fmt::print(stderr, "loa: wrong optimum: {}\n", text);
  return comparison.interrupted || !comparison.below_optimum.empty() ? kNotConverged : kGood;
}

}  // namespace

void add_compare(CLI::App& app, Command& chosen) {
  const auto arguments = std::make_shared<CompareArguments>();
  ComparisonPlan& plan = arguments->plan;
  plan.jobs = num_threads();
  CLI::App* command = app.add_subcommand("compare", "Run algorithms on problems and compare their evaluations");
  CLI::Option* problems =
      command->add_option("--problems", plan.problems, "Specs as for solve; default " + join(plan.problems))
          ->type_name("SPEC");
  add_list(*command, "--set", arguments->sets, "Problems of a set, besides --problems: " + set_names())
      ->type_name("NAME");
  command
      ->add_option("--algorithms", plan.algorithms,
                   "NAME or NAME:key=value,... with the keys weights, line-search, safeguard, step (1/L, tuned), "
                   "momentum, memory, "
                   "label; default " +
                       join(plan.algorithms))
      ->type_name("SPEC");
  command->add_option("--weights", plan.weights, "For the learned algorithms: a built-in name or a file")
      ->type_name("NAME|FILE");
  command->add_option("--line-search", plan.line_search, "For all algorithms; default each one's own")
      ->type_name("NAME");
  add_count(*command, "--starts", plan.starts, 1,
            "Runs a problem; the first from its own start, the others perturbed as by solve --seed; default 1")
      ->type_name("N");
  add_count(*command, "--seed", arguments->seed, 0, "Of the perturbed starts; default 0")->type_name("S");
  add_list(*command, "--against", plan.against,
           "Compare all algorithms with the one of this label as well; may be repeated; default the baseline alone")
      ->type_name("LABEL");
  add_number(*command, "--gtol", plan.gtol, Range::kNonNegative, "Stop at |g|_inf <= EPS; default 1e-6")
      ->type_name("EPS");
  add_count(*command, "--max-evaluations", plan.max_evaluations, 1, "At most N evaluations a run; default 3000")
      ->type_name("N");
  command->add_flag("--random-starts", plan.random_starts, "All starts are the paper's U(0,1) N(0,I)");
  command->add_option("--first-step", plan.first_step, "From x_{-1} to x_0: a number, or 1/(2L)")->type_name("VALUE");
  add_number(*command, "--gap", plan.gap, Range::kBelowOne,
             "Stop at this relative gap to the optimum; default 0, never")
      ->type_name("EPS");
  add_count(*command, "--iterations", plan.max_iterations, 1, "At most K iterations a run")->type_name("K");
  add_count(*command, "--jobs", plan.jobs, 1, "Runs at the same time; default all cores")->type_name("J");
  command->add_flag("--fresh", arguments->fresh, "Make all runs again, also those that an earlier call has finished");
  command
      ->add_option("--out", arguments->out,
                   "Folder for the tables, the figure, and the finished runs from which a second call goes on")
      ->type_name("DIR")
      ->required();
  CLI::Option* json = command->add_flag("--json", arguments->json, "Print one JSON object instead of the table");
  command
      ->add_flag("--summary", arguments->summary,
                 "Print only the end of the table, the statistics over all problems, and draw nothing")
      ->excludes(json);
  command->footer(
      "Exit status 0 when all runs were made, converged or not; 1 when interrupted or when a run found less than the\n"
      "optimum, which is then wrong.");
  command->callback([arguments, problems, &chosen] {
    arguments->has_problems = problems->count() > 0;
    chosen = [arguments] { return compare(*arguments); };
  });
}

}  // namespace loa::cli
