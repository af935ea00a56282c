#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "fuzz/target.h"

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
  loa::cli::add_list(app, chosen);
  loa::cli::add_solve(app, chosen);
  loa::cli::add_compare(app, chosen);
  loa::cli::add_reproduce(app, chosen);
  loa::cli::add_weights(app, chosen);
  loa::cli::add_train(app, chosen, words);
  loa::cli::add_check(app, chosen);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    return true;
  } catch (const CLI::Error&) {
    return false;
  } catch (const loa::cli::Mistake&) {
    return false;
  }
}
