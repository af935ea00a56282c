// Loops over pieces of work on several threads: the only runtime for threads in the library.
//
// A piece is taken by whoever is free, and the calling thread takes pieces too. At the end it waits for the pieces that
// others have begun, and for nothing else: a thread that the system has not yet woken takes no piece, so beside a busy
// process a loop is as quick as on one thread. Which piece runs on which thread is left open. A caller that wants the
// same result for any number of threads lets each piece write to a place of its own, and adds up afterwards in order.
#pragma once

#include <cstddef>

#include "loa/threads.h"

namespace loa {

// `threads`, or num_threads() for 0.
inline int threads_or_default(int threads) { return threads > 0 ? threads : num_threads(); }

// On a thread where one of these lives, num_threads() is 1 and loops stay on the thread: for work that runs side by
// side already.
class SerialScope {
 public:
  SerialScope();
  ~SerialScope();
  SerialScope(const SerialScope&) = delete;
  SerialScope& operator=(const SerialScope&) = delete;
};

// Calls work(context, i, thread) for each i in [0, count) on at most `threads` threads. No two calls with the same
// number `thread`, which is in [0, threads), run at the same time; the caller's is 0. Pieces run inside a SerialScope.
// When a piece throws, the pieces that nobody has begun are skipped, and the first exception is thrown again here.
// Several threads may call this at the same time. Once the threads are started nothing is allocated.
// REQUIRES: count < 2^32.
void run_parallel(std::ptrdiff_t count, int threads, void (*work)(const void* context, std::ptrdiff_t i, int thread),
                  const void* context);

// The same for work(i, thread).
template <typename Work>
void parallel_for(std::ptrdiff_t count, int threads, const Work& work) {
  run_parallel(
      count, threads,
      [](const void* context, std::ptrdiff_t i, int thread) { (*static_cast<const Work*>(context))(i, thread); },
      &work);
}

// The same for work(i) on num_threads() threads; a single piece is simply called.
template <typename Work>
void parallel_for(std::ptrdiff_t count, const Work& work) {
  if (count == 1)
    work(std::ptrdiff_t{0});
  else
    parallel_for(count, num_threads(), [&](std::ptrdiff_t i, int) { work(i); });
}

}  // namespace loa
