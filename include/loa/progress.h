// A run as lines of text, one for each iteration: what Options::progress is given, and a function that prints it.
//
//   loa::minimize(f, x0, {.progress = loa::print_progress()});
//
// The library itself prints nothing.
//
// Layer: core.
#pragma once

#include <array>
#include <cstdio>
#include <limits>
#include <string_view>

#include "loa/export.h"
#include "loa/options.h"

LOA_EXPORT_BEGIN
namespace loa {

// Makes the lines: iteration, evaluations of f so far, f, by how much it fell since the line before, ||g||_inf, the
// step-size and seconds; then the names of the counters of Fallbacks that grew. For an observer of one's own that wants
// the same lines. Nothing is allocated.
class ProgressLines {
 public:
  // What stands above the columns.
  static std::string_view heading();

  // REQUIRES: called in the order of the iterations. The text lives until the next call.
  std::string_view line(const Progress& progress);

 private:
  std::array<char, 160> text_{};
  double f_ = std::numeric_limits<double>::quiet_NaN();  // of the line before
  Fallbacks fallbacks_ = {};                             // likewise
};

// For Options::progress: writes the lines to `file`, each as it comes, or the first one of every `seconds`. `file` must
// live as long as the run.
ProgressSink print_progress(std::FILE* file = stdout, double seconds = 0.0);

}  // namespace loa
LOA_EXPORT_END
