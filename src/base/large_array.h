// A fixed number of doubles that may be many megabytes.
//
// Aligned to a cache line, or to a large page and made of such (base/large_pages.h).
#pragma once

#include <cstddef>
#include <memory>

namespace loa {

class LargeArray {
 public:
  LargeArray() = default;
  // All zero. Throws std::bad_alloc.
  explicit LargeArray(std::size_t size);
  LargeArray(const LargeArray& other);
  LargeArray& operator=(const LargeArray& other);
  LargeArray(LargeArray&&) noexcept = default;
  LargeArray& operator=(LargeArray&&) noexcept = default;

  std::size_t size() const { return size_; }
  double* data() { return data_.get(); }
  const double* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(double* data) const;
  };

  std::size_t size_ = 0;
  std::unique_ptr<double, Free> data_;
};

}  // namespace loa
