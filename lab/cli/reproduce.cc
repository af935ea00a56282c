// loa reproduce: the paper's figures and tables, made again, and a report.
#include "experiment/reproduce.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
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
#include "files/file_lock.h"
#include "loa/threads.h"

namespace loa::cli {
namespace {

struct ReproduceArguments {
  ReproduceOptions options;
  bool json = false;
};

// `text` in lines of at most `width` letters, each after the first behind `indent` blanks.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::string out;
  std::size_t length = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    const bool fits = length == 0 || length + 1 + letters(word) <= width;
    if (!fits) out += "\n" + std::string(indent, ' ');
    if (fits && length > 0) out += " ";
    length = (fits && length > 0 ? length + 1 : 0) + letters(word);
    out += word;
    at = end + 1;
  }
  return out;
}

// The claims of the paper, then the others, then what the report opens with: the last line of `make run` is the result.
std::string as_table(const Report& report) {
  constexpr std::size_t kLineWidth = 110;
  std::size_t width = 10;
  for (const ReportSection& section : report.sections) width = std::max(width, section.id.size());
  std::string text;
  for (const bool of_paper : {true, false}) {
    bool is_first = true;
    for (const ReportSection& section : report.sections) {
      if (section.is_of_paper != of_paper || section.opens) continue;
      if (is_first)
        text += fmt::format("{}{:<{}}  {}\n", text.empty() ? "" : "\n", "experiment", width,
                            of_paper ? "whether the paper's claim holds, and what was found"
                                     : "beyond the paper: whether this project's claim holds");
      is_first = false;
      const std::string found = !section.skipped.empty()
                                    ? "skipped: " + section.skipped
                                    : fmt::format("{}{}{}", verdict_name(section.verdict),
                                                  section.finding.empty() ? "" : ": ", section.finding);
      text += fmt::format("{:<{}}  {}\n", section.id, width, wrapped(found, width + 2, kLineWidth - width - 2));
    }
  }
  for (const std::string& paragraph : report.summary) text += "\n" + paragraph + "\n";
  return text;
}

Json as_json(const Report& report, const std::string& path) {
  Json sections = Json::array();
  for (const ReportSection& section : report.sections)
    sections.push_back({{"id", section.id},
                        {"title", section.title},
                        {"verdict", verdict_name(section.verdict)},
                        {"finding", section.finding},
                        {"skipped", section.skipped},
                        {"figures", section.figures}});
  return {{"report", path}, {"headline", report.headline}, {"summary", report.summary}, {"experiments", sections}};
}

// "[#####...........] 3 of 9 experiments, about 40 s left of quadratics-500 140/200"
std::string text_of(const ReproduceProgress& progress, TimeLeft& left, double seconds) {
  const double fraction =
      progress.total > 0 ? static_cast<double>(progress.done) / static_cast<double>(progress.total) : 0.0;
  constexpr std::size_t kBarWidth = 16, kParts = 1000;  // parts of an experiment
  const std::size_t done = (progress.experiment - 1) * kParts + static_cast<std::size_t>(fraction * kParts);
  const std::string time = left.after(fraction, seconds);
  return fmt::format("{} {} of {} experiments,{} {} {}/{}", bar(done, progress.experiments * kParts, kBarWidth),
                     progress.experiment, progress.experiments, time.empty() ? "" : time + " of", progress.id,
                     progress.done, progress.total);
}

ExitStatus run_reproduce(ReproduceArguments& arguments) {
  ReproduceOptions& options = arguments.options;
  std::error_code error;
  std::filesystem::create_directories(options.out, error);
  if (options.out.empty() || !std::filesystem::is_directory(options.out))
    throw Mistake(fmt::format("--out: found {}, expected a folder or a name for a new one", quote(options.out)));
  const std::string report_path = (std::filesystem::path(options.out) / "report.html").string();
  FileLock lock;
  lock_folder("--out", options.out, lock);
  require_writable("--out", report_path);
  sweep_folder(options.out);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(options.out, error))
    if (entry.is_directory(error)) sweep_folder(entry.path().string());
  if (!options.folders.data.empty() && !std::filesystem::is_directory(options.folders.data))
    throw Mistake(fmt::format("--data: found {}, expected a folder", quote(options.folders.data)));
  if (!options.folders.published.empty() && !std::filesystem::exists(options.folders.published))
    throw Mistake(fmt::format("--published: found {}, expected a file", quote(options.folders.published)));

  options.invocation = "loa reproduce";
  if (options.folders.quick) options.invocation += " --quick";
  if (!options.folders.data.empty()) options.invocation += " --data DIR";
  if (!options.folders.published.empty()) options.invocation += " --published FILE";
  options.invocation += " --out DIR";

  ProgressLine line;
  catch_interrupts();
  const Clock clock;
  TimeLeft left;
  std::size_t current = 0;
  const auto observe = [&](const ReproduceProgress& progress) {
    // Experiments differ in length from a second to minutes, which nobody knows before: the time is that of the current
    // one, the bar is of all.
    if (progress.experiment != current) left = {};
    current = progress.experiment;
    if (line.is_due()) line.show(text_of(progress, left, clock.seconds()));
    return interrupted() ? Continue::kNo : Continue::kYes;
  };
  Report report;
  bool stopped = false;
  refuse_if(reproduce(options, observe, report, stopped));
  line.clear();
  if (arguments.json)
    print(as_json(report, report_path));
  else
    fmt::print("{}\nClaims, figures and tables are in the report: {}\n{}", as_table(report), printable(report_path),
               report.headline.empty() ? "" : report.headline + "\n");
  return stopped ? kNotConverged : kGood;
}

}  // namespace

void add_reproduce(CLI::App& app, Command& chosen) {
  const auto arguments = std::make_shared<ReproduceArguments>();
  ReproduceOptions& options = arguments->options;
  options.jobs = num_threads();
  CLI::App* command = app.add_subcommand("reproduce", "Make the paper's figures and tables again, with a report");
  command
      ->add_option("--out", options.out, "Folder for report.html, the figures and tables; a second call goes on there")
      ->type_name("DIR")
      ->required();
  command->add_flag("--quick", options.folders.quick, "Fewer problems, starts and iterations, no data: under a minute");
  command->add_option("--only", options.only, "Experiments: " + join(experiment_ids()))->type_name("NAME");
  command->add_option("--data", options.folders.data, "Folder with the data sets, see tools/get-data")
      ->type_name("DIR");
  command->add_option("--published", options.folders.published, "The weights published with the paper")
      ->type_name("FILE");
  add_count(*command, "--jobs", options.jobs, 1, "Runs at the same time; default all cores")->type_name("J");
  command->add_flag("--json", arguments->json, "Print one JSON object instead of the table");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run_reproduce(*arguments); }; });
}

}  // namespace loa::cli
