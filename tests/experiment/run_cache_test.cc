#include "experiment/run_cache.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "support/temporary_path.h"

namespace loa {
namespace {

class RunCacheTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(folder_); }
  const std::string folder_ = temporary_path("cache");
  const RunCache cache_{folder_};
};

ComparedRun some_run() {
  ComparedRun run;
  run.status = Status::kEvaluationLimitReached;
  run.reached_gap = true;
  run.f_start = 1.0 / 3.0;
  run.f = std::numeric_limits<double>::infinity();
  run.grad_inf_norm = std::numeric_limits<double>::quiet_NaN();
  run.iterations = 7;
  run.evaluations.value = 9;
  run.fallbacks.model = 2;
  run.seconds = 0.1;
  run.trace = {{0, -0.0, 1e-310, 1.0, 3, 5.0}, {1, 1e300, 0.1, 0.5, 4, 6.0}};
  return run;
}

TEST_F(RunCacheTest, GivesBackWhatWasKept) {
  const ComparedRun kept = some_run();
  cache_.keep("key", kept);
  ComparedRun found;
  found.start = 4;
  ASSERT_TRUE(cache_.find("key", found));
  EXPECT_EQ(found.start, 4) << "who asks knows which run it is";
  EXPECT_EQ(found.status, kept.status);
  EXPECT_TRUE(found.reached_gap);
  EXPECT_EQ(found.f_start, kept.f_start);
  EXPECT_EQ(found.f, kept.f);
  EXPECT_TRUE(std::isnan(found.grad_inf_norm));
  EXPECT_EQ(found.evaluations.value, 9);
  EXPECT_EQ(found.fallbacks.model, 2);
  ASSERT_EQ(found.trace.size(), 2u);
  EXPECT_TRUE(std::signbit(found.trace[0].f));
  EXPECT_EQ(found.trace[0].grad_inf_norm, 1e-310);
  EXPECT_EQ(found.trace[1].f, 1e300);
  EXPECT_EQ(found.trace[1].evaluations, 4);
}

TEST_F(RunCacheTest, FindsNothingUnderAnotherKeyOrWithoutAFolder) {
  cache_.keep("key", some_run());
  ComparedRun found;
  EXPECT_FALSE(cache_.find("other", found));
  const RunCache none("");
  none.keep("key", some_run());
  EXPECT_FALSE(none.find("key", found));
}

TEST_F(RunCacheTest, DamagedFilesDoNotCount) {
  cache_.keep("key", some_run());
  const std::string path = std::filesystem::directory_iterator(folder_)->path().string();
  std::string text;
  std::getline(std::ifstream(path, std::ios::binary), text, '\0');
  for (std::size_t length = 0; length < text.size(); length += 13) {
    std::ofstream(path, std::ios::binary) << text.substr(0, length);
    ComparedRun found;
    EXPECT_FALSE(cache_.find("key", found)) << length;
  }
  text[text.size() / 2] ^= 1;
  std::ofstream(path, std::ios::binary) << text;
  ComparedRun found;
  EXPECT_FALSE(cache_.find("key", found));
}

// The hash of such a file is right, but no run ends like that.
TEST_F(RunCacheTest, AStatusThatIsNoneDoesNotCount) {
  for (const int status : {-1, 1000}) {
    ComparedRun run = some_run(), found;
    run.status = static_cast<Status>(status);
    cache_.keep("key", run);
    EXPECT_FALSE(cache_.find("key", found)) << status;
  }
}

TEST_F(RunCacheTest, KeepsOptimaToo) {
  cache_.keep("key", Optimum{.f = 0.1, .grad_inf_norm = 1e-17, .source = "newton"});
  Optimum found;
  ASSERT_TRUE(cache_.find("key", found));
  EXPECT_EQ(found.f, 0.1);
  EXPECT_EQ(found.grad_inf_norm, 1e-17);
  EXPECT_EQ(found.source, "newton");
}

}  // namespace
}  // namespace loa
