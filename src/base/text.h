// Numbers out of text and words into error messages, the same in every locale.
//
// Parsing is std::from_chars, which never looks at the locale, plus the two things that it leaves out: a leading '+',
// and the difference between a number too large for a double and one too small.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loa {

enum class ParsedReal {
  kOk,         // the whole text is one finite number
  kMalformed,  // not a number, or a number with something behind it
  kTooLarge,   // a number beyond the largest double, such as 1e999
  kNotFinite,  // the words nan or inf
};

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads the whole of `text` as a decimal real. A number too small for a double becomes a zero of its sign. `value` is
// untouched unless the result is kOk.
ParsedReal parse_real(std::string_view text, double& value);

// Reads the whole of `text` as a decimal integer. Returns false, and leaves `value` alone, when it is none or does not
// fit.
bool parse_integer(std::string_view text, std::int64_t& value);

// `text` on one line: control bytes become \xNN.
std::string printable(std::string_view text);

// The length of the character in UTF-8 at the beginning of `text`, or 0 where there is none (RFC 3629: neither longer
// than needed, nor half of a surrogate pair, nor beyond U+10FFFF). REQUIRES: `text` is not empty.
std::size_t character_length(std::string_view text);

// `text` with every byte that is no part of a character in UTF-8 replaced by U+FFFD.
std::string valid_utf8(std::string_view text);

// The number of characters of a text in UTF-8.
std::size_t letters(std::string_view text);

// `text` in single quotes on one line: control bytes become \xNN, and a long text is cut with "...".
std::string quote(std::string_view text);

// The shortest decimal text that reads back as the same double.
std::string real_text(double value);

// At most `digits` significant digits, as printf's %g writes them.
std::string real_text(double value, int digits);

// `text` with small letters in place of capital ones, of those of ASCII. Names are looked up so.
std::string lower_case(std::string_view text);

// The words joined by ", ".
std::string join(const std::vector<std::string>& words);

// ", did you mean 'WORD'?" for the candidate nearest to `word`, or an empty string when none is near: at most one edit
// (insert, delete, replace) for every three letters.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace loa
