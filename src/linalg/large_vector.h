// Vectors in large pages (base/large_pages.h).
#pragma once

#include "base/large_pages.h"
#include "loa/vector.h"

namespace loa {

// Makes v a vector of n numbers, which are undefined unless it was one already.
inline void resize_large(Vector& v, Index n) {
  if (v.size() == n) return;
  v.resize(n);
  use_large_pages(v.data(), static_cast<std::size_t>(n) * sizeof(double));
}

}  // namespace loa
