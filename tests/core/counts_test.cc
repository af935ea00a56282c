// Would catch: a counter of a run that a state file, the cache of runs, a table, a JSON or CSV file does not know. (The
// C interface has a static_assert, docs/c.md the members.)
#include "core/counts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "experiment/comparison_files.h"
#include "experiment/comparison_table.h"
#include "experiment/run_cache.h"
#include "loa/minimize.h"
#include "support/run_program.h"
#include "support/temporary_path.h"

namespace loa {
namespace {

using testing::HasSubstr;

// Different numbers in all counters, from `first` on.
template <class Counts>
Counts numbered(std::int64_t first) {
  Counts counts;
  for_each_count(counts, [&first](const char*, std::int64_t& count) { count = first++; });
  return counts;
}

template <class Counts>
std::string header(const char* before, const char* after) {
  std::string text;
  for_each_count(Counts{}, [&](const char* name, std::int64_t) { text += std::string(",") + before + name + after; });
  return text;
}

Comparison small_comparison() {
  Comparison comparison;
  EXPECT_EQ(run_comparison({.problems = {"rosenbrock"}, .algorithms = {"bfgs"}}, {}, comparison).message(), "");
  comparison.runs[0].evaluations = numbered<Evaluations>(100);
  comparison.runs[0].fallbacks = numbered<Fallbacks>(200);
  return comparison;
}

TEST(Counts, AddUpOneByOne) {
  Fallbacks sum = numbered<Fallbacks>(200);
  sum += numbered<Fallbacks>(1000);
  std::int64_t expected = 1200;
  for_each_count(sum, [&expected](const char* name, std::int64_t count) {
    EXPECT_EQ(count, expected) << name;
    expected += 2;
  });
}

TEST(Counts, AreInStateFiles) {
  State state = minimize([](const Vector& x, Vector& grad) { return grad = x, 0.5 * x.squaredNorm(); }, Vector::Ones(3),
                         {.max_iterations = 1})
                    .state;
  state.evaluations = numbered<Evaluations>(100);
  state.fallbacks = numbered<Fallbacks>(200);
  State loaded;
  ASSERT_EQ(state_from_bytes(state_bytes(state), loaded).message(), "");
  EXPECT_EQ(loaded.evaluations, state.evaluations);
  EXPECT_EQ(loaded.fallbacks, state.fallbacks);
}

TEST(Counts, AreInTheCacheOfRuns) {
  const std::string folder = temporary_path("counts");
  const RunCache cache{folder};
  ComparedRun run, found;
  run.status = Status::kGradientIsSmall;
  run.evaluations = numbered<Evaluations>(100);
  run.fallbacks = numbered<Fallbacks>(200);
  cache.keep("key", run);
  const bool is_found = cache.find("key", found);
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(is_found);
  EXPECT_EQ(found.evaluations, run.evaluations);
  EXPECT_EQ(found.fallbacks, run.fallbacks);
}

TEST(Counts, AreInTheTablesOfComparisons) {
  const Comparison comparison = small_comparison();
  const std::string csv = results_csv(comparison);
  EXPECT_THAT(csv, HasSubstr(header<Fallbacks>("fallback_", "") + "\n"));
  EXPECT_THAT(csv, HasSubstr(counts_text(numbered<Evaluations>(100), ",") + "," +
                             counts_text(numbered<Fallbacks>(200), ",") + "\n"));
  EXPECT_THAT(comparison_table(comparison), HasSubstr(counts_text(numbered<Fallbacks>(200), "/")));
  const auto summary = nlohmann::json::parse(summary_json(comparison));
  EXPECT_THAT(summary.dump(), HasSubstr(counts_json<nlohmann::json>(numbered<Fallbacks>(200)).dump()));
}

TEST(Counts, AreInTheJsonOfThePrograms) {
  const std::string folder = temporary_path("counts");
  for (const std::string& command : {std::string("solve --problem rosenbrock --algorithm bfgs --json"),
                                     "compare --problems rosenbrock --algorithms bfgs --json --out " + folder}) {
    const ProgramResult result = run_program(command);
    const auto parsed = nlohmann::json::parse(result.out);
    const auto& run = parsed.contains("runs") ? parsed["runs"][0] : parsed;
    for_each_count(Evaluations{}, [&](const char* name, std::int64_t) {
      EXPECT_TRUE(run["evaluations"].contains(name)) << command << ' ' << name;
    });
    for_each_count(Fallbacks{}, [&](const char* name, std::int64_t) {
      EXPECT_TRUE(run["fallbacks"].contains(name)) << command << ' ' << name;
    });
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace loa
