// A series as a memory of earlier solves. The rules are in docs/warm-starts.md.
#include "loa/series.h"

#include <utility>

namespace loa {

class Series::Memory {
 public:
  SeriesReport report;
  WarmStart last;
};

const char* name(SeriesStart start) {
  switch (start) {
    case SeriesStart::kGiven:
      return "given";
    case SeriesStart::kLast:
      return "last";
    case SeriesStart::kPath:
      return "path";
  }
  return "";
}

Series::Series(Options options) : options_(std::move(options)), memory_(std::make_unique<Memory>()) {}
Series::Series(const Series& other) : options_(other.options_), memory_(std::make_unique<Memory>(*other.memory_)) {}
Series& Series::operator=(const Series& other) { return *this = Series(other); }
Series::Series(Series&&) noexcept = default;
Series& Series::operator=(Series&&) noexcept = default;
Series::~Series() = default;

Summary Series::minimize(Objective& f, const Vector& x0) {
  Options o = options_;
  const bool known = memory_->last.x().size() == x0.size();
  if (known) o.warm = memory_->last;
  Summary s = loa::minimize(f, known ? memory_->last.x() : x0, o);
  memory_->last = WarmStart(s);
  return s;
}
}  // namespace loa
