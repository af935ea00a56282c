// Would catch: a guess before there is anything to judge by, one that counts what an earlier call had finished, and one
// that does not notice that the work has become slower.
#include "cli/time_left.h"

#include <gtest/gtest.h>

namespace loa::cli {
namespace {

TEST(TimeLeft, IsSilentUntilThereIsSpeedToJudgeBy) {
  TimeLeft left;
  EXPECT_EQ(left.after(0.5, 0.1), "");
  EXPECT_EQ(left.after(0.5, 1.9), "") << "too soon";
  EXPECT_EQ(left.after(0.5, 30.0), "") << "no progress since";
}

TEST(TimeLeft, OfWorkAtOneSpeed) {
  TimeLeft left;
  for (int second = 0; second < 30; ++second) left.after(0.01 * second, second);
  EXPECT_EQ(left.after(0.30, 30), " about 70 s left");
  TimeLeft slow;
  for (int second = 0; second < 300; ++second) slow.after(1e-4 * second, second);
  EXPECT_EQ(slow.after(0.03, 300), " about 2.7 h left");
}

// Half of the runs are there from an earlier call, and the others take a second for each hundredth.
TEST(TimeLeft, DoesNotCountWhatWasDoneBefore) {
  TimeLeft left;
  left.after(0.0, 0.0);
  for (int second = 1; second < 20; ++second) left.after(0.5 + 0.01 * second, second);
  EXPECT_EQ(left.after(0.7, 20), " about 30 s left");
}

// The second half is ten times as slow; a mean over all would promise 40 s.
TEST(TimeLeft, FollowsASlowerPart) {
  TimeLeft left;
  for (int second = 0; second <= 20; ++second) left.after(0.025 * second, second);
  for (int second = 21; second < 60; ++second) left.after(0.5 + 0.0025 * (second - 20), second);
  EXPECT_EQ(left.after(0.6, 60), " about 3 min left");
}

}  // namespace
}  // namespace loa::cli
