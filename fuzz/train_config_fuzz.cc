#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "fuzz/target.h"

// Parses the options of `loa train --config`.
LOA_FUZZ_TARGET(train_config) {
  CLI::App app;
  loa::cli::Command chosen;
  loa::cli::add_train(app, chosen);
  try {
    loa::cli::read_train_config("file", std::string(bytes), *app.get_subcommand("train"));
    return true;
  } catch (const CLI::Error&) {  // a value that is no value of its flag
    return false;
  } catch (const loa::cli::Mistake& mistake) {
    loa::fuzz::require(std::string(mistake.what()).starts_with("file: "), "a mistake that names the file",
                       mistake.what());
    return false;
  }
}
