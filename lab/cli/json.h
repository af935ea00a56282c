// JSON on standard output: one object, numbers that are not finite as null.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace loa::cli {

using Json = nlohmann::ordered_json;

// Text that is not UTF-8 (a path, say) gets replacement characters instead of an exception.
inline void print(const Json& json) { fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace)); }

}  // namespace loa::cli
