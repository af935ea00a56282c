#include "problem/libsvm_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/text.h"
#include "problem/line_reader.h"

namespace loa {
namespace {

// The next item of `rest`, which is shortened by it; empty at the end of the line or at a comment.
std::string_view next_item(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  if (!rest.empty() && rest.front() == '#') rest = rest.substr(rest.size());
  const std::string_view item = rest.substr(0, rest.find_first_of(" \t#"));
  rest.remove_prefix(item.size());
  return item;
}

// Reads `item` as an index above `last`. Returns what is wrong, if anything is.
Error parse_index(std::string_view item, std::int64_t last, std::int64_t& index) {
  const bool digits = !item.empty() && item.find_first_not_of("0123456789") == std::string_view::npos;
  if (!digits) return "found the index " + quote(item) + ", expected a whole number from 1";
  if (!parse_integer(item, index) || index > kMaxColumns) {
    return "found the index " + quote(item) + ", expected at most " + std::to_string(kMaxColumns);
  }
  if (index == 0) return "found the index 0, expected indices that count from 1";
  if (index <= last) {
    return "found the index " + std::to_string(index) + " after " + std::to_string(last) +
           ", expected increasing indices";
  }
  return {};
}

// Reads the items behind the label of the reader's current line.
Error parse_features(const LineReader& reader, std::string_view rest, DataMatrix& features) {
  std::int64_t last = 0;
  for (std::string_view item = next_item(rest); !item.empty(); item = next_item(rest)) {
    const std::size_t colon = item.find(':');
    if (colon == std::string_view::npos) {
      return reader.complain(item.data(), "found " + quote(item) + ", expected index:value");
    }
    std::int64_t index = 0;
    if (const Error wrong_index = parse_index(item.substr(0, colon), last, index))
      return reader.complain(item.data(), wrong_index.message());
    const std::string_view field = item.substr(colon + 1);
    if (field.empty()) {
      return reader.complain(item.data(), "found " + quote(item) + ", expected a value after the colon");
    }
    double value = 0.0;
    if (parse_real(field, value) != ParsedReal::kOk) {
      return reader.complain(field.data(), found_instead_of_number(field) + ", expected a finite number");
    }
    features.columns.push_back(static_cast<std::int32_t>(index - 1));
    features.values.push_back(value);
    last = index;
  }
  features.cols = std::max<Index>(features.cols, last);
  return {};
}

}  // namespace

Error parse_libsvm(std::string_view text, const std::string& name, Dataset& data) {
  Dataset parsed;
  std::vector<double> targets;
  parsed.features.offsets.push_back(0);
  LineReader reader(text, name);
  while (reader.next()) {
    std::string_view rest = reader.line();
    const std::string_view label = next_item(rest);
    double target = 0.0;
    if (parse_real(label, target) != ParsedReal::kOk) {
      return reader.complain(
          label.data(),
          found_instead_of_number(label) + ", expected a finite number as the label (LIBSVM: label index:value ...)");
    }
    if (const Error wrong = parse_features(reader, rest, parsed.features)) return wrong;
    targets.push_back(target);
    parsed.lines.push_back(reader.number());
    parsed.features.offsets.push_back(static_cast<Index>(parsed.features.values.size()));
  }
  if (targets.empty()) return reader.complain("found no rows, expected LIBSVM or CSV data");
  if (parsed.features.cols == 0) return reader.complain("found labels and no features, expected index:value items");
  parsed.features.rows = static_cast<Index>(targets.size());
  parsed.targets = Eigen::Map<const Vector>(targets.data(), parsed.features.rows);
  data = std::move(parsed);
  return {};
}

}  // namespace loa
