// Related problems one after the other: what one solve has learned helps the next.
//
//   loa::Series series;
//   for (...) loa::Summary summary = series.minimize(f, x0);
//
// Layer: algorithm. A series keeps the last two solutions, and B as it was at the last one with the pairs of all solves
// before, and decides by evidence how much of that to use: docs/warm-starts.md has the rules. Different threads may use
// different series at the same time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "loa/error.h"
#include "loa/export.h"
#include "loa/minimize.h"
#include "loa/objective.h"
#include "loa/options.h"
#include "loa/summary.h"

LOA_EXPORT_BEGIN
namespace loa {

// Where a run of a series begins.
enum class SeriesStart {
  kGiven,  // the x0 of the call
  kLast,   // the last solution
  kPath,   // a point beyond the last solution, on the line from the one before
};

// "given", "last" or "path".
const char* name(SeriesStart start);

// What a series has decided for its last solve, and why.
struct SeriesReport {
  std::int64_t num_solves = 0;              // all that it has learned from, those of batches one by one
  SeriesStart start = SeriesStart::kGiven;  // of the last solve or batch; for a warm one that was given up: of its end
  bool used_B = false;                      // the last solve, or a part of the last batch, began with B and kept it
  std::int64_t misled = 0;   // solves in which B was of no use: given up, or with more evaluations than without B
  std::int64_t pause = 0;    // solves from now on without B, because of these
  double start_gain = 0.0;   // log(|x0 - x*|/|x - x*|), x the last solution and x* the next: a mean of the last solves
  double path_gain = 0.0;    // the same for the last solution and the point on the path
  double path_factor = 0.0;  // how far that point is beyond the last solution, in lengths of the last step of the path
};

// Minimizes again and again.
class Series {
 public:
  // The options of every run. options.warm, if there is one, is for the first.
  explicit Series(Options options = {});
  Series(const Series& other);
  Series& operator=(const Series& other);
  Series(Series&& other) noexcept;
  Series& operator=(Series&& other) noexcept;
  ~Series();

  // Minimizes f and learns from it. x0 is where a run without a memory begins. A problem of another size than the last
  // one begins a new series. Throws what minimize() throws, and has learned nothing then.
  Summary minimize(Objective& f, const Vector& x0);
  Summary minimize(const Function& f, const Vector& x0);

  // Many problems on num_threads() threads: all begin from what the series knows now, and it learns from all of them
  // afterwards, in their order. Nothing depends on the number of threads. What one of them threw is in its result, and
  // the series does not learn from it.
  std::vector<BatchResult> minimize_batch(std::span<const BatchProblem> problems);

  // What was decided for the last solve or batch, and what is known after it.
  const SeriesReport& report() const;

  // Those of the constructor.
  const Options& options() const { return options_; }

  // In place of that of the options.
  void set_observer(Observer observer) { options_.observer = std::move(observer); }

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
  struct Plan;
  Plan plan(const Vector& x0) const;

  Options options_;
  std::unique_ptr<Memory> memory_;
};

}  // namespace loa
LOA_EXPORT_END
