#include "problem/line_reader.h"

#include <algorithm>
#include <cstddef>

#include "base/text.h"

namespace loa {

LineReader::LineReader(std::string_view text, std::string name) : rest_(text), name_(std::move(name)) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (rest_.substr(0, kByteOrderMark.size()) == kByteOrderMark) rest_.remove_prefix(kByteOrderMark.size());
}

bool LineReader::next() {
  while (!rest_.empty()) {
    const std::size_t end = rest_.find('\n');
    has_end_ = end != std::string_view::npos;
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(has_end_ ? end + 1 : rest_.size());
    ++number_;
    if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
    const std::size_t visible = line_.find_first_not_of(" \t");
    if (visible != std::string_view::npos && line_[visible] != '#') return true;
  }
  return false;
}

std::string LineReader::complain(const char* place, const std::string& what) const {
  const auto column = place - line_.data() + 1;
  return name_ + ":" + std::to_string(number_) + ":" + std::to_string(column) + ": " + what +
         (has_end_ ? "" : " (the last line has no line end: is the file cut off?)");
}

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

std::string found_instead_of_number(std::string_view field) {
  double ignored = 0.0;
  switch (parse_real(field, ignored)) {
    case ParsedReal::kTooLarge:
      return "found " + quote(field) + ", which is too large for a double";
    case ParsedReal::kNotFinite:
      return "found " + quote(field) + ", which is not finite";
    default:
      return "found " + quote(field);
  }
}

}  // namespace loa
