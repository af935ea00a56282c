#include "cli/arguments.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/text.h"
#include "cli/commands.h"

namespace loa::cli {
namespace fs = std::filesystem;

double parse_number(const std::string& flag, const std::string& text, const Bound& bound) {
  double value = 0.0;
  const bool is_number = parse_real(text, value) == ParsedReal::kOk;
  if (!is_number || !(bound.above ? value > bound.low : value >= bound.low))
    throw Mistake(fmt::format("{}: found {}, expected a finite number {} {}", flag, quote(text),
                              bound.above ? "above" : "of at least", bound.low));
  return value;
}

CLI::Option* add_number(CLI::App& app, const std::string& flag, double& value, const Bound& bound,
                        const std::string& help) {
  return app.add_option_function<std::string>(
      flag, [&value, flag, bound](const std::string& text) { value = parse_number(flag, text, bound); }, help);
}

CLI::Option* add_count(CLI::App& app, const std::string& flag, std::int64_t& value, std::int64_t low,
                       const std::string& help) {
  return app.add_option_function<std::string>(
      flag,
      [&value, flag, low](const std::string& text) {
        std::int64_t parsed = 0;
        if (!parse_integer(text, parsed) || parsed < low)
          throw Mistake(fmt::format("{}: found {}, expected an integer of at least {}", flag, quote(text), low));
        value = parsed;
      },
      help);
}

void require_writable(const std::string& flag, const std::string& path) {
  const auto refuse = [&](const std::string& what) {
    throw Mistake(fmt::format("{}: found '{}', {}", flag, printable(path), what));
  };
  if (path.empty()) refuse("expected the name of a file");
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored))
    refuse(fs::is_directory(path, ignored) ? "which is a folder, expected a file"
                                           : "which is no regular file, expected one");
  fs::path folder = fs::path(path).parent_path();
  if (folder.empty()) folder = ".";
  if (!fs::is_directory(folder, ignored)) refuse("expected a file in a folder that exists");
  if (fs::path(path).filename().empty()) refuse("expected the name of a file");
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    refuse(fmt::format("which cannot be written ({}), expected a folder that can", std::strerror(errno)));
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return a == b || (fs::equivalent(a, b, error) && !error);
}

}  // namespace loa::cli
