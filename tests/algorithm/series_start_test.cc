// Where a series begins with B when the user knows better than its memory.
//
// Would catch: B at the last solution although x0 has always been nearer; B at x0 although that is only where cold runs
// begin; a single bad member that keeps B from the next ones.
#include <gtest/gtest.h>

#include "loa/random.h"
#include "loa/series.h"

namespace loa {
namespace {

constexpr Index kSize = 12;

Vector drawn_center(std::uint64_t seed) {
  Random random(seed);
  Vector center(kSize);
  for (double& entry : center) entry = 3.0 * random.normal();
  return center;
}

// A bowl whose curvatures stay and whose center jumps.
Function bowl_at(const Vector& center, bool is_reversed = false) {
  return [center, is_reversed](const Vector& x, Vector& grad) {
    double f = 0.0;
    for (Index i = 0; i < kSize; ++i) {
      const Index root = is_reversed ? kSize - i : i + 1;
      const double curvature = static_cast<double>(root * root * root), d = x[i] - center[i];
      f += curvature * (d * d / 2.0 + d * d * d * d / 400.0);
      grad[i] = curvature * (d + d * d * d / 100.0);
    }
    return f;
  };
}

TEST(SeriesStart, BBeginsAtTheStartOfAUserWhoKnowsWhereSolutionsAre) {
  Series series({.gtol = 1e-6});
  std::int64_t cold = 0, evaluations = 0;
  for (std::uint64_t k = 0; k < 8; ++k) {
    const Vector center = drawn_center(k), x0 = center + 0.05 * drawn_center(100 + k);
    const Summary summary = series.minimize(bowl_at(center), x0);
    EXPECT_TRUE(summary.success());
    if (k < 4) continue;
    EXPECT_EQ(series.report().start, SeriesStart::kGiven);
    EXPECT_TRUE(series.report().used_B) << k;
    evaluations += summary.evaluations.value;
    cold += minimize(bowl_at(center), x0, {.gtol = 1e-6}).evaluations.value;
  }
  EXPECT_LT(evaluations, cold / 2);
}

TEST(SeriesStart, BBeginsAtTheLastSolutionOtherwise) {
  Series series({.gtol = 1e-6});
  for (std::uint64_t k = 0; k < 6; ++k) {
    const Vector center = drawn_center(0) + 0.05 * drawn_center(100 + k);
    EXPECT_TRUE(series.minimize(bowl_at(center), Vector::Zero(kSize)).success());
    if (k >= 3) {
      EXPECT_NE(series.report().start, SeriesStart::kGiven);
      EXPECT_TRUE(series.report().used_B) << k;
    }
  }
}

TEST(SeriesStart, OneBadMemberCostsItself) {
  Series series({.gtol = 1e-6});
  for (std::uint64_t k = 0; k < 6; ++k) {
    const Vector center = drawn_center(0) + 0.05 * drawn_center(100 + k);
    EXPECT_TRUE(series.minimize(bowl_at(center, k >= 3), Vector::Zero(kSize)).success());
    EXPECT_EQ(series.report().used_B, k > 0 && k != 3) << k;
    EXPECT_EQ(series.report().misled, k >= 3) << k;
    EXPECT_EQ(series.report().pause, 0) << k;
  }
}

}  // namespace
}  // namespace loa
