// loa reproduce: figures, tables and the report; that it repeats, and that it goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/run_program.h"
#include "support/shared_run.h"

namespace loa {
namespace {

using nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;

TEST(Reproduce, MakesFiguresTablesAndAReportInTheQuickReport) {
  if (!has_gnuplot()) GTEST_SKIP() << "no gnuplot";
  const SharedReport report;
  ASSERT_EQ(report.result().status, 0) << report.result().err;
  EXPECT_THAT(report.result().out, ContainsRegex("quadratics-test +holds"));
  EXPECT_THAT(report.result().out, HasSubstr("report: "));
  // The last line is the result.
  EXPECT_THAT(report.result().out,
              ContainsRegex("\nbfgs[+]d, the default, took 0[.][0-9]+ of BFGS's evaluations, 0[.][0-9]+ of SR1's and "
                            "0[.][0-9]+ of L-BFGS's on 64 problems\n$"));
  for (const char* file : {"report.html", "quadratics-test.svg", "quadratics-test.pdf", "quadratics-test-pairs.svg",
                           "quadratics-test/traces.csv", "quadratics-test/gaps.csv", "quadratics-test/manifest.json"})
    EXPECT_TRUE(std::filesystem::exists(report / file)) << file;
  const std::string html = read_text(report / "report.html");
  EXPECT_THAT(html, HasSubstr("loa reproduce --quick --out DIR --only quadratics-test"));
  EXPECT_THAT(html, HasSubstr("On test problems from the same distribution"));
}

// landscape.pdf was an SVG once.
TEST(Reproduce, PicturesAreWhatTheirNamesSayInTheQuickReport) {
  if (!has_gnuplot()) GTEST_SKIP() << "no gnuplot";
  const SharedReport report;
  for (const auto& entry : std::filesystem::directory_iterator(report / "")) {
    if (!entry.is_regular_file()) continue;
    const std::string text = read_text(entry.path());
    if (entry.path().extension() == ".pdf") {
      EXPECT_EQ(text.rfind("%PDF", 0), 0u) << entry.path();
    }
    if (entry.path().extension() == ".svg") {
      EXPECT_THAT(text, HasSubstr("</svg>")) << entry.path();
    }
  }
  EXPECT_TRUE(std::filesystem::exists(report / "landscape.pdf"));
}

// The shared report is made with two jobs.
TEST(Reproduce, GivesTheSameFilesForAnyNumberOfJobs) {
  if (!has_gnuplot()) GTEST_SKIP() << "no gnuplot";
  const TemporaryFolder folder;
  const SharedReport two;
  ASSERT_EQ(run_program("reproduce --quick --only other-problems quadratics-line-search --jobs 1 --out " + folder / "a")
                .status,
            0);
  for (const char* experiment : {"other-problems", "quadratics-line-search"}) {
    for (const char* file : {"/traces.csv", "/results.csv", "/gaps.csv", "/manifest.json", ".csv", ".gp"}) {
      const std::string name = std::string(experiment) + file;
      EXPECT_EQ(read_text(folder / ("a/" + name)), read_text(two / name)) << name;
    }
  }
}

// A run that was killed leaves a part of the finished runs, perhaps one of them cut.
TEST(Reproduce, GoesOnWhereItStopped) {
  if (!has_gnuplot()) GTEST_SKIP() << "no gnuplot";
  const TemporaryFolder folder;
  const std::string command = "reproduce --quick --only quadratics-test --out " + folder / "a";
  ASSERT_EQ(run_program(command).status, 0);
  const std::string traces = read_text(folder / "a/quadratics-test/traces.csv");
  int removed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "a/runs"))
    if (++removed % 2 == 0)
      std::filesystem::remove(entry.path());
    else if (removed % 5 == 0)
      std::filesystem::resize_file(entry.path(), 100);
  ASSERT_GT(removed, 10);
  std::filesystem::remove(folder / "a/report.html");
  ASSERT_EQ(run_program(command).status, 0);
  EXPECT_EQ(read_text(folder / "a/quadratics-test/traces.csv"), traces);
  ASSERT_EQ(run_program(command).status, 0);
  const std::string again = read_text(folder / "a/quadratics-test/timings.csv");
  ASSERT_EQ(run_program(command).status, 0);
  EXPECT_EQ(read_text(folder / "a/quadratics-test/timings.csv"), again)
      << "nothing was run: not even the seconds differ";
}

TEST(Reproduce, SaysWhatItSkipsAndHowToGetIt) {
  if (!has_gnuplot()) GTEST_SKIP() << "no gnuplot";
  const TemporaryFolder folder;
  const ProgramResult result = run_program("reproduce --json --only w8a published --out " + folder / "out");
  ASSERT_EQ(result.status, 0) << result.err;
  const json parsed = json::parse(result.out);
  EXPECT_THAT(std::string(parsed["experiments"][0]["skipped"]), HasSubstr("tools/get-data"));
  EXPECT_THAT(std::string(parsed["experiments"][1]["skipped"]), HasSubstr("--published"));
  const std::string html = read_text(folder / "out/report.html");
  EXPECT_THAT(html, HasSubstr("tools/get-data"));
  // The command that is shown would not skip it again.
  EXPECT_THAT(html, HasSubstr("--only w8a --data FOLDER"));
  EXPECT_THAT(html, HasSubstr("--only published --published FILE"));
}

TEST(Reproduce, MistakesAreOneLine) {
  const TemporaryFolder folder;
  const std::string out = "reproduce --out " + folder / "x";
  for (const std::string& words : {std::string("reproduce"), out + " --only none", out + " --data /none",
                                   out + " --published /none", out + " --jobs 0"}) {
    const ProgramResult result = run_program(words);
    EXPECT_EQ(result.status, 2) << words;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  }
}

}  // namespace
}  // namespace loa
