// Whole files in and out, with errors as one line of text.
#pragma once

#include <cstdint>
#include <string>

#include "loa/error.h"

namespace loa {

// What is to be read, and how much of it at most. The limits are far above what is written by loa or by hand, and keep
// a wrong name from filling the memory; docs/formats.md states them.
struct FileKind {
  const char* expected = "a file";                 // for messages: "PATH: found a directory, expected a file"
  std::uint64_t largest = std::uint64_t{1} << 36;  // bytes
  bool is_text = false;                            // reading stops at the first zero byte, which no text has
};

inline constexpr FileKind kWeightsFile = {.expected = "a file of weights", .largest = std::uint64_t{1} << 24};
inline constexpr FileKind kConfigFile = {.expected = "a text file with options", .largest = std::uint64_t{1} << 20};
inline constexpr FileKind kDataFile = {.expected = "a LIBSVM or CSV file", .is_text = true};
inline constexpr FileKind kStartFile = {.expected = "a text file with numbers", .is_text = true};

// The size of a pipe is not known before it ends: more than this is refused.
inline constexpr std::uint64_t kLargestPipe = std::uint64_t{1} << 32;

// Both functions return no error, or one line that starts with the path and says what is wrong.

// Reads everything in a regular file, or in a pipe without a name such as /dev/stdin or a process substitution of the
// shell. Whatever else has a name is refused before it is read, because it may never end (/dev/zero) or never begin (a
// FIFO to which nobody writes). The size is compared with the limit and with the memory of the machine before memory is
// taken. `bytes` is unchanged on failure. Throws nothing.
Error read_file(const std::string& path, std::string& bytes, const FileKind& kind = {});

// Writes to a new file beside the target, flushes it to disk, and renames it over the target: whoever reads the target
// sees the old content or the new one, never a part, even after a crash. A symbolic link is followed and stays a link.
// Refuses a target that exists and is not a regular file. A process that is killed while it writes leaves the new file
// behind; the next process that writes the target removes it.
Error write_file(const std::string& path, const std::string& bytes);

// Remove what killed writers left behind: of one file, and of all files of a folder that is loa's own, where write_file
// need not look again. What a living process writes stays.
void sweep_beside(const std::string& path);
void sweep_folder(const std::string& folder);

}  // namespace loa
