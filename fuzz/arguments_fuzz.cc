#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "fuzz/target.h"

namespace loa::fuzz {
namespace {

// Only the command that is named: adding all of them takes most of the time.
void add_command(const std::vector<std::string>& words, CLI::App& app, cli::Command& chosen) {
  const std::string& name = words.front();
  if (name == "list") cli::add_list(app, chosen);
  if (name == "solve") cli::add_solve(app, chosen);
  if (name == "compare") cli::add_compare(app, chosen);
  if (name == "reproduce") cli::add_reproduce(app, chosen);
  if (name == "weights") cli::add_weights(app, chosen);
  if (name == "train") cli::add_train(app, chosen);
  if (name == "check") cli::add_check(app, chosen);
}

}  // namespace
}  // namespace loa::fuzz

// Parses the arguments of the program, one word a line, without running the command.
LOA_FUZZ_TARGET(arguments) {
  std::vector<std::string> words(1);
  for (const char c : bytes) {
    if (c == '\n')
      words.emplace_back();
    else
      words.back() += c;
  }
  CLI::App app("", "loa");
  app.require_subcommand(1);
  loa::cli::Command chosen;
  loa::fuzz::add_command(words, app, chosen);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    return true;
  } catch (const CLI::Error&) {
    return false;
  } catch (const loa::cli::Mistake&) {
    return false;
  }
}
