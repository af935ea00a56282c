// The allocator of the C library, with a counter in front of it, for the whole test program.
#include "support/allocation_count.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cstdlib>
#include <memory>

#if defined(__has_feature)
#define LOA_HAS_FEATURE(x) __has_feature(x)
#else
#define LOA_HAS_FEATURE(x) 0
#endif

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !LOA_HAS_FEATURE(address_sanitizer) && !LOA_HAS_FEATURE(thread_sanitizer)
#define LOA_COUNT_ALLOCATIONS 1
#else
#define LOA_COUNT_ALLOCATIONS 0
#endif

namespace {

thread_local constinit std::int64_t count = 0;

}  // namespace

#if LOA_COUNT_ALLOCATIONS
extern "C" {

void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t number, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  ++count;
  return __libc_malloc(size);
}

void* calloc(std::size_t number, std::size_t size) {
  ++count;
  return __libc_calloc(number, size);
}

void* realloc(void* old, std::size_t size) {
  ++count;
  return __libc_realloc(old, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++count;
  return __libc_memalign(alignment, size);
}

}  // extern "C"
#endif

namespace loa {

bool can_count_allocations() { return LOA_COUNT_ALLOCATIONS; }

std::int64_t allocation_count() {
  // Compilers know that an allocation changes nothing a program can see, and would keep an older value of the counter.
  asm volatile("" : : : "memory");
  return count;
}

namespace {

// Compilers may leave out an allocation whose address nobody sees.
const void* volatile seen;

TEST(AllocationCount, SeesVectorsAndObjects) {
  if (!can_count_allocations()) GTEST_SKIP() << "allocations cannot be counted in this build";
  std::int64_t before = allocation_count();
  const Eigen::VectorXd vector(100);
  seen = vector.data();
  EXPECT_EQ(allocation_count(), before + 1) << vector.size();
  before = allocation_count();
  const auto object = std::make_unique<int[]>(1000);
  seen = object.get();
  EXPECT_EQ(allocation_count(), before + 1) << object[0];
  before = allocation_count();
  EXPECT_EQ(allocation_count(), before);
}

}  // namespace
}  // namespace loa
