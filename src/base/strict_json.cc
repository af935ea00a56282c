// The checks ride on the parser's callback, so that a hostile text is refused before it becomes a large value.
#include "base/strict_json.h"

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

namespace loa {

using nlohmann::json;

Error parse_strict_json(std::string_view text, int max_depth, json& value) {
  if (const std::size_t zero = text.find('\0'); zero != text.npos) {
    return "is not JSON, see byte " + std::to_string(zero + 1);
  }
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  std::string mistake;
  const auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
    using Event = json::parse_event_t;
    if (!mistake.empty()) return false;
    if (depth >= max_depth && (event == Event::object_start || event == Event::array_start)) {
      mistake = "is nested too deeply";
    } else if (event == Event::object_start) {
      keys.emplace_back();
    } else if (event == Event::object_end) {
      keys.pop_back();
    } else if (event == Event::key) {
      const auto& name = parsed.get_ref<const std::string&>();
      if (!keys.back().insert(name).second) mistake = "has " + in_quotes(name) + " twice";
    }
    return mistake.empty();
  };
  try {
    value = json::parse(text, watch);
  } catch (const json::parse_error& error) {
    return "is not JSON, see byte " + std::to_string(error.byte);
  } catch (const json::exception&) {
    return "has a number that is out of range";
  }
  return mistake;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  const bool cut = text.size() > kLongest;
  return json(text.substr(0, kLongest)).dump(-1, ' ', true, json::error_handler_t::replace) + (cut ? "..." : "");
}

}  // namespace loa
