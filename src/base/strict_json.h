// JSON from files that nobody vouches for.
//
// Layer: base. nlohmann::json by itself keeps the last of two equal keys, takes a zero byte for the end of the text,
// and nests as deeply as the text says; here all three are mistakes, and none is an exception.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "loa/error.h"

namespace loa {

// Parses `text` in full, with at most `max_depth` objects and lists inside each other. Returns no error, or what
// is wrong as a sentence without a subject: "is not JSON, see byte 12".
Error parse_strict_json(std::string_view text, int max_depth, nlohmann::json& value);

// Text from a file in quotes on one line for a message, whatever it contains.
std::string in_quotes(std::string_view text);

}  // namespace loa
