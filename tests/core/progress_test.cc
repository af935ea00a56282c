// Would catch: lines that are not one for x_0 and each iteration, numbers under the wrong heading, a fallback that is
// not named, and a printer that prints more often than it was told.
#include "loa/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "loa/loa.h"
#include "support/temporary_path.h"

namespace loa {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

double rosenbrock_shown(const Vector& x, Vector& grad) {
  const double a = 1 - x[0], b = x[1] - x[0] * x[0];
  grad[0] = -2 * a - 400 * x[0] * b;
  grad[1] = 200 * b;
  return a * a + 100 * b * b;
}

std::vector<std::string> words(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> list;
  for (std::string word; stream >> word;) list.push_back(word);
  return list;
}

TEST(ProgressOption, GetsAHeadingAndALineForEachIterate) {
  std::vector<std::string> lines;
  Options options{.keep_trace = true, .progress = [&](std::string_view line) { lines.emplace_back(line); }};
  const Summary summary = minimize(rosenbrock_shown, Vector{{-1.2, 1.0}}, options);
  ASSERT_EQ(lines.size(), summary.trace.size() + 1);
  EXPECT_EQ(lines[0], ProgressLines::heading());
  for (std::size_t k = 0; k < summary.trace.size(); ++k) {
    const TraceRow& row = summary.trace[k];
    const std::vector<std::string> columns = words(lines[k + 1]);
    ASSERT_GE(columns.size(), 7u) << lines[k + 1];
    EXPECT_EQ(columns[0], std::to_string(row.iteration));
    EXPECT_EQ(columns[1], std::to_string(row.evaluations));
    EXPECT_NEAR(std::stod(columns[2]), row.f, 1e-8 * std::abs(row.f));
    if (k > 0) {
      const double fell = summary.trace[k - 1].f - row.f;
      EXPECT_NEAR(std::stod(columns[3]), fell, 1e-3 * std::abs(fell));
    } else {
      EXPECT_EQ(columns[3], "-");
    }
    EXPECT_NEAR(std::stod(columns[4]), row.grad_inf_norm, 1e-3 * row.grad_inf_norm);
    EXPECT_NEAR(std::stod(columns[5]), row.step_size, 1e-3 * row.step_size);
    EXPECT_EQ(lines[k + 1].size(), lines[0].size()) << "under the heading";
  }
}

TEST(ProgressOption, MovesNothing) {
  const Vector x0{{-1.2, 1.0}};
  const Summary silent = minimize(rosenbrock_shown, x0);
  const Summary shown = minimize(rosenbrock_shown, x0, {.progress = [](std::string_view) {}});
  EXPECT_EQ(silent.x, shown.x);
  EXPECT_EQ(silent.evaluations.value, shown.evaluations.value);
}

TEST(ProgressLines, NamesTheFallbacksOfALine) {
  State state;
  const Vector x(1);
  const Evaluations evaluations;
  Fallbacks fallbacks;
  ProgressLines lines;
  const auto line = [&] {
    return std::string(lines.line({1, x, 1e300, x, std::nan(""), 1.0, -1e-300, evaluations, fallbacks, 1e9, state}));
  };
  EXPECT_THAT(line(), HasSubstr("nan"));
  fallbacks.restart = 2;
  fallbacks.model = fallbacks.skipped = fallbacks.spectrum = fallbacks.search = 1;
  EXPECT_THAT(line(), testing::EndsWith("  model  skipped  restart  spectrum  search"));
  EXPECT_THAT(line(), testing::EndsWith("1e+09")) << "none since";
}

TEST(PrintProgress, WritesAllLinesOrTheFirstOfEachTime) {
  const auto printed = [](double seconds) {
    const std::string path = temporary_path("progress");
    std::FILE* file = std::fopen(path.c_str(), "w+");
    ProgressSink sink = print_progress(file, seconds);
    sink(ProgressLines::heading());
    sink("one");
    sink("two");
    std::rewind(file);
    std::vector<std::string> lines;
    char buffer[200];
    while (std::fgets(buffer, sizeof buffer, file) != nullptr) lines.emplace_back(buffer);
    std::fclose(file);
    return lines;
  };
  const std::string heading = std::string(ProgressLines::heading()) + "\n";
  EXPECT_THAT(printed(0.0), ElementsAre(heading, "one\n", "two\n"));
  EXPECT_THAT(printed(1e6), ElementsAre(heading, "one\n"));
}

}  // namespace
}  // namespace loa
