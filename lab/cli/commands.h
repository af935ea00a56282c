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
// `words`: what was typed after the program's name, with_config() applied.
void add_train(CLI::App& app, Command& chosen, const std::vector<std::string>& words);

// `train --config FILE` with the keys of the file as further flags behind those that were typed.
std::vector<std::string> with_config(std::vector<std::string> words);
// The same with the text of the file, whose path is for messages.
std::vector<std::string> with_config_text(std::vector<std::string> words, const std::string& path,
                                          const std::string& text);

}  // namespace loa::cli
