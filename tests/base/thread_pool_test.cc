// Every index once, on threads that exist, again and again, and exceptions that arrive.
#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace loa {
namespace {

constexpr int kNumThreads[] = {1, 2, 3, 8};

TEST(ThreadPool, CallsEveryIndexOnce) {
  for (const int num_threads : kNumThreads) {
    ThreadPool pool(num_threads);
    EXPECT_EQ(pool.num_threads(), num_threads);
    for (const int count : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> calls(static_cast<std::size_t>(count));
      std::atomic<int> strangers = 0;
      pool.run(count, [&](int index, int thread) {
        ++calls.at(static_cast<std::size_t>(index));
        if (thread < 0 || thread >= num_threads) ++strangers;
      });
      for (const std::atomic<int>& c : calls) ASSERT_EQ(c, 1) << count << " on " << num_threads;
      EXPECT_EQ(strangers, 0);
    }
  }
}

// A workspace a thread is safe only when no two calls with the same thread number overlap.
TEST(ThreadPool, CallsOfOneThreadDoNotOverlap) {
  ThreadPool pool(3);
  std::vector<std::atomic<int>> inside(3);
  std::atomic<int> overlaps = 0;
  for (int round = 0; round < 50; ++round)
    pool.run(20, [&](int, int thread) {
      if (++inside[static_cast<std::size_t>(thread)] != 1) ++overlaps;
      std::this_thread::yield();
      --inside[static_cast<std::size_t>(thread)];
    });
  EXPECT_EQ(overlaps, 0);
}

TEST(ThreadPool, IsUsedAgainManyTimes) {
  ThreadPool pool(3);
  std::atomic<std::int64_t> sum = 0;
  for (int round = 0; round < 2000; ++round) pool.run(3, [&](int index, int) { sum += index; });
  EXPECT_EQ(sum, 2000 * 3);
}

// What one round wrote is seen by the caller and by the next round without further care.
TEST(ThreadPool, ARoundSeesWhatTheLastOneWrote) {
  ThreadPool pool(3);
  std::vector<int> values(100, 0);
  for (int round = 1; round <= 100; ++round) {
    pool.run(100, [&](int index, int) { ++values[static_cast<std::size_t>(99 - index)]; });
    for (const int value : values) ASSERT_EQ(value, round);
  }
}

TEST(ThreadPool, ThrowsTheFirstExceptionAndLives) {
  for (const int num_threads : kNumThreads) {
    ThreadPool pool(num_threads);
    for (int round = 0; round < 3; ++round) {
      std::string what;
      try {
        pool.run(50, [](int index, int) {
          if (index == 20) throw std::runtime_error("index 20");
        });
      } catch (const std::runtime_error& error) {
        what = error.what();
      }
      EXPECT_EQ(what, "index 20") << num_threads << " threads";
      std::atomic<int> calls = 0;
      EXPECT_NO_THROW(pool.run(50, [&](int, int) { ++calls; })) << "an exception must not come back";
      EXPECT_EQ(calls, 50);
    }
  }
}

TEST(ThreadPool, OneThreadRunsInOrderOnTheCaller) {
  ThreadPool pool(1);
  std::vector<int> order;
  pool.run(5, [&, caller = std::this_thread::get_id()](int index, int thread) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(thread, 0);
    order.push_back(index);
  });
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

}  // namespace
}  // namespace loa
