// Would catch: a harness of processes that hangs where the processes do, that calls a deadlock a success, that mixes
// two calls up, that adds in another order on another process, or that loses a NaN or a result.
#include "support/processes.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

#include "support/objectives.h"

namespace loa::test {
namespace {

using testing::HasSubstr;

std::string packed(const std::vector<double>& values) {
  Packer pack;
  pack(values);
  return pack.bytes();
}

std::vector<double> unpacked(const std::string& bytes) {
  std::vector<double> values;
  Unpacker unpack(bytes);
  unpack(values);
  return values;
}

TEST(Processes, ReduceSumsAndMaximaInOneCall) {
  for (const int p : {1, 2, 3}) {
    const ProcessesOutcome outcome = run_processes(p, [](const ProcessReduction& reduction) {
      const double rank = reduction.rank();
      double sums[] = {1.0, rank}, maxima[] = {rank, -rank};
      reduction.reduce(sums, maxima);
      return packed({sums[0], sums[1], maxima[0], maxima[1]});
    });
    ASSERT_EQ(outcome.failure, "");
    ASSERT_EQ(outcome.processes.size(), static_cast<std::size_t>(p));
    for (const ProcessOutcome& process : outcome.processes) {
      EXPECT_FALSE(process.threw());
      EXPECT_EQ(process.num_calls, 1);
      EXPECT_THAT(unpacked(process.bytes), testing::ElementsAre(p, p * (p - 1) / 2, p - 1, 0.0));
    }
  }
}

// 1 + 1e16 - 1e16 depends on the order.
TEST(Processes, AddInTheOrderOfTheRanks) {
  const ProcessesOutcome outcome = run_processes(3, [](const ProcessReduction& reduction) {
    const double values[] = {1.0, 1e16, -1e16};
    std::vector<double> results;
    for (int i = 0; i < 1000; ++i) {
      double sum = values[reduction.rank()];
      reduction.sum({&sum, 1});
      results.push_back(sum);
    }
    return packed(results);
  });
  ASSERT_EQ(outcome.failure, "");
  for (const ProcessOutcome& process : outcome.processes)
    for (const double sum : unpacked(process.bytes)) ASSERT_EQ(sum, (1.0 + 1e16) - 1e16);
}

TEST(Processes, CarryNaNThroughMaxima) {
  for (const int culprit : {0, 1, 2}) {
    const ProcessesOutcome outcome = run_processes(3, [culprit](const ProcessReduction& reduction) {
      double maximum = reduction.rank() == culprit ? kNaN : 1.0;
      reduction.max(maximum);
      return packed({maximum});
    });
    ASSERT_EQ(outcome.failure, "");
    for (const ProcessOutcome& process : outcome.processes) EXPECT_TRUE(std::isnan(unpacked(process.bytes)[0]));
  }
}

// Calls of many kinds in a row, with processes that are early and late: no call sees the numbers of another.
TEST(Processes, KeepManyCallsApart) {
  const ProcessesOutcome outcome = run_processes(3, [](const ProcessReduction& reduction) {
    for (int call = 0; call < 3000; ++call) {
      const std::size_t count = static_cast<std::size_t>(call % 7);
      std::vector<double> sums(count, call), maxima(3, call * (reduction.rank() + 1.0));
      if (call % 3 == 0)
        reduction.exchange(sums);
      else
        reduction.reduce(sums, maxima);
      for (const double sum : sums)
        if (sum != 3.0 * call) throw std::runtime_error("wrong sum in call " + std::to_string(call));
      for (const double maximum : maxima)
        if (call % 3 != 0 && maximum != 3.0 * call) throw std::runtime_error("wrong maximum");
    }
    return std::string();
  });
  ASSERT_EQ(outcome.failure, "");
  for (const ProcessOutcome& process : outcome.processes) {
    EXPECT_EQ(process.bytes, "");
    EXPECT_EQ(process.num_calls, 2000);
  }
}

TEST(Processes, BringLongResultsAndExceptionsBack) {
  const ProcessesOutcome outcome = run_processes(3, [](const ProcessReduction& reduction) -> std::string {
    if (reduction.rank() == 1) throw std::invalid_argument("no good");
    if (reduction.rank() == 2) throw std::runtime_error("worse");
    return std::string(1'000'000, 'x');
  });
  ASSERT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.processes[0].bytes, std::string(1'000'000, 'x'));
  EXPECT_EQ(outcome.processes[1].kind, ProcessOutcome::Kind::kInvalidArgument);
  EXPECT_EQ(outcome.processes[1].bytes, "no good");
  EXPECT_EQ(outcome.processes[2].kind, ProcessOutcome::Kind::kOtherException);
  EXPECT_EQ(outcome.processes[2].bytes, "worse");
}

TEST(Processes, TellADeadlockWithTheCallInWhichItHappened) {
  const ProcessesOutcome outcome = run_processes(2, [](const ProcessReduction& reduction) {
    double sums[] = {1.0, 2.0, 3.0};
    for (int i = 0; i < 5 - reduction.rank(); ++i) reduction.sum(sums);
    return std::string();
  });
  EXPECT_THAT(outcome.failure, HasSubstr("deadlock"));
  EXPECT_THAT(outcome.failure, HasSubstr("process 0 waits for process 1 in call 5 (3 sums, 0 maxima)"));
  EXPECT_THAT(outcome.failure, HasSubstr("process 1 has left after 4 calls"));
  EXPECT_TRUE(outcome.processes.empty());
}

TEST(Processes, TellCallsThatDoNotFit) {
  const ProcessesOutcome numbers = run_processes(2, [](const ProcessReduction& reduction) {
    double values[2] = {};
    reduction.sum({values, static_cast<std::size_t>(1 + reduction.rank())});
    return std::string();
  });
  EXPECT_THAT(numbers.failure, HasSubstr("mismatch"));
  EXPECT_THAT(numbers.failure, HasSubstr("call 1 (1 sums, 0 maxima)"));
  EXPECT_THAT(numbers.failure, HasSubstr("call 1 (2 sums, 0 maxima)"));

  const ProcessesOutcome kinds = run_processes(2, [](const ProcessReduction& reduction) {
    double value = 0.0;
    if (reduction.rank() == 0)
      reduction.sum({&value, 1});
    else
      reduction.exchange({&value, 1});
    return std::string();
  });
  EXPECT_THAT(kinds.failure, HasSubstr("mismatch"));

  const ProcessesOutcome room = run_processes(2, [](const ProcessReduction& reduction) {
    std::vector<double> values(kMaxNumbers + 1);
    reduction.sum(values);
    return std::string();
  });
  EXPECT_THAT(room.failure, HasSubstr("more numbers"));
}

TEST(Processes, TellWhoDied) {
  const ProcessesOutcome killed = run_processes(3, [](const ProcessReduction& reduction) {
    double value = 0.0;
    reduction.sum({&value, 1});
    if (reduction.rank() == 2) raise(SIGKILL);
    reduction.sum({&value, 1});
    return std::string();
  });
  EXPECT_THAT(killed.failure, HasSubstr("process 2 was ended by signal 9"));

  const ProcessesOutcome gone = run_processes(2, [](const ProcessReduction& reduction) {
    if (reduction.rank() == 1) _exit(3);
    return std::string();
  });
  EXPECT_THAT(gone.failure, HasSubstr("process 1 left with exit status 3"));

  const ProcessesOutcome silent = run_processes(2, [](const ProcessReduction& reduction) {
    if (reduction.rank() == 1) _exit(0);
    return std::string();
  });
  EXPECT_THAT(silent.failure, HasSubstr("process 1 left without a result"));
}

TEST(Processes, EndTheOnesThatNeverComeBack) {
  const ProcessesOutcome outcome = run_processes(
      3,
      [](const ProcessReduction& reduction) {
        double value = 0.0;
        while (reduction.rank() == 1) pause();
        reduction.sum({&value, 1});
        return std::string();
      },
      0.3);
  EXPECT_THAT(outcome.failure, HasSubstr("not ended in time"));
  EXPECT_THAT(outcome.failure, HasSubstr("process 1 computes after 0 calls"));
}

}  // namespace
}  // namespace loa::test
