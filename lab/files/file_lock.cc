#include "files/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/text.h"

namespace loa {

Error FileLock::acquire(const std::string& path, const std::string& what) {
  while (true) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (fd < 0) return printable(path) + ": cannot be locked: " + std::generic_category().message(errno);
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      ::close(fd);
      return what + ": found another run that writes there, expected none (it holds " + printable(path) + ")";
    }
    // The run before may have removed the file between the two calls: then the lock is on a file without a name.
    struct stat open, named;
    if (::fstat(fd, &open) == 0 && ::lstat(path.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
        open.st_ino == named.st_ino) {
      path_ = path;
      fd_ = fd;
      return {};
    }
    ::close(fd);
  }
}

void FileLock::release() {
  if (fd_ < 0) return;
  ::unlink(path_.c_str());  // while the lock is held, so that nobody else's file is removed
  ::close(fd_);
  fd_ = -1;
}

}  // namespace loa
