// Counts the heap allocations of this thread, for tests of "allocates nothing".
//
//   const std::int64_t before = allocation_count();
//   model.predict(input, prediction);
//   EXPECT_EQ(allocation_count(), before);
#pragma once

#include <cstdint>

namespace loa {

// False where counting does not work: under sanitizers, which have an allocator of their own, and without glibc.
bool can_count_allocations();

// How often malloc, calloc, realloc or aligned_alloc was called by this thread; operator new and Eigen end there too.
std::int64_t allocation_count();

}  // namespace loa
