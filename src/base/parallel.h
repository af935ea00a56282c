// Loops over pieces of work on several threads.
//
// Layer: base.
#pragma once

#include <cstddef>

#include "loa/threads.h"

namespace loa {

// On a thread where one of these lives, num_threads() is 1: for work that runs side by side already.
class SerialScope {
 public:
  SerialScope();
  ~SerialScope();
  SerialScope(const SerialScope&) = delete;
  SerialScope& operator=(const SerialScope&) = delete;
};

// Calls work(context, i) for each i in [0, count), in any order and on num_threads() threads. Only the file behind this
// is compiled with OpenMP, under which Eigen would start threads of its own.
void run_parallel(std::ptrdiff_t count, void (*work)(const void* context, std::ptrdiff_t i), const void* context);

// Calls work(i) for each i in [0, count), likewise. work must not throw.
template <typename Work>
void parallel_for(std::ptrdiff_t count, const Work& work) {
  if (count <= 1) {
    for (std::ptrdiff_t i = 0; i < count; ++i) work(i);
    return;
  }
  run_parallel(
      count, [](const void* context, std::ptrdiff_t i) { (*static_cast<const Work*>(context))(i); }, &work);
}

}  // namespace loa
