// loa compare: the table, the files, and that they repeat.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "support/run_program.h"

namespace loa {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

TEST(Compare, WritesItsFiles) {
  const TemporaryFolder folder;
  const ProgramResult result = run_program(
      "compare --problems mgh:wood quadratic:n=10,seed=1 --algorithms bfgs loa-bfgs --out " + folder / "a/b");
  EXPECT_EQ(result.status, 0) << result.err;
  for (const char* text : {"problem", "mgh:wood", "quadratic:n=10,seed=1", "loa-bfgs", "gradient_is_small",
                           "evaluations relative to bfgs"})
    EXPECT_THAT(result.out, HasSubstr(text));
  const std::string results = read_text(folder / "a/b/results.csv"), traces = read_text(folder / "a/b/traces.csv");
  EXPECT_EQ(results.rfind("problem,n,algorithm,start,status,", 0), 0u);
  EXPECT_EQ(std::ranges::count(results, '\n'), 5);
  EXPECT_EQ(traces.rfind("problem,algorithm,start,iteration,evaluations,f,gap,grad_inf_norm,step_size\n", 0), 0u);
  EXPECT_THAT(traces, HasSubstr("\n\"quadratic:n=10,seed=1\",loa-bfgs,0,0,"));
  EXPECT_TRUE(std::filesystem::exists(folder / "a/b/convergence.gp"));
  if (!has_gnuplot()) GTEST_SKIP() << "no gnuplot: the figures were not looked at";
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(read_text(folder / "a/b/convergence.svg"), HasSubstr("</svg>"));
  EXPECT_EQ(read_text(folder / "a/b/convergence.png").rfind("\x89PNG", 0), 0u);
}

TEST(Compare, GivesTheSameTablesTwiceAndWithTwoJobs) {
  const TemporaryFolder folder;
  const std::string common =
      "compare --problems mgh:wood mgh:beale logistic --algorithms bfgs sr1:label=own --starts 3 --seed 5";
  const ProgramResult a = run_program(common + " --jobs 1 --out " + folder / "a");
  const ProgramResult b = run_program(common + " --jobs 2 --out " + folder / "b");
  EXPECT_EQ(a.status, 0);
  EXPECT_EQ(b.status, 0);
  EXPECT_EQ(a.out.substr(0, a.out.find("wrote")), b.out.substr(0, b.out.find("wrote")));
  EXPECT_EQ(read_text(folder / "a/traces.csv"), read_text(folder / "b/traces.csv"));
  EXPECT_EQ(read_text(folder / "a/convergence.gp"), read_text(folder / "b/convergence.gp"));
  for (const char* file : {"results.csv", "gaps.csv", "manifest.json"})
    EXPECT_EQ(read_text(folder / ("a/" + std::string(file))), read_text(folder / ("b/" + std::string(file)))) << file;
  EXPECT_THAT(a.out, HasSubstr("medians over 3 starts"));
}

// Would catch: a comparison that forgets the bounds of a problem, and so finds points below the known minimum.
TEST(Compare, RunsInTheBoundsOfProblems) {
  const TemporaryFolder folder;
  const std::string problem = "box:quadratic,n=10,seed=1";
  const ProgramResult result =
      run_program("compare --json --problems " + problem + " --algorithms bfgs+d l-bfgs+d --out " + folder / "a");
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.err, Not(HasSubstr("wrong optimum")));
  const std::string results = read_text(folder / "a/results.csv");
  EXPECT_EQ(results.find("not_converged"), results.npos);
  for (const std::string algorithm : {"bfgs+d", "l-bfgs+d"}) {
    const json run =
        json::parse(run_program("solve --json --gtol 1e-6 --problem " + problem + " --algorithm " + algorithm).out);
    EXPECT_THAT(results, HasSubstr("," + algorithm + ",0,gradient_is_small,"));
    EXPECT_THAT(results, HasSubstr(fmt::format(",{:.17g},", run["f"].get<double>()))) << algorithm << "\n" << results;
  }
  const ProgramResult refused =
      run_program("compare --problems " + problem + " --algorithms nesterov --out " + folder / "b");
  EXPECT_NE(refused.status, 0);
  EXPECT_THAT(refused.err, HasSubstr(problem));
  EXPECT_THAT(refused.err, HasSubstr("bounds"));
}

