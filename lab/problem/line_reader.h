// Walks over the lines of a text in memory and words the complaints of the data readers.
#pragma once

#include <string>
#include <string_view>

#include "loa/vector.h"

namespace loa {

class LineReader {
 public:
  // `text` must outlive the reader. A byte order mark at its beginning is skipped.
  LineReader(std::string_view text, std::string name);

  // Moves to the next line that is neither blank nor a comment (its first visible character is '#'). Returns false at
  // the end of the text.
  bool next();

  // The current line without its end, "\n" or "\r\n".
  std::string_view line() const { return line_; }
  Index number() const { return number_; }  // of the current line, from 1

  // "NAME:LINE:COLUMN: WHAT" for a place inside line(); mentions that the file may be cut off when its last line has no
  // end.
  std::string complain(const char* place, const std::string& what) const;
  // "NAME: WHAT", for the text as a whole.
  std::string complain(const std::string& what) const { return name_ + ": " + what; }

 private:
  std::string_view rest_, line_;
  std::string name_;
  Index number_ = 0;
  bool has_end_ = false;  // of the current line
};

// `text` without spaces and tabs at both ends.
std::string_view trimmed(std::string_view text);

// What a field that should have been a number was, for messages: "found 'abc'" with the reason it was refused.
std::string found_instead_of_number(std::string_view field);

}  // namespace loa
