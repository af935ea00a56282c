// POSIX calls rather than streams, because a stream can neither flush to disk nor say why it failed.
#include "base/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <mutex>
#include <new>
#include <set>
#include <system_error>

#include "base/text.h"

namespace loa {
namespace {

// A descriptor that is closed when it goes out of scope.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }

 private:
  int fd_;
};

// "PATH: cannot be read: No such file or directory". Called right after the failing call: reads errno.
std::string failure(const std::string& path, const char* what) {
  const int error = errno;
  return printable(path) + ": " + what + ": " + std::generic_category().message(error);
}

// "PATH: found a directory, expected a file".
std::string unexpected(const std::string& path, const std::string& found, const FileKind& kind) {
  return printable(path) + ": found " + found + ", expected " + kind.expected;
}

// What it is that cannot be read to its end with certainty, or nullptr. A pipe of the shell has no name: /dev/stdin and
// /dev/fd/N lead to it, but to no path. One that has a name may wait for ever for somebody who writes to it.
const char* other_than_file_or_pipe(const std::string& path, const struct stat& info) {
  if (S_ISREG(info.st_mode)) return nullptr;
  if (S_ISDIR(info.st_mode)) return "a directory";
  if (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode)) return "a device";
  if (!S_ISFIFO(info.st_mode)) return "what is no file";
  std::error_code error;
  const bool has_name = !std::filesystem::canonical(path, error).empty() && !error;
  return has_name ? "a FIFO" : nullptr;
}

// What is read stays in memory, so a file that is larger than the memory is of no use.
std::uint64_t memory_of_machine() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
}

bool write_all(int fd, const std::string& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

// TARGET.tmp-PROCESS-NUMBER is the name of a temporary file. Its writer holds a lock on it (flock), which the system
// takes away when the writer dies: a temporary file whose lock is free was left behind.
constexpr char kInfix[] = ".tmp-";

// The target of a temporary file, or an empty string where `name` is the name of no temporary file.
std::string target_of(const std::string& name) {
  const std::size_t at = name.rfind(kInfix);
  if (at == std::string::npos || at == 0) return "";
  const std::string numbers = name.substr(at + sizeof kInfix - 1);
  const std::size_t dash = numbers.find('-');
  const auto is_number = [](const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  };
  const bool fits =
      dash != std::string::npos && is_number(numbers.substr(0, dash)) && is_number(numbers.substr(dash + 1));
  return fits ? name.substr(0, at) : "";
}

// Whether `path` is still a name of the open file.
bool is_named(int fd, const char* path) {
  struct stat open, named;
  return ::fstat(fd, &open) == 0 && ::lstat(path, &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

// Removes a temporary file unless its writer lives. Where the file system has no locks nobody knows, and it stays.
void remove_if_left_behind(const std::string& path) {
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status;
  if (!fd.valid() || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0 && is_named(fd.get(), path.c_str())) ::unlink(path.c_str());
}

// The folder of a file, never empty.
std::filesystem::path folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder;
}

// Removes what writers of `target` left behind, or writers of all files of the folder where `target` is empty.
void sweep(const std::filesystem::path& folder, const std::string& target) {
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error), end;
  for (; !error && entry != end; entry.increment(error)) {
    const std::string found = target_of(entry->path().filename().string());
    if (!found.empty() && (target.empty() || found == target)) remove_if_left_behind(entry->path().string());
  }
}

// What this process has swept: folders that are loa's own, and files. Once is enough: what others leave behind later is
// for the next process.
struct Swept {
  std::mutex mutex;
  std::set<std::string> folders, targets;
};

Swept& swept() {
  static Swept* const places = new Swept;  // never destroyed: files are written until the very end
  return *places;
}

void sweep_before_first_write(const std::string& target) {
  {
    const std::lock_guard<std::mutex> guard(swept().mutex);
    if (swept().folders.contains(folder_of(target).string()) || !swept().targets.insert(target).second) return;
  }
  sweep(folder_of(target), std::filesystem::path(target).filename().string());
}

// A file that did not exist before, beside the target, with the permissions that the user's mask allows, locked.
// Returns its descriptor or -1, and its name.
int create_beside(const std::string& target, std::string& name) {
  static std::atomic<unsigned> counter{0};
  constexpr int kAttempts = 100;  // names left over by crashed processes of the same number
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    name = target + kInfix + std::to_string(::getpid()) + "-" + std::to_string(counter++);
    const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno != EEXIST) return fd;
    if (fd < 0) continue;
    ::flock(fd, LOCK_EX);  // where there are no locks nobody removes the file either
    if (is_named(fd, name.c_str())) return fd;
    ::close(fd);  // somebody who sweeps was quicker than the lock
  }
  return -1;
}

