// What went wrong in the outside world: a file, a format, a name that somebody typed.
//
// Layer: base. Programmer's mistakes throw and numerical outcomes are a Status (docs/architecture.md); neither is here.
#pragma once

#include <string>
#include <utility>

#include "loa/export.h"

LOA_EXPORT_BEGIN
namespace loa {

// The result of a function that may fail because of the outside world: nothing, or one line that says what is wrong,
// such as "PATH: found ..., expected ...". The compiler warns about an Error that nobody looks at:
//
//   if (Error error = load_state(path, state)) return error;
class [[nodiscard]] Error {
 public:
  Error() = default;  // no error, like an empty message
  Error(std::string message) : message_(std::move(message)) {}
  Error(const char* message) : message_(message) {}

  explicit operator bool() const { return !message_.empty(); }  // whether there is an error
  // One line; empty without an error.
  const std::string& message() const& { return message_; }
  std::string message() && { return std::move(message_); }

 private:
  std::string message_;
};

}  // namespace loa
LOA_EXPORT_END
