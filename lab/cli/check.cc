// loa check: the paper's Table 1, measured.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/json.h"
#include "cli/progress.h"
#include "experiment/landscape_figure.h"
#include "experiment/principle_table.h"
#include "loa/principle.h"
#include "loa/threads.h"

namespace loa::cli {
namespace {

struct CheckArguments {
  std::vector<std::string> algorithms;  // empty: all of them
  std::string weights;
  std::string landscape;
  std::int64_t iterations = PrincipleOptions().iterations;
  std::int64_t seed = 0;
  std::int64_t jobs = num_threads();
  bool bounds = false;
  bool verbose = false;
  bool json = false;
};

std::vector<CheckedAlgorithm> chosen_algorithms(const CheckArguments& arguments) {
  std::vector<std::string> known, wanted = arguments.algorithms;
  for (const AlgorithmInfo& info : algorithms())
    if (!arguments.bounds || takes_bounds(checked_algorithm(info.name))) known.push_back(info.name);
  if (wanted.empty()) wanted = known;
  std::vector<CheckedAlgorithm> result;
  bool any_learned = false;
  for (const std::string& typed : wanted) {
    const std::string name = lower_case(typed);
    const auto info = std::ranges::find(algorithms(), name, &AlgorithmInfo::name);
    if (std::ranges::find(known, name) == known.end())
      throw Mistake(fmt::format("--algorithms: found {}, expected {}one of {}{}", quote(typed),
                                arguments.bounds ? "with --bounds " : "", join(known), suggestion(name, known)));
    any_learned = any_learned || info->learned;
    result.push_back(checked_algorithm(name, info->learned ? arguments.weights : ""));
  }
  if (!arguments.weights.empty() && !any_learned)
    throw Mistake(
        fmt::format("--weights: found {}, expected a learned algorithm in --algorithms", quote(arguments.weights)));
  return result;
}

Json as_json(const std::vector<PrincipleRow>& rows) {
  Json list = Json::array();
  for (const PrincipleRow& row : rows) {
    Json json = {{"algorithm", row.algorithm}};
    for (const Principle principle : kPrinciples) {
      const PrincipleCell& cell = row.at(principle);
      json[std::string(name(principle))] = {{"verdict", cell.is_asked ? name(cell.verdict) : "none"},
                                            {"deviation", cell.deviation},
                                            {"claimed", name(cell.claimed)}};
    }
    list.push_back(json);
  }
  return {{"rows", list}};
}

ExitStatus draw_landscape_file(const CheckArguments& arguments) {
  if (std::filesystem::path(arguments.landscape).extension() != ".svg")
    throw Mistake(fmt::format("--landscape: found {}, expected the name of a file that ends in .svg",
                              quote(arguments.landscape)));
  require_writable("--landscape", arguments.landscape);
  refuse_if(draw_landscape(arguments.landscape));
  fmt::print("wrote {}\n", printable(arguments.landscape));
  return kGood;
}

ExitStatus check(const CheckArguments& arguments) {
  if (!arguments.landscape.empty()) return draw_landscape_file(arguments);
  const std::vector<CheckedAlgorithm> chosen = chosen_algorithms(arguments);
  PrincipleOptions options;
  if (arguments.bounds) options.problems = bounded_check_problems();
  options.iterations = arguments.iterations;
  options.seed = static_cast<std::uint64_t>(arguments.seed);
  options.jobs = static_cast<int>(arguments.jobs);
  ProgressLine line;
  options.observer = [&line](std::size_t done, std::size_t total) {
    if (line.is_due()) line.show(fmt::format("{} {}/{}", bar(done, total), done, total));
  };
  const std::vector<PrincipleRow> rows = check_principles(chosen, options);
  line.clear();
  if (arguments.json)
    print(as_json(rows));
  else
    fmt::print("{}{}", arguments.verbose ? principle_details(rows) + "\n" : "", principle_table(rows));
  return std::ranges::all_of(rows, &PrincipleRow::as_claimed) ? kGood : kNotAsClaimed;
}

}  // namespace

void add_check(CLI::App& app, Command& chosen) {
  const auto arguments = std::make_shared<CheckArguments>();
  CLI::App* command = app.add_subcommand("check", "Measure which principles the algorithms obey: the paper's Table 1");
  command->add_option("--algorithms", arguments->algorithms, "See loa list algorithms; default all")->type_name("NAME");
  command->add_option("--weights", arguments->weights, "For the learned algorithms: a built-in name or a file")
      ->type_name("NAME|FILE");
  command->add_flag("--bounds", arguments->bounds,
                    "On problems with bounds on the variables, which move along with x; algorithms default to those "
                    "that take bounds");
  add_count(*command, "--iterations", arguments->iterations, 1, "Iterations a run; default 20")->type_name("K");
  add_count(*command, "--seed", arguments->seed, 0, "Of the random transformations; default 0")->type_name("S");
  add_count(*command, "--jobs", arguments->jobs, 1, "Threads; default all cores, the result does not depend on it")
      ->type_name("J");
  command->add_flag("--verbose", arguments->verbose, "Say what was compared and at which iteration a cell breaks");
  command->add_flag("--json", arguments->json, "Print one JSON object instead of the table");
  CLI::Option* landscape = command->add_option("--landscape", arguments->landscape,
                                               "Draw the paper's Figure 1 into this file instead of checking");
  landscape->type_name("FILE.svg");
  for (const char* other :
       {"--algorithms", "--weights", "--bounds", "--iterations", "--seed", "--jobs", "--verbose", "--json"})
    landscape->excludes(command->get_option(other));
  command->footer(
      "Marks: holds, tuned (holds after gamma -> lambda^p gamma, p is found), fails; then the largest deviation.\n"
      "Exit status 1 when an algorithm does not have what its registry entry claims.");
  command->callback([arguments, &chosen] { chosen = [arguments] { return check(*arguments); }; });
}

}  // namespace loa::cli
