// Parsing of SPEC and its typed getters; the contract is in the header.
#include "problem/spec.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace loa {
namespace {

std::string range_text(const char* kind, const std::string& low, const std::string& high) {
  return std::string("expected ") + kind + " from " + low + " to " + high;
}

std::string not_in_range(const std::string& key, const std::string& found, const std::string& expected) {
  return "found " + key + "=" + quote(found) + ", " + expected;
}

}  // namespace

Error Spec::parse(const std::string& text, Spec& spec) {
  Spec parsed;
  parsed.text_ = text;
  const auto complain = [&text](const std::string& what) {
    return (text.empty() ? "the empty spec" : printable(text)) + ": " + what;
  };

  const std::size_t colon = text.find(':');
  parsed.name_ = text.substr(0, colon);
  if (parsed.name_.empty()) return complain("found no name, expected NAME or NAME:key=value,...");

  std::string_view rest = colon == std::string::npos ? std::string_view() : std::string_view(text).substr(colon + 1);
  if (colon != std::string::npos && rest.empty()) return complain("found nothing after ':', expected key=value,...");
  for (bool first = true, more = !rest.empty(); more; first = false) {
    const std::size_t comma = rest.find(',');
    std::string_view part = rest.substr(0, comma);
    more = comma != std::string_view::npos;
    if (more) rest.remove_prefix(comma + 1);
    part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));  // "n=100, seed=3"

    const std::size_t equals = part.find('=');
    if (part.empty()) return complain("found an empty part between commas, expected key=value");
    if (equals == std::string_view::npos && !first) return complain("found " + quote(part) + ", expected key=value");
    if (equals == std::string_view::npos) {
      parsed.variant_ = std::string(part);
      continue;
    }
    const std::string key(part.substr(0, equals)), value(part.substr(equals + 1));
    if (key.empty()) return complain("found " + quote(part) + " without a key, expected key=value");
    if (value.empty()) return complain("found " + quote(part) + " without a value, expected key=value");
    if (!parsed.values_.emplace(key, value).second) return complain("found the key " + quote(key) + " twice");
  }
  spec = std::move(parsed);
  return {};
}

bool Spec::has(const std::string& key) const { return values_.count(key) != 0; }

std::string Spec::text_value(const std::string& key, const std::string& otherwise) {
  known_.insert(key);
  const auto found = values_.find(key);
  return found == values_.end() ? otherwise : found->second;
}

Index Spec::integer(const std::string& key, Index otherwise, Index low, Index high) {
  const std::string found = text_value(key, "");
  if (!has(key)) return otherwise;
  std::int64_t value = 0;
  if (parse_integer(found, value) && value >= low && value <= high) return static_cast<Index>(value);
  fail(not_in_range(key, found, range_text("an integer", std::to_string(low), std::to_string(high))));
  return otherwise;
}

double Spec::real(const std::string& key, double otherwise, double low, double high) {
  const std::string found = text_value(key, "");
  if (!has(key)) return otherwise;
  double value = 0.0;
  if (parse_real(found, value) == ParsedReal::kOk && value >= low && value <= high) return value;
  fail(not_in_range(key, found, range_text("a number", real_text(low), real_text(high))));
  return otherwise;
}

std::string Spec::choice(const std::string& key, const std::set<std::string>& words, const std::string& otherwise) {
  const std::string found = text_value(key, otherwise);
  if (!has(key) || words.count(found) != 0) return found;
  fail(not_in_range(key, found, "expected one of " + join({words.begin(), words.end()})));
  return otherwise;
}

void Spec::fail(const std::string& what) {
  if (error_.empty()) error_ = what;
}

Error Spec::finish() const {
  if (!error_.empty()) return printable(text_) + ": " + error_;
  for (const auto& [key, value] : values_) {
    if (known_.count(key) != 0) continue;
    const std::vector<std::string> known(known_.begin(), known_.end());
    const std::string expected = known.empty() ? "expected no keys" : "expected one of " + join(known);
    return printable(text_) + ": found the key " + quote(key) + ", " + expected + suggestion(key, known);
  }
  return {};
}

}  // namespace loa
