// Would catch: a norm that squares without scaling, a maximum that drops NaN, a distance that overflows in between, an
// inner product that skips the reduction.
#include "loa/reduction.h"

#include <gtest/gtest.h>

#include "support/objectives.h"

namespace loa {
namespace {

using test::kInf;
using test::kNaN;

class NormAtScale : public testing::TestWithParam<double> {};

TEST_P(NormAtScale, NormOfThreeFourIsFive) {
  const double s = GetParam();
  const Vector v{{3.0 * s, -4.0 * s}};
  EXPECT_NEAR(norm(v) / s, 5.0, 1e-14);
  EXPECT_EQ(inf_norm(v), 4.0 * s);
}

TEST_P(NormAtScale, DistanceIsNormOfDifference) {
  const double s = GetParam();
  const Vector a{{1.0 * s, 2.0 * s}}, b{{-2.0 * s, 6.0 * s}};
  EXPECT_NEAR(distance(a, b) / s, 5.0, 1e-14);
}

TEST_P(NormAtScale, PowersOfTwoScaleBitForBit) {
  const Vector v = test::random_vector(37, 5);
  const double two_k = std::exp2(std::floor(std::log2(GetParam())));
  EXPECT_TRUE(test::same_bits(norm(two_k * v), two_k * norm(v)));
}

INSTANTIATE_TEST_SUITE_P(Scales, NormAtScale,
                         testing::Values(1e-300, 1e-200, 1e-160, 1e-150, 1e-100, 1e-8, 1.0, 1e8, 1e100, 1e150, 1e160,
                                         1e200, 1e300));

TEST(Norm, MixedScalesAreRuledByTheLargest) {
  EXPECT_NEAR(norm(Vector{{1e-300, 1e300, 1.0}}) / 1e300, 1.0, 1e-15);
  EXPECT_NEAR(norm(Vector{{1e-300, 1e-200}}) / 1e-200, 1.0, 1e-15);
}

TEST(Norm, ExtremesOfDouble) {
  const double smallest = std::numeric_limits<double>::denorm_min(), largest = std::numeric_limits<double>::max();
  EXPECT_EQ(norm(Vector{{smallest}}), smallest);
  EXPECT_EQ(norm(Vector{{largest}}), largest);
  EXPECT_EQ(inf_norm(Vector{{-largest, 1.0}}), largest);
}

TEST(Norm, EmptyIsZero) {
  const Vector none(0);
  EXPECT_EQ(norm(none), 0.0);
  EXPECT_EQ(inf_norm(none), 0.0);
  EXPECT_EQ(distance(none, none), 0.0);
  EXPECT_EQ(dot(none, none), 0.0);
}

TEST(Norm, ZeroIsZero) {
  const Vector zero = Vector::Zero(5);
  EXPECT_EQ(norm(zero), 0.0);
  EXPECT_EQ(inf_norm(zero), 0.0);
  const Vector v = test::random_vector(5, 1);
  EXPECT_EQ(distance(v, v), 0.0);
}

// The vectorized kernels treat the first coordinates, the middle and the tail differently.
TEST(Norm, NaNAtAnyPlaceGivesNaN) {
  for (const Index n : {1, 2, 3, 4, 7, 8, 9, 17})
    for (Index i = 0; i < n; ++i) {
      Vector v = Vector::Constant(n, 2.0);
      v(i) = kNaN;
      EXPECT_TRUE(std::isnan(norm(v))) << n << " " << i;
      EXPECT_TRUE(std::isnan(inf_norm(v))) << n << " " << i;
      EXPECT_TRUE(std::isnan(distance(v, Vector::Zero(n)))) << n << " " << i;
      v((i + 1) % n) = n > 1 ? kInf : kNaN;
      EXPECT_TRUE(std::isnan(inf_norm(v))) << n << " " << i;
    }
}

TEST(Norm, InfinityGivesInfinity) {
  const Vector v{{1.0, -kInf, 1e300}};
  EXPECT_EQ(norm(v), kInf);
  EXPECT_EQ(inf_norm(v), kInf);
}

// Two slices with the same content: every sum doubles, a maximum stays.
class TwoEqualSlices final : public Reduction {
 public:
  void reduce(std::span<double> values, std::span<double> largest) const override {
    for (double& value : values) value *= 2.0;
    sums += values.empty() ? 0 : 1;
    maxima += largest.empty() ? 0 : 1;
  }
  mutable int sums = 0, maxima = 0;
};

TEST(Reduction, EveryGlobalQuantityGoesThroughIt) {
  const TwoEqualSlices slices;
  const Vector v{{3.0, 4.0}};
  EXPECT_EQ(dot(v, v, slices), 50.0);
  EXPECT_DOUBLE_EQ(norm(v, slices), std::sqrt(50.0));
  EXPECT_DOUBLE_EQ(norm(1e300 * v, slices), 1e300 * std::sqrt(50.0));
  EXPECT_DOUBLE_EQ(distance(v, Vector::Zero(2), slices), std::sqrt(50.0));
  EXPECT_EQ(inf_norm(v, slices), 4.0);
  EXPECT_GE(slices.sums, 4);
  EXPECT_GE(slices.maxima, 1);
}

}  // namespace
}  // namespace loa
