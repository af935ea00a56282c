// TO BE REMOVED when loa/threads.h is there: everything the benchmarks need of threads, and what they do without.
#pragma once

#if __has_include("loa/threads.h")
#include "loa/threads.h"
#define LOA_BENCH_HAS_THREADS 1
#else
#define LOA_BENCH_HAS_THREADS 0
#endif

namespace bench {

inline int most_threads() { return LOA_BENCH_HAS_THREADS ? 2 : 1; }

inline void use_threads([[maybe_unused]] int count) {
#if LOA_BENCH_HAS_THREADS
  loa::set_num_threads(count);
#endif
}

}  // namespace bench
