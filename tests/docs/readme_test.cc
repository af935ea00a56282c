// The README and docs show what is there: their C++ listings are the examples that are compiled and run, the README's
// commands work.
//
// Would catch: an example edited in one place only, a renamed command, flag or problem.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "paths.h"
#include "support/run_program.h"
#include "support/shared_run.h"

namespace loa {
namespace {

std::string read(const std::string& path) {
  const std::string text = read_text(std::string(LOA_SOURCE_DIR) + "/" + path);
  EXPECT_FALSE(text.empty()) << path;
  return text;
}

// The text of the first ``` block after `marker`.
std::string block_after(const std::string& text, const std::string& marker) {
  const std::size_t at = text.find(marker);
  if (at == std::string::npos) return "";
  const std::size_t begin = text.find('\n', text.find("```", at)) + 1;
  return text.substr(begin, text.find("```", begin) - begin);
}

TEST(Readme, ListingIsTheExample) {
  EXPECT_EQ(block_after(read("README.md"), "<!-- examples/minimize.cc -->"), read("examples/minimize.cc"));
}

TEST(Extending, ListingIsTheExample) {
  EXPECT_EQ(block_after(read("docs/extending.md"), "<!-- examples/own_algorithm.cc -->"),
            read("examples/own_algorithm.cc"));
}

// The verdicts to the letter; the sizes of round-off, which depend on the compiler, as one sign.
TEST(Principles, TableIsWhatTheProgramPrints) {
  const auto without_numbers = [](const std::string& text) {
    std::istringstream words(text);
    std::string out, previous;
    for (std::string word; words >> word; previous = word)
      out += (previous == "holds" || previous == "tuned" || previous == "fails" ? "#" : word) + "\n";
    return out;
  };
  const ProgramResult result = shared_check();
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  EXPECT_EQ(without_numbers(block_after(read("docs/principles.md"), "<!-- loa check -->")),
            without_numbers("$ loa check\n" + result.out));
}

TEST(Readme, CommandsWork) {
  std::istringstream lines(block_after(read("README.md"), "## On the command line"));
  int num_run = 0;
  for (std::string line; std::getline(lines, line);) {
    line = line.substr(0, line.find('#'));
    ASSERT_EQ(line.rfind("loa ", 0), 0u) << line;
    if (line.find("FILE") != std::string::npos) continue;  // needs the reader's own data
    const TemporaryFolder folder;
    if (const std::size_t at = line.find("DIR"); at != std::string::npos) line.replace(at, 3, folder.string());
    // Two of them take long, and a fixture has run them.
    const std::string arguments = line.substr(4, line.find_last_not_of(' ') - 3);
    const ProgramResult result = arguments == "check"                                ? shared_check()
                                 : arguments.starts_with("reproduce --quick --out ") ? SharedReport().result()
                                                                                     : run_program(arguments);
    EXPECT_EQ(result.status, 0) << line << "\n" << result.err;
    EXPECT_FALSE(result.out.empty()) << line;
    ++num_run;
  }
  EXPECT_GE(num_run, 4);
}

}  // namespace
}  // namespace loa
