// A parser by recursive descent. The depth is checked before a list or an object is opened, so that the recursion is no
// deeper than the caller allows.
#include "base/strict_json.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "base/text.h"

namespace loa {
namespace {

constexpr char kHexDigits[] = "0123456789abcdef";

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

void append_utf8(std::uint32_t code, std::string& out) {
  const auto add = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  const auto add_tail = [&](int shift) { add(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xc0 | code >> 6);
    add_tail(0);
  } else if (code < 0x10000) {
    add(0xe0 | code >> 12);
    add_tail(6);
    add_tail(0);
  } else {
    add(0xf0 | code >> 18);
    add_tail(12);
    add_tail(6);
    add_tail(0);
  }
}

// The code of one character in UTF-8. REQUIRES: it is one.
std::uint32_t decode_utf8(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character[0]);
  std::uint32_t code = character.size() == 1 ? lead : lead & (0x7fu >> character.size());
  for (const char c : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3fu);
  return code;
}

class Parser {
 public:
  Parser(std::string_view text, int max_depth) : text_(text), max_depth_(max_depth) {}

  // The whole text as one value. Returns false with a mistake().
  bool parse(Json& value) {
    if (const std::size_t zero = text_.find('\0'); zero != text_.npos) {
      at_ = zero;
      return expected("text without zero bytes");
    }
    if (!parse_value(0, value)) return false;
    skip_space();
    return at_ == text_.size() || expected("the end of the text");
  }

  const std::string& mistake() const { return mistake_; }

 private:
  // --- mistakes, which all return false ------------------------------------------------------------------------------

  bool fail(std::string mistake) {
    mistake_ = std::move(mistake);
    return false;
  }

  // What stands at the place of the mistake: a character, a byte that is none, or nothing.
  std::string found() const {
    if (at_ == text_.size()) return "the end of the text";
    const std::string_view rest = text_.substr(at_);
    const std::size_t length = character_length(rest);
    if (length > 0) return quote(rest.substr(0, length));
    const auto byte = static_cast<unsigned char>(rest[0]);
    return std::string("the byte ") + kHexDigits[byte >> 4] + kHexDigits[byte & 15] + " in base 16";
  }

  bool expected(const char* what) {
    return fail("is not JSON, see byte " + std::to_string(at_ + 1) + ": found " + found() + ", expected " + what);
  }

  // --- characters ----------------------------------------------------------------------------------------------------

  bool is_at(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool is_at_digit() const { return at_ < text_.size() && is_digit(text_[at_]); }

  bool take(char c) {
    if (!is_at(c)) return false;
    ++at_;
    return true;
  }

  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  // --- values --------------------------------------------------------------------------------------------------------

  bool parse_value(int depth, Json& value) {
    skip_space();
    if (at_ == text_.size()) return expected("a value");
    const char first = text_[at_];
    if (first == '{' || first == '[') {
      if (depth >= max_depth_) return fail("is nested too deeply, see byte " + std::to_string(at_ + 1));
      ++at_;
      return first == '{' ? parse_object(depth + 1, value) : parse_list(depth + 1, value);
    }
    if (first == '"') {
      std::string parsed;
      if (!parse_text(parsed)) return false;
      value = Json(std::move(parsed));
      return true;
    }
    if (first == '-' || is_digit(first)) return parse_number(value);
    if (first == 't') return parse_word("true", Json(true), value);
    if (first == 'f') return parse_word("false", Json(false), value);
    if (first == 'n') return parse_word("null", Json(), value);
    return expected("a value");
  }

  bool parse_word(std::string_view word, Json meaning, Json& value) {
    for (const char c : word)
      if (!take(c)) return expected("true, false or null");
    value = std::move(meaning);
    return true;
  }

  bool parse_list(int depth, Json& value) {
    Json::List list;
    skip_space();
    if (!take(']')) {
      do {
        if (!parse_value(depth, list.emplace_back())) return false;
        skip_space();
      } while (take(','));
      if (!take(']')) return expected("',' or ']'");
    }
    value = Json(std::move(list));
    return true;
  }

  bool parse_object(int depth, Json& value) {
    Json::Object object;
    std::set<std::string> keys;
    skip_space();
    if (!take('}')) {
      do {
        skip_space();
        if (!is_at('"')) return expected("a key in double quotes");
        JsonMember& member = object.emplace_back();
        if (!parse_text(member.key)) return false;
        if (!keys.insert(member.key).second) return fail("has " + in_quotes(member.key) + " twice");
        skip_space();
        if (!take(':')) return expected("':'");
        if (!parse_value(depth, member.value)) return false;
        skip_space();
      } while (take(','));
      if (!take('}')) return expected("',' or '}'");
    }
    value = Json(std::move(object));
    return true;
  }

  // --- numbers -------------------------------------------------------------------------------------------------------

  bool take_digits() {
    if (!is_at_digit()) return expected("a digit");
    while (is_at_digit()) ++at_;
    return true;
  }

  bool parse_number(Json& value) {
    const std::size_t begin = at_;
    bool is_natural = !take('-');
    if (!take('0') && !take_digits()) return false;
    if (take('.')) {
      is_natural = false;
      if (!take_digits()) return false;
    }
    if (take('e') || take('E')) {
      is_natural = false;
      if (!take('+')) take('-');
      if (!take_digits()) return false;
    }
    const std::string_view written = text_.substr(begin, at_ - begin);
    Json::Number number;
    if (parse_real(written, number.value) != ParsedReal::kOk)
      return fail("has a number that is out of range, see byte " + std::to_string(begin + 1));
    if (is_natural)
      number.is_natural =
          std::from_chars(written.data(), written.data() + written.size(), number.natural).ec == std::errc();
    value = Json(number);
    return true;
  }

  // --- text ----------------------------------------------------------------------------------------------------------

  // REQUIRES: the place is at the opening quote.
  bool parse_text(std::string& out) {
    ++at_;
    while (!take('"')) {
      if (take('\\')) {
        if (!parse_escape(out)) return false;
        continue;
      }
      const std::string_view rest = text_.substr(at_);
      const std::size_t length = rest.empty() ? 0 : character_length(rest);
      if (length == 0) return expected(rest.empty() ? "'\"'" : "text in UTF-8");
      if (length == 1 && static_cast<unsigned char>(rest[0]) < 0x20) return expected("an escape such as \\n");
      out += rest.substr(0, length);
      at_ += length;
    }
    return true;
  }

  // What follows a backslash.
  bool parse_escape(std::string& out) {
    constexpr std::string_view kLetters = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    if (take('u')) return parse_code(out);
    const std::size_t letter = at_ < text_.size() ? kLetters.find(text_[at_]) : kLetters.npos;
    if (letter == kLetters.npos) return expected("one of \" \\ / b f n r t u after a backslash");
    out += kMeanings[letter];
    ++at_;
    return true;
  }

  // What follows \u: a character, or the first half of a pair that must have its second.
  bool parse_code(std::string& out) {
    std::uint32_t code = 0;
    const std::size_t begin = at_;
    if (!parse_hex(code)) return false;
    if (code >= 0xd800 && code < 0xdc00) {
      std::uint32_t low = 0;
      if (!take('\\') || !take('u')) return expected("the second half of a surrogate pair");
      const std::size_t second = at_;
      if (!parse_hex(low)) return false;
      if (low < 0xdc00 || low > 0xdfff) {
        at_ = second;
        return expected("the second half of a surrogate pair");
      }
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code <= 0xdfff) {
      at_ = begin;
      return expected("the first half of a surrogate pair before its second");
    }
    append_utf8(code, out);
    return true;
  }

  bool parse_hex(std::uint32_t& code) {
    for (int i = 0; i < 4; ++i) {
      const char c = at_ < text_.size() ? text_[at_] : ' ';
      const int digit = is_digit(c)            ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) return expected("four digits in base 16 after \\u");
      code = code << 4 | static_cast<std::uint32_t>(digit);
      ++at_;
    }
    return true;
  }

