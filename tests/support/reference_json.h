// What nlohmann::json says about a text, with the same rules as base/strict_json.h put on top of it: no key twice, no
// zero byte, no byte-order mark, a limit of depth. For comparisons by tests and by the fuzz target.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/strict_json.h"

namespace loa::test {

// The value, or nothing where the text is refused.
inline std::optional<nlohmann::json> reference_json(std::string_view text, int max_depth) {
  using nlohmann::json;
  if (text.find('\0') != text.npos || text.starts_with("\xEF\xBB\xBF")) return std::nullopt;
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  bool is_good = true;
  const auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
    using Event = json::parse_event_t;
    if (depth >= max_depth && (event == Event::object_start || event == Event::array_start)) is_good = false;
    if (!is_good) return false;
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key) is_good = keys.back().insert(parsed.get_ref<const std::string&>()).second;
    return is_good;
  };
  try {
    json value = json::parse(text, watch);
    if (is_good) return value;
  } catch (const json::exception&) {
  }
  return std::nullopt;
}

// Whether the two are the same value: structure, keys, text, numbers to the last bit, and which numbers are natural.
inline bool same_json(const Json& ours, const nlohmann::json& theirs) {
  if (ours.object() != nullptr) {
    if (!theirs.is_object() || ours.object()->size() != theirs.size()) return false;
    for (const auto& [key, value] : *ours.object())
      if (!theirs.contains(key) || !same_json(value, theirs[key])) return false;
    return true;
  }
  if (ours.list() != nullptr) {
    if (!theirs.is_array() || ours.list()->size() != theirs.size()) return false;
    for (std::size_t i = 0; i < theirs.size(); ++i)
      if (!same_json((*ours.list())[i], theirs[i])) return false;
    return true;
  }
  if (ours.text() != nullptr) return theirs.is_string() && theirs.get_ref<const std::string&>() == *ours.text();
  if (const Json::Number* number = ours.number()) {
    return theirs.is_number() && number->value == theirs.get<double>() &&
           number->is_natural == theirs.is_number_unsigned() &&
           (!number->is_natural || number->natural == theirs.get<std::uint64_t>());
  }
  if (ours.boolean() != nullptr) return theirs.is_boolean() && theirs.get<bool>() == *ours.boolean();
  return theirs.is_null();
}

}  // namespace loa::test
