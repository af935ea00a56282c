// Options with a checked value. The parser's own conversions say neither what was found nor what was expected.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "base/range.h"
#include "files/file_lock.h"

namespace loa::cli {

// "--first-step" of "first_step".
std::string flag_of(std::string name);

// Returns the number in `text`, or throws a Mistake that starts with `flag`.
double parse_number(const std::string& flag, const std::string& text, Range range);

CLI::Option* add_number(CLI::App& app, const std::string& flag, double& value, Range range, const std::string& help);

// An integer of at least `low`.
CLI::Option* add_count(CLI::App& app, const std::string& flag, std::int64_t& value, std::int64_t low,
                       const std::string& help);

// Checks of an option's text, for what the parser converts itself.
CLI::Validator one_of(std::vector<std::string> words);
CLI::Validator integer_of_at_least(std::int64_t low);
// Makes capital letters small, for names: stands before one_of().
CLI::Validator in_small_letters();

// A file that will be written at the end of a long run is tried before it: throws a Mistake unless `path` is a new or a
// regular file in a folder that can be written.
void require_writable(const std::string& flag, const std::string& path);

// Takes the lock of a folder that a run writes into, or throws a Mistake when another run has it.
void lock_folder(const std::string& flag, const std::string& folder, FileLock& lock);

// True when both name the same existing file, or the same text.
bool same_file(const std::string& a, const std::string& b);

}  // namespace loa::cli