  std::string_view text_;
  int max_depth_;
  std::size_t at_ = 0;
  std::string mistake_;
};

void append_hex(std::uint32_t code, std::string& out) {
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kHexDigits[code >> shift & 15];
}

// What JSON cannot hold between quotes as it is.
void append_escaped(char c, std::string& out) {
  constexpr std::string_view kMeanings = "\"\\\b\f\n\r\t", kLetters = "\"\\bfnrt";
  const std::size_t letter = kMeanings.find(c);
  if (letter != kMeanings.npos) {
    out += '\\';
    out += kLetters[letter];
  } else {
    append_hex(static_cast<unsigned char>(c), out);
  }
}

bool needs_escape(char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; }

}  // namespace

// Here and not in the class, where JsonMember is not complete: clang 14 asks for its destructor in each of them.
Json::Json(bool value) : value_(value) {}
Json::Json(Number value) : value_(value) {}
Json::Json(std::string value) : value_(std::move(value)) {}
Json::Json(List value) : value_(std::move(value)) {}
Json::Json(Object value) : value_(std::move(value)) {
  std::sort(std::get<Object>(value_).begin(), std::get<Object>(value_).end(),
            [](const JsonMember& a, const JsonMember& b) { return a.key < b.key; });
}

const Json* Json::find(std::string_view key) const {
  const Object* members = object();
  if (members == nullptr) return nullptr;
  const auto found =
      std::lower_bound(members->begin(), members->end(), key,
                       [](const JsonMember& member, std::string_view name) { return member.key < name; });
  return found != members->end() && found->key == key ? &found->value : nullptr;
}

Error parse_strict_json(std::string_view text, int max_depth, Json& value) {
  Parser parser(text, max_depth);
  Json parsed;
  if (!parser.parse(parsed)) return parser.mistake();
  value = std::move(parsed);
  return {};
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) needs_escape(c) ? append_escaped(c, out) : void(out += c);
  return out + '"';
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  std::string out = "\"";
  const std::string shown = valid_utf8(text.substr(0, kLongest));
  for (std::size_t at = 0; at < shown.size();) {
    const std::string_view character =
        std::string_view(shown).substr(at, character_length(std::string_view(shown).substr(at)));
    const std::uint32_t code = decode_utf8(character);
    if (code >= 0x10000) {
      append_hex(0xd800 + ((code - 0x10000) >> 10), out);
      append_hex(0xdc00 + ((code - 0x10000) & 0x3ff), out);
    } else if (code >= 0x7f) {
      append_hex(code, out);
    } else if (needs_escape(character[0])) {
      append_escaped(character[0], out);
    } else {
      out += character;
    }
    at += character.size();
  }
  return out + (text.size() > kLongest ? "\"..." : "\"");
}

}  // namespace loa
