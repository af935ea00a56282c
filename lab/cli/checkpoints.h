// The state of a run in a file while the run goes on, so that a kill loses no more than the time since the last save.
#pragma once

#include <chrono>
#include <string>

#include "cli/progress.h"
#include "files/file_lock.h"
#include "loa/state.h"

namespace loa::cli {

class Checkpoints {
 public:
  // An empty path: none are saved. Otherwise throws a Mistake where the file cannot be written or where another run
  // saves its state there.
  Checkpoints(const std::string& path, double every_seconds);

  // Whether it is time to save: cheap, to be asked after each iteration.
  bool is_due() const { return !path_.empty() && std::chrono::steady_clock::now() >= next_; }

  // A disk that is full now may have room later, and the run itself is not lost: a failure is said on standard error,
  // once, and the run goes on.
  void save(const State& state, ProgressLine& line);

 private:
  void schedule();

  const std::string path_;
  const std::chrono::duration<double> every_;
  std::chrono::steady_clock::time_point next_;
  bool failed_ = false;
  FileLock lock_;
};

}  // namespace loa::cli
