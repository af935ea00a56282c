#include "base/large_array.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "base/large_pages.h"

namespace loa {
namespace {

constexpr std::size_t kCacheLine = 64;

std::size_t alignment_for(std::size_t bytes) { return bytes < 2 * kLargePage ? kCacheLine : kLargePage; }

}  // namespace

LargeArray::LargeArray(std::size_t size) : size_(size) {
  if (size == 0) return;
  const std::size_t alignment = alignment_for(size * sizeof(double));
  const std::size_t bytes = (size * sizeof(double) + alignment - 1) / alignment * alignment;
  data_.reset(static_cast<double*>(std::aligned_alloc(alignment, bytes)));
  if (data_ == nullptr) throw std::bad_alloc();
  use_large_pages(data_.get(), bytes);
  std::fill_n(data_.get(), size, 0.0);
}

LargeArray::LargeArray(const LargeArray& other) : LargeArray(other.size_) { std::copy_n(other.data(), size_, data()); }

LargeArray& LargeArray::operator=(const LargeArray& other) {
  if (this == &other) return *this;
  if (size_ != other.size_) *this = LargeArray(other.size_);
  std::copy_n(other.data(), size_, data());
  return *this;
}

void LargeArray::Free::operator()(double* data) const { std::free(data); }

}  // namespace loa
