// `loa reproduce --only families` in its short form: training, five ways, table, figure and the runs.
//
// Would catch: a family that is missing, a training that is not reported, a table that has no mean, a figure without a
// panel for each family, quick runs for which a series is of no use.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "support/run_program.h"

namespace loa {
namespace {

using ::testing::HasSubstr;

TEST(ReproduceFamilies, ShortFormHasAllFamilies) {
  if (!has_gnuplot()) GTEST_SKIP() << "no gnuplot";
  const TemporaryFolder folder;
  const ProgramResult result = run_program("reproduce --quick --only families --jobs 2 --out " + folder / "out");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("A series with trained weights takes 0."));
  const std::string runs = read_text(folder / "out/families/runs.csv");
  const std::string table = read_text(folder / "out/families/table.md");
  const std::string trainings = read_text(folder / "out/families/trainings.txt");
  const std::string figure = read_text(folder / "out/families.csv");
  for (const char* name : {"logistic", "process", "control", "inverse"}) {
    EXPECT_THAT(runs, HasSubstr(std::string("\"family:") + name));
    EXPECT_THAT(trainings, HasSubstr(std::string("family:") + name));
  }
  for (const char* title : {"Logistic regression", "Gaussian process", "Predictive control", "Inverse problem"}) {
    EXPECT_THAT(table, HasSubstr(std::string("\n| ") + title + " |"));
    EXPECT_THAT(figure, HasSubstr(title));
  }
  EXPECT_THAT(table, HasSubstr("| geometric mean over families |"));
  EXPECT_EQ(std::count(runs.begin(), runs.end(), '\n'), 1 + 4 * 5 * 2 * 6) << "families, ways, sequences, members";
}

}  // namespace
}  // namespace loa
