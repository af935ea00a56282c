// Would catch: a piece that is left out or taken twice, a workspace that two threads use at once, an exception that is
// lost or comes back, a loop inside a loop that starts threads or waits for ever, a child process that waits for
// threads it does not have, a process that cannot end.
#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/allocation_count.h"

#if defined(__unix__)
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace loa {
namespace {

constexpr int kNumThreads[] = {1, 2, 3, 8, 2};

using Calls = std::vector<std::atomic<int>>;

std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

TEST(ParallelFor, CallsEveryPieceOnce) {
  for (const int threads : kNumThreads) {
    for (const std::ptrdiff_t count : {0, 1, 2, 7, 1000}) {
      Calls calls(at(count));
      std::atomic<int> strangers = 0;
      parallel_for(count, threads, [&](std::ptrdiff_t i, int thread) {
        ++calls.at(at(i));
        if (thread < 0 || thread >= threads) ++strangers;
      });
      for (const std::atomic<int>& c : calls) ASSERT_EQ(c, 1) << count << " on " << threads;
      EXPECT_EQ(strangers, 0);
    }
  }
}

TEST(ParallelFor, FollowsTheNumberOfThreads) {
  for (const int threads : kNumThreads) {
    set_num_threads(threads);
    EXPECT_EQ(num_threads(), threads);
    for (const std::ptrdiff_t count : {0, 1, 2, 100}) {
      Calls calls(at(count));
      parallel_for(count, [&](std::ptrdiff_t i) { ++calls.at(at(i)); });
      for (const std::atomic<int>& c : calls) ASSERT_EQ(c, 1) << count << " on " << threads;
    }
  }
  set_num_threads(0);
  EXPECT_GE(num_threads(), 1);
}

// The second piece ends only when the first has begun, so one of them needs a thread beside the caller.
TEST(ParallelFor, HasHelp) {
  std::atomic<int> begun = 0;
  parallel_for(2, 2, [&](std::ptrdiff_t, int) {
    ++begun;
    while (begun < 2) std::this_thread::yield();
  });
  EXPECT_EQ(begun, 2);
}

// A workspace for each thread is safe only when no two calls with the same number overlap.
TEST(ParallelFor, CallsOfOneThreadDoNotOverlap) {
  for (const int threads : {8, 3}) {  // with 3 there are threads that may not help
    Calls inside(at(threads));
    std::atomic<int> overlaps = 0;
    for (int round = 0; round < 50; ++round)
      parallel_for(20, threads, [&](std::ptrdiff_t, int thread) {
        if (++inside.at(at(thread)) != 1) ++overlaps;
        std::this_thread::yield();
        --inside.at(at(thread));
      });
    EXPECT_EQ(overlaps, 0);
  }
}

// What one loop wrote is seen by the caller and by the next loop without further care.
TEST(ParallelFor, SeesWhatTheLastLoopWrote) {
  std::vector<int> values(100, 0);
  for (int round = 1; round <= 2000; ++round) {
    parallel_for(100, 3, [&](std::ptrdiff_t i, int) { ++values[at(99 - i)]; });
    for (const int value : values) ASSERT_EQ(value, round);
  }
}

TEST(ParallelFor, ThrowsTheFirstExceptionAndLives) {
  for (const int threads : kNumThreads) {
    for (int round = 0; round < 20; ++round) {
      std::string what;
      std::atomic<int> inside = 0;
      try {
        parallel_for(50, threads, [&](std::ptrdiff_t i, int) {
          ++inside;
          std::this_thread::yield();
          --inside;
          if (i == 20) throw std::runtime_error("piece 20");
        });
      } catch (const std::runtime_error& error) {
        what = error.what();
      }
      EXPECT_EQ(inside, 0) << "a piece is still running";
      EXPECT_EQ(what, "piece 20") << threads << " threads";
      std::atomic<int> calls = 0;
      EXPECT_NO_THROW(parallel_for(50, threads, [&](std::ptrdiff_t, int) { ++calls; })) << "it must not come back";
      EXPECT_EQ(calls, 50);
    }
  }
}

TEST(ParallelFor, SkipsPiecesAfterAnException) {
  std::atomic<int> calls = 0;
  EXPECT_THROW(parallel_for(100000, 2,
                            [&](std::ptrdiff_t, int) {
                              ++calls;
                              throw std::runtime_error("each of them");
                            }),
               std::runtime_error);
  EXPECT_LE(calls, 2) << "each thread begins one piece at most";
}

TEST(ParallelFor, OneThreadRunsInOrderOnTheCaller) {
  std::vector<std::ptrdiff_t> order;
  parallel_for(5, 1, [&, caller = std::this_thread::get_id()](std::ptrdiff_t i, int thread) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(thread, 0);
    order.push_back(i);
  });
  EXPECT_EQ(order, (std::vector<std::ptrdiff_t>{0, 1, 2, 3, 4}));
}

TEST(ParallelFor, StaysOnItsThreadInsideAPiece) {
  for (const int threads : {1, 3}) {
    std::atomic<int> calls = 0, elsewhere = 0, many = 0;
    parallel_for(8, threads, [&](std::ptrdiff_t, int) {
      if (num_threads() != 1) ++many;
      parallel_for(8, 3, [&, outer = std::this_thread::get_id()](std::ptrdiff_t, int) {
        ++calls;
        if (std::this_thread::get_id() != outer) ++elsewhere;
      });
    });
    EXPECT_EQ(calls, 64);
    EXPECT_EQ(elsewhere, 0);
    EXPECT_EQ(many, 0);
  }
}

// More callers than there are places for loops, each with its own sums, numbers of threads and exceptions.
TEST(ParallelFor, ServesSeveralCallersAtOnce) {
  constexpr int kCallers = 12, kRounds = 200;
  std::atomic<int> wrong = 0;
  std::vector<std::jthread> callers;
  for (int caller = 0; caller < kCallers; ++caller)
    callers.emplace_back([&, caller] {
      for (int round = 0; round < kRounds; ++round) {
        std::vector<int> values(40, 0);
        const bool throws = round % 10 == 9;
        try {
          parallel_for(40, 2 + caller % 3, [&](std::ptrdiff_t i, int) {
            if (throws && i == 39) throw std::runtime_error(std::to_string(caller));
            values[at(i)] = caller + round;
          });
          if (throws) ++wrong;
          for (const int value : values)
            if (value != caller + round) ++wrong;
        } catch (const std::runtime_error& error) {
          if (!throws || error.what() != std::to_string(caller)) ++wrong;
        }
      }
    });
  callers.clear();
  EXPECT_EQ(wrong, 0);
}

// The count is that of the thread which asks, so each thread compares with what it saw first.
TEST(ParallelFor, AllocatesNothingOnceItsThreadsAreStarted) {
  if (!can_count_allocations()) GTEST_SKIP() << "allocations cannot be counted in this build";
  constexpr int kThreads = 3;
  parallel_for(4, kThreads, [](std::ptrdiff_t, int) {});
  std::vector<std::int64_t> first(kThreads, -1);
  std::atomic<int> grown = 0;
  for (int round = 0; round < 100; ++round)
    parallel_for(20, kThreads, [&](std::ptrdiff_t, int thread) {
      const std::int64_t now = allocation_count();
      std::int64_t& before = first[at(thread)];
      if (before < 0) before = now;
      if (now != before) ++grown;
    });
  EXPECT_EQ(grown, 0);
}

#if defined(__unix__)
// Runs the function in a child process and returns how that ended: its exit code, or -1.
template <typename Function>
int in_child(const Function& function) {
  parallel_for(4, 3, [](std::ptrdiff_t, int) {});  // so that there are threads
  const pid_t child = fork();
  if (child == 0) function();
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

// The threads of the parent are not there. alarm() ends a child that waits for them.
TEST(ParallelFor, WorksInAForkedProcess) {
  const int code = in_child([] {
    alarm(60);
    int sum = 0;  // no atomic: there is one thread
    parallel_for(100, 3, [&](std::ptrdiff_t i, int) { sum += static_cast<int>(i); });
    parallel_for(100, [&](std::ptrdiff_t i) { sum += static_cast<int>(i); });
    const int result = sum == 2 * 4950 && num_threads() == 1 ? 7 : 1;
    if (can_count_allocations()) std::exit(result);  // runs what waits for the threads at the end of a process
    _exit(result);                                   // a sanitizer would look for the threads
  });
  EXPECT_EQ(code, 7);
}
#endif

// A process ends while threads sleep, from inside a piece on any thread, and beside a running loop.
TEST(ParallelForDeathTest, LetsTheProcessEnd) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own, not a fork of one with threads
  const auto end = [](int code) { std::exit(code); };
  EXPECT_EXIT(
      {
        parallel_for(4, 3, [](std::ptrdiff_t, int) {});
        end(3);
      },
      testing::ExitedWithCode(3), "");
  EXPECT_EXIT(parallel_for(4, 3, [&](std::ptrdiff_t i, int) { i == 0 ? end(4) : std::this_thread::yield(); }),
              testing::ExitedWithCode(4), "");
  EXPECT_EXIT(
      {
        std::atomic<int> begun = 0;
        parallel_for(2, 2, [&, caller = std::this_thread::get_id()](std::ptrdiff_t, int) {
          ++begun;
          while (begun < 2) std::this_thread::yield();
          if (std::this_thread::get_id() != caller) end(5);
          while (true) std::this_thread::yield();
        });
      },
      testing::ExitedWithCode(5), "");
}

}  // namespace
}  // namespace loa
