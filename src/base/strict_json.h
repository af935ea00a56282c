// JSON (RFC 8259) from files that nobody vouches for.
//
// Strict where parsers commonly are not: two equal keys of an object, a zero byte, text that is not UTF-8, half of a
// surrogate pair, a number beyond the largest double, more nesting than the caller expects and anything after the value
// are mistakes. A mistake is a returned text and not an exception.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "loa/error.h"

namespace loa {

struct JsonMember;

// A value of JSON.
class Json {
 public:
  using List = std::vector<Json>;
  using Object = std::vector<JsonMember>;  // sorted by key

  struct Number {
    double value = 0.0;
    bool is_natural = false;  // written without sign, point and exponent, and below 2^64
    std::uint64_t natural = 0;
  };

  Json() = default;
  explicit Json(bool value);
  explicit Json(Number value);
  explicit Json(std::string value);
  explicit Json(List value);
  explicit Json(Object value);

  // The value as what it is, or null where it is something else.
  const bool* boolean() const { return std::get_if<bool>(&value_); }
  const Number* number() const { return std::get_if<Number>(&value_); }
  const std::string* text() const { return std::get_if<std::string>(&value_); }
  const List* list() const { return std::get_if<List>(&value_); }
  const Object* object() const { return std::get_if<Object>(&value_); }

  // The member of an object, or null where this is no object or has no such key.
  const Json* find(std::string_view key) const;

 private:
  std::variant<std::monostate, bool, Number, std::string, List, Object> value_;
};

struct JsonMember {
  std::string key;
  Json value;
};

// Parses `text` in full, with at most `max_depth` objects and lists inside each other. Returns no error, or what is
// wrong as a sentence without a subject: "is not JSON, see byte 12: found '}', expected a value". Bytes count
// from 1.
Error parse_strict_json(std::string_view text, int max_depth, Json& value);

// Text as JSON writes it, in quotes. REQUIRES: it is UTF-8.
std::string json_text(std::string_view text);

// Text from a file in quotes on one line for a message, whatever it contains: in ASCII, and cut where it is long.
std::string in_quotes(std::string_view text);

}  // namespace loa
