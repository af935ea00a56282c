// The commands of the program, and how they end.
//
// Each command is one file with one function that adds it to the parser. Parsing fills its arguments and leaves the
// work in `chosen`; main() runs it and turns exceptions into an exit status.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "loa/error.h"

namespace CLI {
class App;
}

namespace loa::cli {

enum ExitStatus : int { kGood = 0, kNotConverged = 1, kNotAsClaimed = 1, kMistake = 2 };

// A mistake in the arguments or a file. main() prints it as one line on standard error and exits with 2.
class Mistake : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline void refuse_if(const Error& error) {
  if (error) throw Mistake(error.message());
}

using Command = std::function<ExitStatus()>;

void add_list(CLI::App& app, Command& chosen);
void add_solve(CLI::App& app, Command& chosen);
void add_compare(CLI::App& app, Command& chosen);
void add_reproduce(CLI::App& app, Command& chosen);
void add_check(CLI::App& app, Command& chosen);
void add_weights(CLI::App& app, Command& chosen);
void add_train(CLI::App& app, Command& chosen);
// Lays the text of a configuration file under what was typed for `loa train`.
void read_train_config(const std::string& path, const std::string& text, CLI::App& command);

}  // namespace loa::cli
