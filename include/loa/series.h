// Related problems one after the other: what one solve has learned helps the next.
//
//   loa::Series series;
//   for (...) loa::Summary summary = series.minimize(f, x0);
//
// Layer: algorithm. A series keeps the last solutions and B at the last one, and decides by evidence how much of it to
// use: docs/warm-starts.md has the rules. Different threads may use different series at the same time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "loa/error.h"
#include "loa/export.h"
#include "loa/minimize.h"
#include "loa/objective.h"
#include "loa/options.h"
#include "loa/summary.h"

LOA_EXPORT_BEGIN
namespace loa {

// Where a run of a series began.
enum class SeriesStart {
  kGiven,  // the x0 of the call
  kLast,   // the last solution
  kPath,   // a point beyond the last solution, on the line from the one before
};

// "given", "last" or "path".
const char* name(SeriesStart start);

// What a series has decided for its last solve, and why.
struct SeriesReport {
  std::int64_t num_solves = 0;              // all of them, those of batches included
  SeriesStart start = SeriesStart::kGiven;  // of the last solve, or of the first of a batch
  bool used_B = false;                      // B of earlier solves was there at the first step
  bool used_metric = false;                 // and it was the metric of several solves
  std::int64_t extra_evaluations = 0;       // to choose the start; in the evaluations of the summary too
  std::int64_t misled = 0;                  // solves in which B had misled: given up by the run, or slower than without
  double path_factor = 0.0;                 // how far beyond the last solution, in steps of the path; 0: no evidence
  double start_gain = 0.0;   // by how much the last solutions were nearer to the next ones than x0: a running logarithm
  double path_gain = 0.0;    // and how much nearer than those the points on the path were
  double metric_gain = 0.0;  // by how much the metric of several solves fitted a new problem better than the last B
};

// Minimizes again and again.
class Series {
 public:
  // The options of every run, but for `warm`, which is for the first one.
  explicit Series(Options options = {});
  Series(const Series& other);
  Series& operator=(const Series& other);
  Series(Series&&) noexcept;
  Series& operator=(Series&&) noexcept;
  ~Series();

  // Minimizes f and learns from it. x0 is where a run without a memory would begin; a series may know a better start,
  // and takes x0 where its evidence is for that. A problem of another size than the last one is a new series. Throws
  // what minimize() throws, and has learned nothing then.
  Summary minimize(Objective& f, const Vector& x0);
  Summary minimize(const Function& f, const Vector& x0);

  // Many problems on num_threads() threads: all begin from what the series knows now, and it learns from all of them
  // afterwards, in their order. The results do not depend on the number of threads.
  std::vector<BatchResult> minimize_batch(std::span<const BatchProblem> problems);

  // What the last solve was given.
  const SeriesReport& report() const;

  const Options& options() const;

  // Forgets all solves.
  void clear();

  // To and from a safetensors file, without the options: a series with the same options goes on from it bit for bit.
  // Writing is atomic. Both return no error on success and one line otherwise; after a failed load the series is as it
  // was.
  Error save(const std::string& path) const;
  Error load(const std::string& path);

  // The same file in memory.
  std::string bytes() const;
  Error load_bytes(const std::string& bytes);

 private:
  class Memory;
  Options options_;
  std::unique_ptr<Memory> memory_;
};

}  // namespace loa
LOA_EXPORT_END
