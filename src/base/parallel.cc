#include "base/parallel.h"

#include <atomic>
#include <stdexcept>
#include <string>

#if defined(_OPENMP)
#include <omp.h>
#endif
#if defined(__unix__)
#include <pthread.h>
#endif

namespace loa {
namespace {

std::atomic<int> wanted{0};
thread_local int serial_scopes = 0;

// The threads of OpenMP do not survive a fork: GCC's library would wait for them for ever.
std::atomic<bool> is_forked{false};

[[maybe_unused]] bool watch_forks() {
#if defined(__unix__)
  pthread_atfork(nullptr, nullptr, [] { is_forked = true; });
#endif
  return true;
}

}  // namespace

void set_num_threads(int num_threads) {
  if (num_threads < 0)
    throw std::invalid_argument("set_num_threads: expected 0 or more, found " + std::to_string(num_threads));
  wanted = num_threads;
}

int num_threads() {
#if defined(_OPENMP)
  static const bool watched = watch_forks();
  if (!watched || is_forked || serial_scopes > 0) return 1;
  return wanted > 0 ? wanted.load() : omp_get_max_threads();
#else
  return 1;
#endif
}

void run_parallel(std::ptrdiff_t count, void (*work)(const void* context, std::ptrdiff_t i), const void* context) {
#if defined(_OPENMP)
  if (const int threads = num_threads(); threads > 1) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (std::ptrdiff_t i = 0; i < count; ++i) work(context, i);
    return;
  }
#endif
  for (std::ptrdiff_t i = 0; i < count; ++i) work(context, i);  // without waking OpenMP
}

SerialScope::SerialScope() { ++serial_scopes; }

SerialScope::~SerialScope() { --serial_scopes; }

}  // namespace loa
