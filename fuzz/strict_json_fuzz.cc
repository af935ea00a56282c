#include <nlohmann/json.hpp>

#include "base/strict_json.h"
#include "fuzz/target.h"

// Parses JSON; what was parsed is not nested more deeply than allowed.
LOA_FUZZ_TARGET(strict_json) {
  nlohmann::json value;
  const std::string error = loa::parse_strict_json(bytes, 3, value).message();
  loa::fuzz::require_error_line(error, "");
  loa::fuzz::require(loa::in_quotes(bytes).find('\n') == std::string::npos, "quotes on one line", "a line break");
  if (!error.empty()) return false;
  for (const auto& a : value)
    for (const auto& b : a)
      for (const auto& c : b) loa::fuzz::require(!c.is_structured(), "no more than three levels", value.dump());
  return true;
}