// Makes the rename itself durable. Some file systems cannot do that for a folder, and the data are safe anyway.
void sync_folder(const std::string& path) {
  const Descriptor fd(::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.valid()) ::fsync(fd.get());
}

}  // namespace

Error read_file(const std::string& path, std::string& bytes, const FileKind& kind) {
  // Without O_NONBLOCK opening a FIFO waits for somebody who writes to it.
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd.valid()) return errno == ENOENT ? unexpected(path, "no such file", kind) : failure(path, "cannot be read");
  struct stat info;
  if (::fstat(fd.get(), &info) != 0) return failure(path, "cannot be read");
  if (const char* other = other_than_file_or_pipe(path, info)) return unexpected(path, other, kind);
  const bool is_pipe = S_ISFIFO(info.st_mode);
  const std::uint64_t largest = std::min({kind.largest, memory_of_machine(), is_pipe ? kLargestPipe : kind.largest});
  const auto size = is_pipe ? 0 : static_cast<std::uint64_t>(std::max<off_t>(info.st_size, 0));
  const auto too_large = [&](const std::string& found) {
    return unexpected(path, found + " bytes", kind) + " of at most " + std::to_string(largest);
  };
  if (size > largest) return too_large(std::to_string(size));
  // From here on waiting is right: a pipe without a name has somebody who writes to it, or ends.
  if (::fcntl(fd.get(), F_SETFL, O_RDONLY) != 0) return failure(path, "cannot be read");
  try {
    std::string content;
    // One byte more than the size, to see the end. A file of the system (/proc) says 0 and has more.
    content.reserve(static_cast<std::size_t>(size) + 1);
    std::array<char, 1 << 16> buffer;
    while (true) {
      const ssize_t count = ::read(fd.get(), buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return failure(path, "cannot be read");
      if (count == 0) break;
      const auto length = static_cast<std::size_t>(count);
      content.append(buffer.data(), length);
      if (content.size() > largest) return too_large("more than " + std::to_string(largest));
      if (kind.is_text && std::memchr(buffer.data(), '\0', length) != nullptr) break;
    }
    bytes = std::move(content);
  } catch (const std::bad_alloc&) {
    return path + ": cannot be read: too large for the memory of this machine";
  }
  return {};
}

Error write_file(const std::string& path, const std::string& bytes) {
  std::string target = path;
  struct stat old;
  const bool exists = ::stat(path.c_str(), &old) == 0;
  if (exists) {
    if (!S_ISREG(old.st_mode)) return printable(path) + ": cannot be written: it exists and is not a regular file";
    std::error_code error;
    const std::filesystem::path resolved = std::filesystem::canonical(path, error);
    if (!error) target = resolved.string();
  }

  sweep_before_first_write(target);
  std::string temporary;
  const Descriptor fd(create_beside(target, temporary));
  if (!fd.valid()) return failure(path, "cannot be written");
  // The permissions of a file that is replaced stay as they were, where the owner allows that.
  const bool kept_mode = !exists || ::fchmod(fd.get(), old.st_mode & 07777) == 0 || errno == EPERM;
  const bool written = kept_mode && write_all(fd.get(), bytes) && ::fsync(fd.get()) == 0 &&
                       ::rename(temporary.c_str(), target.c_str()) == 0;
  if (!written) {
    const std::string message = failure(path, "cannot be written");
    ::unlink(temporary.c_str());
    return message;
  }
  sync_folder(target);
  return {};
}

void sweep_folder(const std::string& folder) {
  sweep(folder, "");
  const std::lock_guard<std::mutex> guard(swept().mutex);
  swept().folders.insert(folder);
}

void sweep_beside(const std::string& path) { sweep(folder_of(path), std::filesystem::path(path).filename().string()); }

}  // namespace loa
