// Problems x algorithms x starts: the runs behind `loa compare` and `loa reproduce`.
//
// Algorithms run from the same starts with the same limits, and gaps are measured from an optimum found independently.
// Everything but the seconds is the same in every run with the same plan, whatever the number of jobs and however often
// it was interrupted and resumed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "experiment/contestant.h"
#include "experiment/optimum.h"
#include "loa/error.h"
#include "loa/options.h"
#include "loa/summary.h"

namespace loa {

struct ComparisonPlan {
  std::vector<std::string> problems = {"quadratic:n=100,seed=1",  "logistic", "rosenbrock:n=20",
                                       "chained-rosenbrock:n=20", "mgh:wood", "mgh:chebyquad"};
  std::vector<std::string> algorithms = {"gradient-descent", "bfgs", "sr1", "loa-bfgs", "bfgs+d"};  // see contestant.h
  std::string weights = {};      // a name or a file, for the learned algorithms; empty: the built-in ones
  std::string line_search = {};  // for all of them; empty: each algorithm's own
  bool safeguard = true;         // for those that do not say
  std::int64_t starts = 1;
  bool random_starts = false;  // the paper's U(0, 1) N(0, I) of seed + index; otherwise start 0 is the problem's own
                               // and the others are perturbed_start(start, seed + index)
  std::uint64_t seed = 0;
  std::string first_step = {};  // from x_{-1} to x_0: a number, 1/(2L), or empty for the library's own rule
  double gtol = 1e-6;
  double gap = 0.0;  // stop at this relative gap, where f* is known beforehand; 0: never
  std::int64_t max_iterations = std::numeric_limits<std::int64_t>::max();
  std::int64_t max_evaluations = 3000;
  std::int64_t jobs = 1;                  // threads
  std::vector<std::string> against = {};  // labels that all are compared with, besides the baseline
  std::string cache = {};  // a folder for finished runs, from which an interrupted comparison goes on; empty: none

  // Those of one's own, by a name that is also in the lists above. A problem is made anew for each thread. Their runs
  // are not kept in the cache, which cannot tell one from another of the same name.
  std::map<std::string, std::function<std::unique_ptr<Problem>()>> own_problems = {};
  std::map<std::string, std::function<Algorithm(const HyperParameters&)>> own_algorithms = {};
};

struct ComparedProblem {
  std::string name;
  Index n = 0;
  Optimum optimum;                  // what gaps are measured from
  double reference = 0.0;           // its f
  bool reference_is_known = false;  // beforehand; otherwise it is the lowest f that any run reached
  std::string checksum;             // of its data file, SHA-256; empty without
};

struct ComparedRun {
  std::size_t problem = 0;    // index into Comparison::problems
  std::size_t algorithm = 0;  // index into ComparisonPlan::algorithms
  std::int64_t start = 0;
  Status status = Status::kRunning;
  bool reached_gap = false;  // ended because of ComparisonPlan::gap, which is a success
  // Converged, and to no worse a point than another algorithm from the same start: within kSolvedGap of the decrease
  // that was possible. A run that ends in a worse local minimum is not compared by its evaluations.
  bool solved = false;
  double f_start = 0.0;
  double f = 0.0;
  double gap = 0.0;  // f - f*
  double grad_inf_norm = 0.0;
  std::int64_t iterations = 0;
  Evaluations evaluations = {};
  Fallbacks fallbacks = {};
  double seconds = 0.0;
  std::vector<TraceRow> trace = {};  // without seconds

  bool converged() const { return is_success(status) || reached_gap; }
};

inline constexpr double kSolvedGap = 1e-4;

// Whether a run ended within kSolvedGap of the decrease from its start to `best`, which is no higher than its own f.
inline bool is_no_worse(const ComparedRun& run, double best) {
  return run.f - best <= kSolvedGap * (run.f_start - best);
}

struct Comparison {
  ComparisonPlan plan;
  std::vector<std::string> labels;  // of the algorithms
  std::vector<ComparedProblem> problems;
  std::vector<ComparedRun> runs;  // by problem, then algorithm, then start; fewer than planned when interrupted
  std::vector<std::string> below_optimum;  // runs that found less than f*: one line each; f* is wrong then
  bool interrupted = false;

  // Of an algorithm; the number of them where none has this label.
  std::size_t index_of(const std::string& label) const {
    return static_cast<std::size_t>(std::find(labels.begin(), labels.end(), label) - labels.begin());
  }

  // Where a run's relative gap (f - f*)/(f(x_0) - f*) is measured from.
  double initial_gap(const ComparedRun& run) const {
    return run.trace.empty() ? run.f_start - problems[run.problem].reference
                             : run.trace.front().f - problems[run.problem].reference;
  }
};

struct ComparisonProgress {
  std::size_t done;  // runs
  std::size_t total;
  const std::string& problem;
  const std::string& algorithm;
};
// Called after each iteration of each run, by one thread at a time. kNo ends the comparison with what there is.
using ComparisonObserver = std::function<Continue(const ComparisonProgress&)>;

// Makes all problems and algorithms first, so that a mistake shows before the first run. Returns no error and
// fills `comparison`, or one line that says what is wrong.
Error run_comparison(const ComparisonPlan& plan, const ComparisonObserver& observer, Comparison& comparison);

}  // namespace loa
