#include "cli/checkpoints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/file.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"

namespace loa::cli {
namespace {

constexpr double kLongest = 1e9;  // seconds, 30 years: longer ones do not fit into the clock

}  // namespace

Checkpoints::Checkpoints(const std::string& path, double every_seconds)
    : path_(path), every_(std::min(every_seconds, kLongest)) {
  schedule();
  if (path.empty()) return;
  require_writable("--checkpoint", path);
  refuse_if(lock_.acquire(path + ".lock", fmt::format("--checkpoint '{}'", printable(path))));
  sweep_beside(path);
}

void Checkpoints::save(const State& state, ProgressLine& line) {
  const Error error = save_state(state, path_);
  if (error && !failed_) {
    line.clear();
    fmt::print(stderr, "loa: no checkpoint was saved, the run goes on: {}\n", printable(error.message()));
  }
  failed_ = static_cast<bool>(error);
  schedule();
}

// From the end of a save, so that a slow disk cannot eat the run.
void Checkpoints::schedule() {
  next_ = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(every_);
}

}  // namespace loa::cli
