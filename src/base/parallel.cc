#include "base/parallel.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/cores.h"

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

namespace loa {
namespace {

std::atomic<int> wanted{0};
thread_local int serial_scopes = 0;

// The threads do not survive a fork, so in the child every loop stays on its caller.
std::atomic<bool> is_forked{false};

// How long a thread looks for a change before it sleeps. A thread that looks for as long as waking it costs spends at
// most twice what it would if it knew when the change comes. On an idle virtual machine a sleeping thread begins 20 to
// 25 us after it is called, and calling it takes 10 us. Two threads gain 1.1, 1.5, 1.7 and 1.7 in an iteration of
// l-bfgs with n = 33000 (0.6 ms) when they look for 5, 20, 50 and 100 us.
constexpr std::chrono::microseconds kLook{50};
constexpr int kLooksPerClock = 16;  // a look takes 14 ns, the clock 23 ns

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Returns when `word` is not `old`.
void wait_for_change(const std::atomic<std::uint32_t>& word, std::uint32_t old) {
  const auto end = std::chrono::steady_clock::now() + kLook;
  do {
    for (int i = 0; i < kLooksPerClock; ++i) {
      if (word.load() != old) return;
      relax();
    }
  } while (std::chrono::steady_clock::now() < end);
  word.wait(old);
}

// A place for one running loop. Whoever lowers `open` has a piece, and the loop cannot end before the piece is done. So
// the members that the caller writes while no piece is open need no lock, and it does not matter how late a thread
// comes.
struct alignas(64) Loop {
  std::atomic<bool> is_taken{false};  // by a caller

  // Written by the caller while no piece is open.
  void (*work)(const void* context, std::ptrdiff_t i, int thread) = nullptr;
  const void* context = nullptr;
  std::uint32_t count = 0;

  std::atomic<std::uint64_t> open{0};  // 2^32 times the number of threads allowed, plus the pieces not yet begun
  std::atomic<std::uint32_t> done{0};  // pieces that are finished or skipped
  std::atomic<bool> has_failed{false};
  std::exception_ptr error;  // written by the first that fails

  static std::uint32_t pieces_of(std::uint64_t open_pieces) { return static_cast<std::uint32_t>(open_pieces); }

  // Begins and ends pieces until none is open for the thread with this number.
  void help(int thread) {
    const SerialScope scope;
    std::uint64_t now = open.load();
    while (pieces_of(now) > 0 && static_cast<std::uint64_t>(thread) < now >> 32) {
      if (!open.compare_exchange_weak(now, now - 1)) continue;
      std::uint32_t ended = 1;
      try {
        work(context, count - pieces_of(now), thread);
      } catch (...) {
        if (!has_failed.exchange(true)) error = std::current_exception();
        ended += pieces_of(open.exchange(0));
      }
      // `count` may change once the last piece is done.
      if (const std::uint32_t all = count; done.fetch_add(ended) + ended == all) done.notify_all();
      now = open.load();
    }
  }
};

class Runtime {
 public:
  // A free place for a loop, or nullptr when all are taken: then there is work enough for all cores, and the caller
  // does its own alone.
  Loop* take_place() {
    const auto free = std::ranges::find_if(loops_, [](Loop& loop) { return !loop.is_taken.exchange(true); });
    return free == loops_.end() ? nullptr : &*free;
  }

  // Has so many workers look for open pieces; those that may help have numbers below `threads`.
  void call(int number, int threads) {
    if (num_workers_ < number) start_workers(number);
    ++posted_;
    if (num_workers_ >= threads) {
      posted_.notify_all();  // one alone might be one that may not help
    } else {
      for (int i = 0; i < number; ++i) posted_.notify_one();
    }
  }

  // For the end of the process, or of the library in it. Where a loop is running now the process ends inside or beside
  // it: a worker that is in a piece might wait for the very thread that is here, so nobody waits for workers.
  void stop() {
    if (is_forked) return;
    const std::lock_guard lock(starting_);
    is_stopping_ = true;
    ++posted_;
    posted_.notify_all();
    const bool is_inside = std::ranges::any_of(loops_, [](const Loop& loop) { return loop.is_taken.load(); });
    for (std::thread& worker : workers_) is_inside ? worker.detach() : worker.join();
    workers_.clear();
  }

 private:
  void start_workers(int number);

  void run_worker(int thread) {
    while (true) {
      const std::uint32_t seen = posted_.load();
      if (is_stopping_) return;
      for (Loop& loop : loops_) loop.help(thread);
      wait_for_change(posted_, seen);
    }
  }

  std::array<Loop, 8> loops_;
  std::atomic<std::uint32_t> posted_{0};  // changes with each new loop
  std::atomic<bool> is_stopping_{false};
  std::atomic<int> num_workers_{0};

  std::mutex starting_;
  std::vector<std::thread> workers_;
  int most_workers_ = std::numeric_limits<int>::max();
};

// Never destroyed: a thread may be inside while the process ends.
Runtime& runtime() {
  static Runtime& only = *new Runtime;
  return only;
}

struct StopAtExit {
  StopAtExit() {
#if defined(__unix__) || defined(__APPLE__)
    pthread_atfork(nullptr, nullptr, [] { is_forked = true; });
#endif
  }
  ~StopAtExit() { runtime().stop(); }
};

void Runtime::start_workers(int number) {
  const std::lock_guard lock(starting_);
  static const StopAtExit stop_at_exit;
  try {
    while (num_workers_ < std::min(number, most_workers_) && !is_stopping_) {
      workers_.emplace_back([this, thread = num_workers_ + 1] { run_worker(thread); });
      ++num_workers_;
    }
  } catch (const std::exception&) {
    most_workers_ = num_workers_;  // the system gives no more; a loop works with what there is
  }
}

}  // namespace

void set_num_threads(int num_threads) {
  if (num_threads < 0)
    throw std::invalid_argument("set_num_threads: expected 0 or more, found " + std::to_string(num_threads));
  wanted = num_threads;
}

int num_threads() {
  if (is_forked || serial_scopes > 0) return 1;
  if (const int number = wanted; number > 0) return number;
  static const int by_default = default_num_threads();
  return by_default;
}

void run_parallel(std::ptrdiff_t count, int threads, void (*work)(const void* context, std::ptrdiff_t i, int thread),
                  const void* context) {
  const bool is_serial = count <= 1 || threads <= 1 || serial_scopes > 0 || is_forked;
  Loop* const loop = is_serial ? nullptr : runtime().take_place();
  if (loop == nullptr) {
    const SerialScope scope;
    for (std::ptrdiff_t i = 0; i < count; ++i) work(context, i, 0);
    return;
  }
  loop->work = work;
  loop->context = context;
  loop->count = static_cast<std::uint32_t>(count);
  loop->has_failed = false;
  loop->done = 0;
  loop->open = (static_cast<std::uint64_t>(threads) << 32) + loop->count;
  runtime().call(static_cast<int>(std::min<std::ptrdiff_t>(threads, count)) - 1, threads);
  loop->help(0);
  for (std::uint32_t done = loop->done; done != loop->count; done = loop->done) wait_for_change(loop->done, done);
  const std::exception_ptr error = std::exchange(loop->error, nullptr);
  loop->is_taken = false;
  if (error) std::rethrow_exception(error);
}

SerialScope::SerialScope() { ++serial_scopes; }

SerialScope::~SerialScope() { --serial_scopes; }

}  // namespace loa
