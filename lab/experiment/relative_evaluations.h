// How many evaluations algorithms need relative to each other: paired ratios, the virtual best, and the oracle.
//
// All three average the logarithms of ratios first over the starts of a problem, which are replicates, then over the
// problems, so that each problem counts once; geometric_mean.h gives the intervals.
#pragma once

#include <string>
#include <vector>

#include "experiment/comparison.h"
#include "experiment/geometric_mean.h"

namespace loa {

// Algorithm a against algorithm b on the (problem, start) of which both have a run. Of such a pair of runs, a run is a
// success when it converged and is no worse than the other: f - f_best <= kSolvedGap (f_start - f_best), f_best the
// lower f of the two. So where both runs are successes, they found the same minimum. This is ComparedRun::solved judged
// among these two algorithms only: what a third algorithm finds does not change the comparison of two.
struct RelativeEvaluations {
  std::string algorithm;        // a
  std::string against;          // b
  Ratio ratio = {};             // evaluations of a over those of b, where both are successes; NaN when nowhere
  std::int64_t count = 0;       // such pairs of runs
  std::int64_t problems = 0;    // that have one
  std::int64_t only_this = 0;   // pairs of which only the run of a is a success
  std::int64_t only_other = 0;  // only that of b
  std::int64_t wins = 0, ties = 0, losses = 0;  // problems on which the mean of the logarithms is below, at, above 0
  std::int64_t solved = 0;                      // runs of a that are ComparedRun::solved
  std::int64_t runs = 0;                        // of a
};

// The baseline is bfgs, or the first algorithm where bfgs was not run.
std::string baseline(const Comparison& comparison);

// The baseline, then those of ComparisonPlan::against that are not it.
std::vector<std::string> references(const Comparison& comparison);

// One row for each algorithm, in the order of the labels. REQUIRES: `against` is one of the labels.
std::vector<RelativeEvaluations> relative_evaluations(const Comparison& comparison, const std::string& against);

// On each (problem, start) the fewest evaluations among all runs that are solved.
struct VirtualBest {
  Ratio ratio = {};                      // against the baseline, where that solved it
  std::int64_t count = 0;                // such runs
  std::int64_t solved = 0;               // (problem, start) that some algorithm solved
  std::vector<std::int64_t> best = {};   // for each algorithm: where it needs the fewest, alone or with others
  std::vector<std::int64_t> alone = {};  // where it alone does
};

VirtualBest virtual_best(const Comparison& comparison);

// What choosing the algorithm for each problem would gain, without the luck of hindsight: for each start, the choice is
// the algorithm with the lowest mean of log evaluations over the *other* starts of the problem, and its evaluations
// from this start are what counts. A run that is not solved counts as ComparisonPlan::max_evaluations. Equally good
// ones: the best single algorithm, otherwise the first. Only (problem, start) with a run of every algorithm, and
// problems with two or more of them.
struct HindsightOracle {
  std::int64_t problems = 0;  // 0: no oracle, since there was one start, or one algorithm
  std::string best_single;    // the lowest mean of log evaluations over all problems
  Ratio to_best_single = {};
  Ratio to_baseline = {};
  std::vector<std::int64_t> chosen = {};  // for each algorithm: the starts for which it was
};

HindsightOracle hindsight_oracle(const Comparison& comparison);

}  // namespace loa
