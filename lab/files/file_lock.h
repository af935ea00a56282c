// One run at a time for a place where a run writes.
#pragma once

#include <string>

#include "loa/error.h"

namespace loa {

// Holds a lock file as long as it lives. The lock is one of the system on an open file (flock), not the existence of
// the lock file: a killed process leaves the file but no lock, and the next run takes it over. The destructor removes
// the file. Where the file system has no locks, there is no protection and no complaint.
class FileLock {
 public:
  FileLock() = default;
  ~FileLock() { release(); }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  // Takes the lock on `path`, a name of its own beside what is protected. Returns no error, or one line when
  // another run has it or the file cannot be made; `what` is the place in the words of the user. REQUIRES: nothing is
  // held.
  Error acquire(const std::string& path, const std::string& what);
  void release();

 private:
  std::string path_;
  int fd_ = -1;
};

}  // namespace loa
