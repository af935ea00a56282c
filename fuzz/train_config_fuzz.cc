#include "cli/commands.h"
#include "fuzz/target.h"

// Parses the options of `loa train --config`.
LOA_FUZZ_TARGET(train_config) {
  try {
    loa::cli::with_config_text({"train", "--epochs", "3"}, "file", std::string(bytes));
    return true;
  } catch (const loa::cli::Mistake& mistake) {
    loa::fuzz::require(std::string(mistake.what()).starts_with("file: "), "a mistake that names the file",
                       mistake.what());
    return false;
  }
}
