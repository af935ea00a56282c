// Would catch: L, mu or f* of a problem that is computed though nobody asks, more than once, or once for each thread.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "loa/problem.h"

namespace loa {
namespace {

TEST(KnownNumber, ReadsLikeAnOptional) {
  EXPECT_FALSE(KnownNumber());
  EXPECT_TRUE(KnownNumber().is_found());
  EXPECT_EQ(*KnownNumber(2.0), 2.0);
  EXPECT_EQ(KnownNumber(std::optional<double>()).value_or(3.0), 3.0);
  EXPECT_EQ(KnownNumber([] { return 2.0; }), KnownNumber(2.0));
  EXPECT_FALSE(KnownNumber([] { return std::optional<double>(); }).has_value());
}

TEST(KnownNumber, IsFoundOnceByAllThreadsAndCopies) {
  std::atomic<int> calls = 0;
  const KnownNumber number = [&calls] { return static_cast<double>(++calls); };
  const KnownNumber copy = number;
  EXPECT_FALSE(number.is_found());
  EXPECT_EQ(calls, 0);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { EXPECT_EQ(*number + *copy, 2.0); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(copy.is_found());
}

// 64 passes over the data for logistic regression, a factorization for ridge.
TEST(KnownNumber, CostsNothingWhereNobodyAsks) {
  Problem logistic, ridge;
  ASSERT_EQ(make_problem("logistic:m=20,n=5", logistic).message(), "");
  ASSERT_EQ(make_problem("ridge:m=20,n=5", ridge).message(), "");
  EXPECT_FALSE(logistic.lipschitz.is_found());
  EXPECT_FALSE(ridge.minimum.is_found() || ridge.lipschitz.is_found() || ridge.strong_convexity.is_found());
  EXPECT_GT(*logistic.lipschitz, 0.0);
  EXPECT_TRUE(logistic.lipschitz.is_found());
  EXPECT_GT(*ridge.lipschitz, *ridge.strong_convexity);
}

}  // namespace
}  // namespace loa
