// Whole files in and out, with errors as one line of text.
//
// Layer: base.
#pragma once

#include <string>

namespace loa {

// Both return an empty string, or one line that starts with the path and says what is wrong.

// Reads everything in the file. `bytes` is unchanged on failure.
std::string read_file(const std::string& path, std::string& bytes);

// Writes to a new file beside the target, flushes it to disk, and renames it over the target: whoever reads the target
// sees the old content or the new one, never a part, even after a crash. A symbolic link is followed and stays a link.
// Refuses a target that exists and is not a regular file.
std::string write_file(const std::string& path, const std::string& bytes);

}  // namespace loa
