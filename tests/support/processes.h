// Runs a function in several processes that share a Reduction, as a program on several machines would, without MPI.
//
// The processes are forked and talk through shared memory. What would hang such a program is found and told instead:
// processes that leave while others wait, calls with different numbers, a process that dies, one that never comes back.
// Expectations belong into the parent: those of a child are lost with the child.
#pragma once

#include <linux/futex.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "loa/reduction.h"
#include "loa/threads.h"

namespace loa::test {

inline constexpr int kMaxProcesses = 4;
inline constexpr std::size_t kMaxNumbers = 4096;  // in one call, sums and maxima together

namespace processes_detail {
struct Board;  // the shared memory
}  // namespace processes_detail

// The Reduction of one process. Adds in the order of the ranks on every process, so that all get the same bits.
class ProcessReduction final : public Reduction {
 public:
  ProcessReduction(processes_detail::Board& board, int rank, int num_processes)
      : board_(board), rank_(rank), num_processes_(num_processes) {}

  int rank() const { return rank_; }
  int num_processes() const { return num_processes_; }
  std::int64_t num_calls() const { return num_calls_; }  // of reduce()

  void reduce(std::span<double> sums, std::span<double> maxima) const override;
  bool is_distributed() const override { return num_processes_ > 1; }

  // A sum that is not counted, for what a test needs beside the algorithm.
  void exchange(std::span<double> sums) const;

 private:
  enum class Kind : std::uint32_t { kReduce, kExchange };
  void all_reduce(Kind kind, std::span<double> sums, std::span<double> maxima) const;

  processes_detail::Board& board_;
  int rank_, num_processes_;
  mutable std::int64_t num_calls_ = 0;
};

// How one process ended: with what the function returned, or with an exception.
struct ProcessOutcome {
  enum class Kind : std::uint8_t { kReturned, kInvalidArgument, kOtherException };
  Kind kind = Kind::kOtherException;
  std::string bytes;  // what the function returned, or what() of the exception
  std::int64_t num_calls = 0;

