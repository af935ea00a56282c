// Gains with their intervals.
//
// Would catch: an interval that is not widened for few members, ratios averaged without logarithms, a seed that is not
// used.
#include "train/gain.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "loa/random.h"

namespace loa {
namespace {

TEST(Gain, IsAGeometricMean) {
  const Gain gain = gain_of({std::log(0.5), std::log(0.125)}, 0);
  EXPECT_NEAR(gain.value, 0.25, 1e-15);
  EXPECT_EQ(gain.members, 2);
  EXPECT_NEAR(gain.low, 0.125, 1e-15);  // of two members nothing but the two is known
  EXPECT_NEAR(gain.high, 0.5, 1e-15);
  EXPECT_TRUE(std::isnan(gain_of({}, 0).value));
  EXPECT_EQ(gain_of({0.0}, 0).value, 1.0);
  EXPECT_TRUE(std::isnan(gain_of({0.0}, 0).high));
  EXPECT_EQ(gain_of({0.0, 0.0, 0.0}, 0).high, 1.0);  // no gain is no gain
  EXPECT_EQ(text_of(gain), "0.250 [0.125, 0.500]");
}

TEST(Gain, DependsOnTheSeedAlone) {
  const std::vector<double> logs = {0.3, -0.2, 0.1, 0.7, -0.9, 0.4, 0.2};
  EXPECT_EQ(gain_of(logs, 5).low, gain_of(logs, 5).low);
  EXPECT_NE(gain_of(logs, 5).low, gain_of(logs, 6).low);
}

// Of intervals of 95 % from a normal distribution at least 93 % hold, for eight members as for sixty; of eight the
// plain percentile interval holds in 88 %.
TEST(Gain, IntervalHoldsForFewMembersToo) {
  for (const int members : {8, 20, 60}) {
    constexpr int kDraws = 600;
    int held = 0;
    Random random(static_cast<std::uint64_t>(members));
    for (int draw = 0; draw < kDraws; ++draw) {
      std::vector<double> logs(static_cast<std::size_t>(members));
      for (double& log : logs) log = random.normal() - 0.3;
      const Gain gain = gain_of(logs, static_cast<std::uint64_t>(draw));
      held += gain.low <= std::exp(-0.3) && std::exp(-0.3) <= gain.high ? 1 : 0;
    }
    // Two standard errors below 95 % are 93.2 %.
    EXPECT_GE(held, 0.925 * kDraws) << members;
    EXPECT_LT(held, kDraws) << members;
  }
}

}  // namespace
}  // namespace loa