TEST(Compare, AnotherSeedGivesOtherStarts) {
  const TemporaryFolder folder;
  const std::string common = "compare --problems mgh:wood --algorithms bfgs --starts 2 --out ";
  run_program(common + folder / "a" + " --seed 1");
  run_program(common + folder / "b" + " --seed 2");
  EXPECT_NE(read_text(folder / "a/traces.csv"), read_text(folder / "b/traces.csv"));
}

TEST(Compare, JsonIsOneObject) {
  const TemporaryFolder folder;
  const ProgramResult result = run_program(
      "compare --json --problems mgh:wood --algorithms bfgs loa-bfgs --weights bfgs-like --max-evaluations 100 --out " +
      folder / "a");
  EXPECT_EQ(result.status, 0);
  const json parsed = json::parse(result.out);
  EXPECT_EQ(parsed["baseline"], "bfgs");
  ASSERT_EQ(parsed["runs"].size(), 2u);
  // LOA-BFGS begins its training as BFGS: these weights are that beginning.
  EXPECT_EQ(parsed["runs"][0]["f"], parsed["runs"][1]["f"]);
  EXPECT_EQ(parsed["relative_evaluations"][1]["ratio"], 1.0);
}

TEST(Compare, TakesSetsAndPrintsTheSummaryAlone) {
  const TemporaryFolder folder;
  const std::string common = "compare --max-evaluations 200 --algorithms bfgs sr1 bfgs+ --starts 2 --summary --out ";
  const ProgramResult all = run_program(common + folder / "a" + " --set named --problems mgh:wood,start=1 mgh:watson");
  EXPECT_EQ(all.status, 0) << all.err;
  EXPECT_EQ(all.out.rfind("\nevaluations relative to bfgs\n", 0), 0u);
  EXPECT_THAT(all.out, HasSubstr("65 problems, 2 starts each"));
  for (const char* text : {"virtual best: 0.", "oracle: ", "wins/ties/losses"}) EXPECT_THAT(all.out, HasSubstr(text));
  EXPECT_THAT(all.out, Not(HasSubstr("mgh:")));
  EXPECT_LE(std::ranges::count(all.out, '\n'), 12);
  const ProgramResult again =
      run_program(common + folder / "b" + " --set named --problems mgh:wood,start=1 mgh:watson");
  EXPECT_EQ(all.out, again.out);
}

TEST(Compare, ComparesAgainstOthersThanTheBaseline) {
  const TemporaryFolder folder;
  const std::string common = "compare --problems mgh:wood mgh:beale --algorithms bfgs sr1 bfgs+ --out " + folder / "a";
  const ProgramResult table = run_program(common + " --summary --against sr1 --against bfgs+");
  for (const char* label : {"relative to bfgs\n", "relative to sr1\n", "relative to bfgs+\n", "oracle: none"})
    EXPECT_THAT(table.out, HasSubstr(label));
  const json parsed = json::parse(run_program(common + " --json --against sr1").out);
  ASSERT_EQ(parsed["relative_evaluations"].size(), 6u);
  const json &there = parsed["relative_evaluations"][1], &back = parsed["relative_evaluations"][3];
  EXPECT_EQ(there["algorithm"], "sr1");
  EXPECT_EQ(there["against"], "bfgs");
  EXPECT_EQ(back["algorithm"], "bfgs");
  EXPECT_EQ(back["against"], "sr1");
  EXPECT_NEAR(there["ratio"].get<double>() * back["ratio"].get<double>(), 1.0, 1e-12);
  EXPECT_LE(there["low"], there["ratio"]);
  EXPECT_GE(there["high"], there["ratio"]);
  EXPECT_EQ(there["wins"], back["losses"]);
  EXPECT_TRUE(parsed["oracle"].is_null()) << "one start";
  EXPECT_EQ(parsed["virtual_best"]["solved"], 2);
  EXPECT_EQ(parsed["virtual_best"]["best"].size(), 3u);
}

TEST(Compare, GoesOnWithoutGnuplot) {
  const TemporaryFolder folder;
  const ProgramResult result =
      run_program("compare --problems mgh:wood --algorithms bfgs --out " + folder / "a", "PATH=/nowhere ");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  EXPECT_THAT(result.err, HasSubstr("gnuplot"));
  EXPECT_TRUE(std::filesystem::exists(folder / "a/results.csv"));
}

TEST(Compare, OddNamesOfFoldersAreFine) {
  const TemporaryFolder folder;
  const ProgramResult result =
      run_program("compare --problems mgh:wood --algorithms bfgs --out \"" + folder / "it's a 'folder'" + "\"");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
}

}  // namespace
}  // namespace loa
