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
// Refuses a target that exists and is not a regular file. A process that is killed while it writes leaves the new file
// behind; the next process that writes the target removes it.
std::string write_file(const std::string& path, const std::string& bytes);

// Remove what killed writers left behind: of one file, and of all files of a folder that is loa's own, where write_file
// need not look again. What a living process writes stays.
void sweep_beside(const std::string& path);
void sweep_folder(const std::string& folder);

}  // namespace loa
