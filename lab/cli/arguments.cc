#include "cli/arguments.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/text.h"
#include "cli/commands.h"

namespace loa::cli {
namespace fs = std::filesystem;

std::string flag_of(std::string name) {
  std::ranges::replace(name, '_', '-');
  return "--" + name;
}

double parse_number(const std::string& flag, const std::string& text, Range range) {
  double value = 0.0;
  if (parse_real(text, value) != ParsedReal::kOk || !contains(range, value))
    throw Mistake(fmt::format("{}: found {}, expected {}", flag, quote(text), range_words(range)));
  return value;
}

CLI::Option* add_number(CLI::App& app, const std::string& flag, double& value, Range range, const std::string& help) {
  return app.add_option_function<std::string>(
      flag, [&value, flag, range](const std::string& text) { value = parse_number(flag, text, range); }, help);
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

CLI::Validator one_of(std::vector<std::string> words) {
  const auto check = [words = std::move(words)](const std::string& text) -> std::string {
    if (std::ranges::count(words, text) > 0) return {};
    return "found " + quote(text) + ", expected one of " + join(words) + suggestion(text, words);
  };
  return CLI::Validator(check, "");
}

CLI::Validator in_small_letters() {
  const auto change = [](std::string& text) -> std::string {
    text = lower_case(text);
    return {};
  };
  return CLI::Validator(change, "");
}

CLI::Validator integer_of_at_least(std::int64_t low) {
  const auto check = [low](const std::string& text) -> std::string {
    std::int64_t parsed = 0;
    if (parse_integer(text, parsed) && parsed >= low) return {};
    return fmt::format("found {}, expected an integer of at least {}", quote(text), low);
  };
  return CLI::Validator(check, "");
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
  // Permissions tell only half of it: a new file in the folder is the proof, one without a name where the file system
  // has such files, so that a program that is killed leaves none behind.
  int descriptor = -1;
  errno = EOPNOTSUPP;
#ifdef O_TMPFILE
  descriptor = open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR);
#endif
  std::string trial;
  if (descriptor < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
    trial = (folder / ".loa-XXXXXX").string();
    descriptor = mkstemp(trial.data());
  }
  if (descriptor < 0)
    refuse(fmt::format("which cannot be written ({}), expected a folder that can", std::strerror(errno)));
  close(descriptor);
  if (!trial.empty()) unlink(trial.c_str());
}

void lock_folder(const std::string& flag, const std::string& folder, FileLock& lock) {
  refuse_if(lock.acquire((fs::path(folder) / ".loa.lock").string(), fmt::format("{} '{}'", flag, printable(folder))));
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return a == b || (fs::equivalent(a, b, error) && !error);
}

}  // namespace loa::cli
