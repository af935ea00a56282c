#include "base/strict_json.h"
#include "fuzz/target.h"
#include "tests/support/reference_json.h"

// Parses JSON; verdict and value are those of another parser. What is refused is refused with one line.
LOA_FUZZ_TARGET(strict_json) {
  constexpr int kDepth = 3;
  loa::Json value;
  const std::string error = loa::parse_strict_json(bytes, kDepth, value).message();
  loa::fuzz::require_error_line(error, "");
  loa::fuzz::require(loa::in_quotes(bytes).find('\n') == std::string::npos, "quotes on one line", "a line break");
  const auto reference = loa::test::reference_json(bytes, kDepth);
  loa::fuzz::require(error.empty() == reference.has_value(), "the verdict of nlohmann::json", error);
  if (reference)
    loa::fuzz::require(loa::test::same_json(value, *reference), "the value of nlohmann::json", reference->dump());
  return error.empty();
}
