// loa list, --help and --version.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "loa/lab.h"
#include "paths.h"
#include "support/run_program.h"

namespace loa {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

std::vector<std::string> listed_keys(const json& object) {
  std::vector<std::string> names;
  for (const auto& [key, value] : object.items()) names.push_back(key);
  return names;
}

TEST(List, NamesEverythingThatTheLibraryHas) {
  const ProgramResult result = run_program("list");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  for (const AlgorithmInfo& info : algorithms()) EXPECT_THAT(result.out, HasSubstr("  " + info.name));
  for (const ProblemInfo& info : problems()) EXPECT_THAT(result.out, HasSubstr("  " + info.name));
  for (const LineSearchInfo& info : line_searches()) EXPECT_THAT(result.out, HasSubstr("  " + info.name));
  for (const WeightsInfo& info : builtin_weights()) EXPECT_THAT(result.out, HasSubstr("  " + info.name));
}

TEST(List, ShowsOneKind) {
  const ProgramResult result = run_program("list line-searches");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out.rfind("line-searches\n", 0), 0u);
  EXPECT_EQ(result.out.find("rosenbrock"), std::string::npos);
}

TEST(List, JsonHasTheFiveKinds) {
  const ProgramResult result = run_program("list --json");
  EXPECT_EQ(result.status, 0);
  const json parsed = json::parse(result.out);
  EXPECT_THAT(listed_keys(parsed), UnorderedElementsAre("algorithms", "problems", "line-searches", "weights", "sets"));
  EXPECT_THAT(listed_keys(parsed["sets"][0]), UnorderedElementsAre("name", "description", "problems"));
  EXPECT_EQ(parsed["algorithms"].size(), algorithms().size());
  EXPECT_EQ(parsed["problems"].size(), problems().size());
  EXPECT_THAT(listed_keys(parsed["algorithms"][0]),
              UnorderedElementsAre("name", "description", "line_search", "learned", "needs_hessian", "limited_memory"));
}

TEST(List, JsonOfOneKindHasThatKindOnly) {
  const ProgramResult result = run_program("list weights --json");
  EXPECT_THAT(listed_keys(json::parse(result.out)), UnorderedElementsAre("weights"));
}

TEST(Program, HelpAndVersionGoToStandardOutput) {
  for (const char* arguments : {"--help", "solve --help", "compare --help", "weights --help", "weights show --help"}) {
    const ProgramResult result = run_program(arguments);
    EXPECT_EQ(result.status, 0) << arguments;
    EXPECT_THAT(result.out, HasSubstr("Usage")) << arguments;
    EXPECT_EQ(result.err, "") << arguments;
  }
  EXPECT_EQ(run_program("--version").out, LOA_VERSION "\n");
}

TEST(Program, StandardOutputThatIsFullIsAMistake) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full here";
  const int status = std::system("'" LOA_PROGRAM "' list >/dev/full 2>/dev/null");
  EXPECT_EQ(WEXITSTATUS(status), 2);
}

}  // namespace
}  // namespace loa