  bool threw() const { return kind != Kind::kReturned; }
};

// How all of them ended. `failure` is empty when each process came back by itself; otherwise it says which process
// stood where, and `processes` is empty.
struct ProcessesOutcome {
  std::vector<ProcessOutcome> processes;
  std::string failure;
};

// Runs `body` in num_processes forked processes. A process that has not come back after `seconds` is ended, and the
// others with it. REQUIRES: 1 <= num_processes <= kMaxProcesses.
ProcessesOutcome run_processes(int num_processes, const std::function<std::string(const ProcessReduction&)>& body,
                               double seconds = 60.0);

// Values as bytes, one after the other, and back in the same order.
class Packer {
 public:
  template <typename T>
  void operator()(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void operator()(const std::string& text) {
    (*this)(text.size());
    bytes_ += text;
  }
  void operator()(const Vector& v) {
    (*this)(v.size());
    for (const double value : v) (*this)(value);
  }
  template <typename T>
  void operator()(const std::vector<T>& list) {
    (*this)(list.size());
    for (const T& value : list) (*this)(value);
  }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(std::string bytes) : bytes_(std::move(bytes)) {}

  template <typename T>
  void operator()(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(&value, bytes_.data() + position_, sizeof value);
    position_ += sizeof value;
  }
  void operator()(std::string& text) {
    std::size_t size = 0;
    (*this)(size);
    text = bytes_.substr(position_, size);
    position_ += size;
  }
  void operator()(Vector& v) {
    Index size = 0;
    (*this)(size);
    v.resize(size);
    for (double& value : v) (*this)(value);
  }
  template <typename T>
  void operator()(std::vector<T>& list) {
    std::size_t size = 0;
    (*this)(size);
    list.resize(size);
    for (T& value : list) (*this)(value);
  }

 private:
  std::string bytes_;
  std::size_t position_ = 0;
};

namespace processes_detail {

inline constexpr int kExitAfterFailure = 77;  // the process has written board.failure

// One of the two buffers of a process.
struct Call {
  std::uint32_t kind = 0;
  std::uint32_t num_sums = 0;
  std::uint32_t num_maxima = 0;
  double numbers[kMaxNumbers] = {};
};

// Call k of a process goes into calls[k % 2]. A process writes call k + 2 only after all have arrived at call k + 1,
// hence after all have read call k: two buffers are enough, and one wait a call.
struct Slot {
  std::atomic<std::uint32_t> arrived{0};    // how many calls the process has begun
  std::atomic<std::uint32_t> left{0};       // 1 when the process is no more; set by the parent
  std::atomic<std::uint32_t> waits_for{0};  // 1 + rank of the process that is waited for, 0 for none
  Call calls[2];
};

struct Board {
  Slot slots[kMaxProcesses];
  std::atomic<std::uint32_t> failed{0};
  char failure[1024] = {};
};

static_assert(std::atomic<std::uint32_t>::is_always_lock_free && sizeof(std::atomic<std::uint32_t>) == 4);

// std::atomic::wait works inside one process only.
inline void wait_while(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  const timespec look_again{.tv_sec = 0, .tv_nsec = 20'000'000};
  syscall(SYS_futex, &word, FUTEX_WAIT, value, &look_again, nullptr, 0);
}

inline void wake(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, kMaxProcesses, nullptr, nullptr, 0);
}

// "call 17 (3 sums, 1 maxima)"
inline std::string describe(const Call& call, std::uint32_t number) {
  return "call " + std::to_string(number) + " (" + (call.kind == 0 ? "" : "exchange, ") +
         std::to_string(call.num_sums) + " sums, " + std::to_string(call.num_maxima) + " maxima)";
}

inline std::string describe(const Board& board, int num_processes) {
  std::string text;
  for (int rank = 0; rank < num_processes; ++rank) {
    const Slot& slot = board.slots[rank];
    const std::uint32_t arrived = slot.arrived;
    if (rank > 0) text += "; ";
    text += "process " + std::to_string(rank);
    if (slot.left) {
      text += " has left after " + std::to_string(arrived) + " calls";
    } else if (const std::uint32_t other = slot.waits_for) {
      text += " waits for process " + std::to_string(other - 1) + " in " + describe(slot.calls[arrived % 2], arrived);
    } else {
      text += " computes after " + std::to_string(arrived) + " calls";
    }
  }
  return text;
}

// Leaves a message, that of the first who fails, and ends the process: an exception could be caught on its way.
[[noreturn]] inline void fail(Board& board, const std::string& text) {
  if (board.failed.exchange(1) == 0) std::snprintf(board.failure, sizeof board.failure, "%s", text.c_str());
  _exit(kExitAfterFailure);
}

// max, but NaN where one of the numbers is.
inline double larger(double a, double b) { return std::isnan(a) || a > b ? a : b; }

inline void write_all(int file, const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t written = write(file, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(1);
    done += static_cast<std::size_t>(written);
  }
}

[[noreturn]] inline void run_child(const ProcessReduction& reduction,
                                   const std::function<std::string(const ProcessReduction&)>& body, int file) {
  set_num_threads(1);
  ProcessOutcome outcome;
  try {
    outcome.bytes = body(reduction);
    outcome.kind = ProcessOutcome::Kind::kReturned;
  } catch (const std::invalid_argument& error) {
    outcome.kind = ProcessOutcome::Kind::kInvalidArgument;
    outcome.bytes = error.what();
  } catch (const std::exception& error) {
    outcome.bytes = error.what();
  } catch (...) {
    outcome.bytes = "an exception that is no std::exception";
  }
  Packer pack;
  pack(outcome.kind);
  pack(reduction.num_calls());
  pack(outcome.bytes);
  Packer framed;
  framed(pack.bytes());
  write_all(file, framed.bytes());
  _exit(0);
}

// The parent's side of a child.
struct Child {
  pid_t pid = -1;
  int file = -1;  // its pipe; -1 when it has been closed
  int status = 0;
  std::string bytes;
};

// Reads what has come. The end of the pipe is the end of the process.
inline void receive(Child& child, Slot& slot) {
  char buffer[65536];
  const ssize_t count = read(child.file, buffer, sizeof buffer);
  if (count < 0 && errno == EINTR) return;
  if (count > 0) {
    child.bytes.append(buffer, static_cast<std::size_t>(count));
    return;
  }
  close(child.file);
  child.file = -1;
  while (waitpid(child.pid, &child.status, 0) < 0 && errno == EINTR) continue;
  slot.left = 1;
  wake(slot.arrived);
}

// What is wrong with the end of a process, if anything.
inline std::string verdict(const Child& child) {
  if (WIFSIGNALED(child.status)) return "was ended by signal " + std::to_string(WTERMSIG(child.status));
  if (WEXITSTATUS(child.status) != 0) return "left with exit status " + std::to_string(WEXITSTATUS(child.status));
  std::size_t size = 0;
  if (child.bytes.size() >= sizeof size) std::memcpy(&size, child.bytes.data(), sizeof size);
  return child.bytes.size() == sizeof size + size && size > 0 ? "" : "left without a result";
}

inline ProcessOutcome unpack(const Child& child) {
  Unpacker framed(child.bytes);
  std::string bytes;
  framed(bytes);
  Unpacker unpack(bytes);
  ProcessOutcome outcome;
  unpack(outcome.kind);
  unpack(outcome.num_calls);
  unpack(outcome.bytes);
  return outcome;
}

}  // namespace processes_detail

inline void ProcessReduction::reduce(std::span<double> sums, std::span<double> maxima) const {
  ++num_calls_;
  all_reduce(Kind::kReduce, sums, maxima);
}

inline void ProcessReduction::exchange(std::span<double> sums) const { all_reduce(Kind::kExchange, sums, {}); }

inline void ProcessReduction::all_reduce(Kind kind, std::span<double> sums, std::span<double> maxima) const {
  using namespace processes_detail;
  Slot& own = board_.slots[rank_];
  const std::uint32_t number = own.arrived + 1;
  Call& call = own.calls[number % 2];
  if (sums.size() + maxima.size() > kMaxNumbers) fail(board_, "more numbers in a call than the test has room for");
  call.kind = static_cast<std::uint32_t>(kind);
  call.num_sums = static_cast<std::uint32_t>(sums.size());
  call.num_maxima = static_cast<std::uint32_t>(maxima.size());
  std::copy(sums.begin(), sums.end(), call.numbers);
  std::copy(maxima.begin(), maxima.end(), call.numbers + sums.size());
  own.arrived.store(number, std::memory_order_release);
  wake(own.arrived);
  for (int other = 0; other < num_processes_; ++other) {
    Slot& slot = board_.slots[other];
    own.waits_for = static_cast<std::uint32_t>(other + 1);
    for (;;) {
      // In this order: a process that has left has arrived wherever it was going to.
      const bool left = slot.left;
      const std::uint32_t arrived = slot.arrived.load(std::memory_order_acquire);
      if (arrived >= number) break;
      if (left || board_.failed) fail(board_, "deadlock: " + describe(board_, num_processes_));
      wait_while(slot.arrived, arrived);
    }
    const Call& theirs = slot.calls[number % 2];
    if (theirs.kind != call.kind || theirs.num_sums != call.num_sums || theirs.num_maxima != call.num_maxima)
      fail(board_, "mismatch: process " + std::to_string(rank_) + " makes " + describe(call, number) + ", process " +
                       std::to_string(other) + " makes " + describe(theirs, number));
  }
  own.waits_for = 0;
  for (std::size_t i = 0; i < sums.size() + maxima.size(); ++i) {
    double& result = i < sums.size() ? sums[i] : maxima[i - sums.size()];
    result = board_.slots[0].calls[number % 2].numbers[i];
    for (int other = 1; other < num_processes_; ++other) {
      const double theirs = board_.slots[other].calls[number % 2].numbers[i];
      result = i < sums.size() ? result + theirs : larger(result, theirs);
    }
  }
}

inline ProcessesOutcome run_processes(int num_processes,
                                      const std::function<std::string(const ProcessReduction&)>& body, double seconds) {
  using namespace processes_detail;
  if (num_processes < 1 || num_processes > kMaxProcesses)
    throw std::invalid_argument("run_processes: 1 to 4 processes");
  void* memory = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return {.processes = {}, .failure = "no shared memory"};
  Board& board = *new (memory) Board;

  ProcessesOutcome outcome;
  std::vector<Child> children(static_cast<std::size_t>(num_processes));
  for (int rank = 0; rank < num_processes; ++rank) {
    Child& child = children[static_cast<std::size_t>(rank)];
    int ends[2] = {-1, -1};
    if (pipe(ends) == 0 && (child.pid = fork()) == 0) {
      close(ends[0]);
      run_child(ProcessReduction(board, rank, num_processes), body, ends[1]);
    }
    close(ends[1]);
    child.file = ends[0];
    if (child.pid < 0) outcome.failure = "no process " + std::to_string(rank);
  }

  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  bool killed = false;
  for (;;) {
    std::vector<pollfd> files;
    std::vector<int> ranks;
    for (int rank = 0; rank < num_processes; ++rank)
      if (const Child& child = children[static_cast<std::size_t>(rank)]; child.pid >= 0 && child.file >= 0) {
        files.push_back({.fd = child.file, .events = POLLIN, .revents = 0});
        ranks.push_back(rank);
      }
    if (files.empty()) break;
    if (!killed && (!outcome.failure.empty() || std::chrono::steady_clock::now() > deadline)) {
      if (outcome.failure.empty()) outcome.failure = "not ended in time: " + describe(board, num_processes);
      for (const int rank : ranks) kill(children[static_cast<std::size_t>(rank)].pid, SIGKILL);
      killed = true;
    }
    poll(files.data(), files.size(), 50);
    for (std::size_t i = 0; i < files.size(); ++i)
      if (files[i].revents != 0) receive(children[static_cast<std::size_t>(ranks[i])], board.slots[ranks[i]]);
  }

  // A process that died explains a deadlock of the others, so it comes first.
  for (int rank = 0; rank < num_processes; ++rank) {
    const Child& child = children[static_cast<std::size_t>(rank)];
    const bool told = WIFEXITED(child.status) && WEXITSTATUS(child.status) == kExitAfterFailure && board.failed;
    if (child.pid < 0 || killed || told) continue;
    if (const std::string what = verdict(child); !what.empty())
      outcome.failure += "process " + std::to_string(rank) + " " + what + "; ";
  }
  if (board.failed) outcome.failure += board.failure;
  if (outcome.failure.empty())
    for (const Child& child : children) outcome.processes.push_back(unpack(child));
  munmap(memory, sizeof(Board));
  return outcome;
}

}  // namespace loa::test
