#include <algorithm>

#include "fuzz/target.h"
#include "problem/dataset.h"

// Parses LIBSVM or CSV data and looks at every entry.
LOA_FUZZ_TARGET(dataset) {
  loa::Dataset data;
  const std::string error = loa::parse_dataset(bytes, "file", data).message();
  loa::fuzz::require_error_line(error, "file:");
  if (!error.empty()) return false;
  const loa::DataMatrix& a = data.features;
  const auto rows = static_cast<std::size_t>(a.rows), cols = static_cast<std::size_t>(a.cols);
  bool fits = a.rows >= 1 && a.cols >= 1 && data.targets.size() == a.rows && data.lines.size() == rows;
  fits = fits && (a.is_sparse() ? a.offsets.size() == rows + 1 && a.columns.size() == a.values.size()
                                : a.values.size() == rows * cols);
  const auto inside = [&](std::int32_t column) { return column >= 0 && column < a.cols; };
  fits = fits && std::ranges::all_of(a.columns, inside) && data.targets.allFinite();
  loa::fuzz::require(fits, "a matrix whose parts fit together", "another");
  return true;
}
