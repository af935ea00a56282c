// loa list: the names that the other commands understand.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/json.h"
#include "experiment/problem_sets.h"
#include "loa/lab.h"

namespace loa::cli {
namespace {

struct ListArguments {
  std::string kind;  // empty: all of them
  bool json = false;
};

const std::vector<std::string> kKinds = {"algorithms", "problems", "line-searches", "weights", "sets"};

Json list_as_json(const std::string& kind) {
  Json list = Json::array();
  if (kind == "algorithms")
    for (const AlgorithmInfo& info : algorithms())
      list.push_back({{"name", info.name},
                      {"description", info.description},
                      {"line_search", info.line_search},
                      {"learned", info.learned},
                      {"needs_hessian", info.needs_hessian},
                      {"limited_memory", info.limited_memory}});
  if (kind == "problems")
    for (const ProblemInfo& info : problems()) list.push_back({{"name", info.name}, {"description", info.description}});
  if (kind == "line-searches")
    for (const LineSearchInfo& info : line_searches())
      list.push_back({{"name", info.name}, {"description", info.description}});
  if (kind == "weights")
    for (const WeightsInfo& info : builtin_weights())
      list.push_back({{"name", info.name}, {"algorithm", info.algorithm}, {"description", info.description}});
  if (kind == "sets")
    for (const NamedProblemSet& set : problem_sets())
      list.push_back({{"name", set.name}, {"description", set.description}, {"problems", set.specs()}});
  return list;
}

// What is worth knowing besides the description.
std::string remark(const Json& entry) {
  std::string text;
  if (entry.contains("line_search")) text += fmt::format("; line search {}", entry["line_search"].get<std::string>());
  if (entry.value("learned", false)) text += "; takes weights";
  if (entry.value("needs_hessian", false)) text += "; needs a Hessian";
  if (entry.contains("algorithm")) text += fmt::format("; for {}", entry["algorithm"].get<std::string>());
  return text;
}

void print_list(const std::string& kind) {
  const Json list = list_as_json(kind);
  std::size_t width = 0;
  for (const Json& entry : list) width = std::max(width, entry["name"].get<std::string>().size());
  fmt::print("{}\n", kind);
  for (const Json& entry : list)
    fmt::print("  {:<{}}  {}{}\n", entry["name"].get<std::string>(), width, entry["description"].get<std::string>(),
               remark(entry));
}

ExitStatus list(const ListArguments& arguments) {
  if (!arguments.kind.empty() && std::ranges::count(kKinds, arguments.kind) == 0)
    throw Mistake("list: found " + quote(arguments.kind) + ", expected one of " + join(kKinds) +
                  suggestion(arguments.kind, kKinds));
  const std::vector<std::string> kinds = arguments.kind.empty() ? kKinds : std::vector{arguments.kind};
  if (arguments.json) {
    Json json = Json::object();
    for (const std::string& kind : kinds) json[kind] = list_as_json(kind);
    print(json);
    return kGood;
  }
  for (const std::string& kind : kinds) {
    if (kind != kinds.front()) fmt::print("\n");
    print_list(kind);
  }
  return kGood;
}

}  // namespace

void add_list(CLI::App& app, Command& chosen) {
  const auto arguments = std::make_shared<ListArguments>();
  CLI::App* command =
      app.add_subcommand("list", "Show the algorithms, problems, line searches, weights and problem sets there are");
  command->add_option("kind", arguments->kind, "algorithms, problems, line-searches, weights or sets; all without it");
  command->add_flag("--json", arguments->json, "Print one JSON object");
  command->callback([arguments, &chosen] { chosen = [arguments] { return list(*arguments); }; });
}

}  // namespace loa::cli
