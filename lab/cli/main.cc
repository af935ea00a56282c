// loa, the program: chooses a command, and turns every mistake into one line and exit status 2.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "cli/commands.h"
#include "loa/version.h"

namespace loa::cli {
namespace {

// The text on one line: runs of white space become a blank.
std::string one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!blank)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  if (!line.empty() && line.back() == ' ') line.pop_back();
  return printable(line);
}

ExitStatus complain(const std::string& what) {
  fmt::print(stderr, "loa: {}\n", one_line(what));
  return kMistake;
}

// The parser's own complaints, with the place to look up what was expected.
std::string parser_complaint(const CLI::App& app, const CLI::ParseError& error) {
  std::string path = "loa";
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    path += " " + command->get_name();
  }
  const std::vector<std::string> extra = command->remaining();
  std::vector<std::string> known;
  for (const CLI::App* inner : command->get_subcommands({})) known.push_back(inner->get_name());
  if (extra.empty()) {
    if (!known.empty()) return "found no command after " + path + ", expected one of " + join(known);
    const std::string what = error.what();
    // "Could not convert: --epochs = abc"
    constexpr std::string_view kNoNumber = "Could not convert: ", kIs = " = ";
    if (const std::size_t is = what.find(kIs); what.starts_with(kNoNumber) && is != std::string::npos)
      return what.substr(kNoNumber.size(), is - kNoNumber.size()) + ": found " + quote(what.substr(is + kIs.size())) +
             ", expected a number";
    const bool says_what = what.find("expected") != std::string::npos;
    return says_what ? what : what + " (" + path + " --help says what is expected)";
  }
  if (!known.empty() && !extra.front().starts_with("-"))
    return "found " + quote(extra.front()) + ", expected one of " + join(known) + suggestion(extra.front(), known);
  for (const CLI::Option* option : command->get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  return "found " + quote(extra.front()) + ", expected what " + path + " --help lists" +
         suggestion(extra.front(), known);
}

// The parser takes a word that is no command for an argument of none, and complains about the missing command.
void check_command(const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  const std::string found = argc > 1 ? argv[1] : "";
  const bool is_flag = found == "-h" || found == "--help" || found == "--version";
  if (!is_flag && std::ranges::count(names, found) == 0)
    throw Mistake((argc > 1 ? "found " + quote(found) : "found no command") + ", expected one of " + join(names) +
                  suggestion(found, names));
}

ExitStatus run(int argc, char** argv) {
  CLI::App app("Minimizes smooth functions with classical and learned optimization algorithms.", "loa");
  app.set_version_flag("--version", LOA_VERSION, "Print the version and exit");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 good, 1 a run did not converge or a check failed, 2 a mistake in the arguments or a file.\n"
      "Each command has its own --help.");
  Command chosen;
  add_list(app, chosen);
  add_solve(app, chosen);
  add_compare(app, chosen);
  add_reproduce(app, chosen);
  add_weights(app, chosen);
  add_train(app, chosen);
  add_check(app, chosen);
  check_command(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help) == 0 ? kGood : kMistake;
  } catch (const CLI::ParseError& error) {
    return complain(parser_complaint(app, error));
  }
  const ExitStatus status = chosen();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    return complain("standard output: could not be written, expected a file or pipe with room");
  return status;
}

}  // namespace
}  // namespace loa::cli

int main(int argc, char** argv) {
  try {
    return loa::cli::run(argc, argv);
  } catch (const std::bad_alloc&) {
    return loa::cli::complain("found too little memory for a problem of this size, expected a smaller one");
  } catch (const std::exception& exception) {
    return loa::cli::complain(exception.what());
  }
}
