// Would catch: any change to the stream of xoshiro256++ or its seeding, a biased remainder in below(), a normal sampler
// with a wrong scale or that loses its spare value.
#include "loa/random.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace loa {
namespace {

struct Stream {
  std::uint64_t seed;
  std::array<std::uint64_t, 5> bits;
};

class RandomStream : public testing::TestWithParam<Stream> {};

// Computed by a separate program from the published algorithms; that program's splitmix64 gives the author's own check
// values, 0xe220a8397b1dcdaf for seed 0 and 6457827717110365317 for seed 1234567.
TEST_P(RandomStream, IsXoshiro256PlusPlusSeededBySplitmix64) {
  Random random(GetParam().seed);
  for (const std::uint64_t expected : GetParam().bits) EXPECT_EQ(random.bits(), expected);
}

TEST_P(RandomStream, UniformIsTheTop53Bits) {
  Random random(GetParam().seed);
  for (const std::uint64_t bits : GetParam().bits)
    EXPECT_EQ(random.uniform(), std::ldexp(static_cast<double>(bits >> 11), -53));
}

INSTANTIATE_TEST_SUITE_P(
    Seeds, RandomStream,
    testing::Values(
        Stream{0, {0x53175d61490b23df, 0x61da6f3dc380d507, 0x5c0fdf91ec9a7bfc, 0x02eebf8c3bbe5e1a, 0x7eca04ebaf4a5eea}},
        Stream{1, {0xcfc5d07f6f03c29b, 0xbf424132963fe08d, 0x19a37d5757aaf520, 0xbf08119f05cd56d6, 0x2f47184b86186fa4}},
        Stream{1234567,
               {0x0610e053dd55ab68, 0x70c979e26e27fbac, 0xfb95f99f9f6bb2de, 0x03890aaecd9fa80a, 0x536acabd892d9406}},
        Stream{~std::uint64_t{0},
               {0x56ccf8ce948e27b2, 0xe68588432e5a5b90, 0xe3e9b5a48119ca8b, 0x460f19495532ae73, 0xa7d62040ea9263e1}}),
    [](const auto& param_info) { return "seed_" + std::to_string(param_info.param.seed); });

TEST(Random, UniformMomentsAndRange) {
  Random random(11);
  constexpr int kDraws = 200000;
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < kDraws; ++i) {
    const double u = random.uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
    squares += u * u;
  }
  // Five standard deviations of the mean of u and of u^2.
  EXPECT_NEAR(sum / kDraws, 0.5, 5.0 * std::sqrt(1.0 / 12.0 / kDraws));
  EXPECT_NEAR(squares / kDraws, 1.0 / 3.0, 5.0 * std::sqrt(4.0 / 45.0 / kDraws));
}

TEST(Random, UniformOfIntervalStaysInside) {
  Random random(3);
  for (int i = 0; i < 1000; ++i) {
    const double u = random.uniform(-2.0, 5.0);
    ASSERT_GE(u, -2.0);
    ASSERT_LT(u, 5.0);
  }
}

TEST(Random, NormalMomentsAndTails) {
  Random random(12);
  constexpr int kDraws = 400000;
  double m1 = 0.0, m2 = 0.0, m3 = 0.0, m4 = 0.0, lag = 0.0, before = 0.0;
  int beyond_two = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double z = random.normal();
    m1 += z;
    m2 += z * z;
    m3 += z * z * z;
    m4 += z * z * z * z;
    lag += z * before;
    before = z;
    if (std::abs(z) > 2.0) ++beyond_two;
  }
  const double deviation = 5.0 / std::sqrt(static_cast<double>(kDraws));  // variances below: 1, 2, 15, 96, 1
  EXPECT_NEAR(m1 / kDraws, 0.0, deviation);
  EXPECT_NEAR(m2 / kDraws, 1.0, deviation * std::sqrt(2.0));
  EXPECT_NEAR(m3 / kDraws, 0.0, deviation * std::sqrt(15.0));
  EXPECT_NEAR(m4 / kDraws, 3.0, deviation * std::sqrt(96.0));
  EXPECT_NEAR(lag / kDraws, 0.0, deviation);  // the spare value is independent of the one before
  EXPECT_NEAR(beyond_two / static_cast<double>(kDraws), 0.0455003, deviation * std::sqrt(0.0455 * 0.9545));
}

TEST(Random, BelowIsUniform) {
  Random random(13);
  constexpr int kDraws = 70000, kValues = 7;
  std::vector<int> counts(kValues);
  for (int i = 0; i < kDraws; ++i) {
    const std::uint64_t value = random.below(kValues);
    ASSERT_LT(value, std::uint64_t{kValues});
    ++counts[value];
  }
  double chi_square = 0.0;
  for (const int count : counts) chi_square += std::pow(count - kDraws / kValues, 2) / (kDraws / kValues);
  EXPECT_LT(chi_square, 27.9);  // 6 degrees of freedom, p = 1e-4
}

// With n = 3 * 2^62 a plain remainder takes the lower third of the values twice as often.
TEST(Random, BelowIsUnbiasedForHugeN) {
  Random random(14);
  constexpr std::uint64_t kThird = std::uint64_t{1} << 62;
  constexpr int kDraws = 30000;
  int counts[3] = {};
  for (int i = 0; i < kDraws; ++i) ++counts[random.below(3 * kThird) / kThird];
  for (const int count : counts) EXPECT_NEAR(count, kDraws / 3, 5.0 * std::sqrt(kDraws * 2.0 / 9.0));
}

TEST(Random, BelowOneAndBelowPowersOfTwo) {
  Random random(15);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(random.below(1), 0u);
    EXPECT_LT(random.below(std::uint64_t{1} << 63), std::uint64_t{1} << 63);
    EXPECT_LT(random.below(~std::uint64_t{0}), ~std::uint64_t{0});
  }
}

TEST(Random, EqualSeedsGiveEqualBitsAndCopiesContinue) {
  Random a(99), b(99);
  for (int i = 0; i < 101; ++i) ASSERT_EQ(a.normal(), b.normal());  // odd: a spare value is pending
  Random copy = a;
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(copy.normal(), a.normal());
    ASSERT_EQ(copy.bits(), a.bits());
    ASSERT_EQ(copy.below(1000), a.below(1000));
  }
}

TEST(Random, DifferentSeedsDiffer) {
  Random a(1), b(2);
  int equal = 0;
  for (int i = 0; i < 100; ++i) equal += a.bits() == b.bits() ? 1 : 0;
  EXPECT_EQ(equal, 0);
}

}  // namespace
}  // namespace loa
