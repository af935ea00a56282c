// Figures of merit of a comparison: how soon a gap is reached, bands over the starts, profiles.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "experiment/comparison.h"
#include "experiment/figures.h"

namespace loa {

// The q-quantile with linear interpolation between the order statistics (Hyndman and Fan 1996, type 7). Infinite values
// sort last, NaN after them; a quantile that touches one is infinite. NaN when there is nothing.
double quantile(std::vector<double> values, double q);
inline double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

// Runs of one algorithm, on one problem or on all of them.
using Runs = std::vector<const ComparedRun*>;
inline constexpr std::size_t kAllProblems = static_cast<std::size_t>(-1);
Runs runs_of(const Comparison& comparison, std::size_t problem, std::size_t algorithm);

// The first row of a run's trace whose relative gap is at most `gap`; nullptr when there is none.
const TraceRow* first_at_gap(const Comparison& comparison, const ComparedRun& run, double gap);

// The lowest relative gap up to an iteration; a run that has ended stays where it ended.
double gap_at(const Comparison& comparison, const ComparedRun& run, std::int64_t iteration);

// The same of all runs of an algorithm, by problem and start.
std::vector<double> gaps_at(const Comparison& comparison, std::size_t algorithm, std::int64_t iteration);

// Over runs. One that never gets there counts as infinite.
struct Quartiles {
  double low = 0.0, middle = 0.0, high = 0.0;
};

struct ToGap {
  double gap = 0.0;
  Quartiles iterations, evaluations;
  std::int64_t reached = 0;  // runs
};

ToGap to_gap(const Comparison& comparison, const Runs& runs, double gap);

inline constexpr double kGaps[] = {1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12};

struct GroupStatistics {
  std::size_t problem = 0, algorithm = 0;
  std::int64_t runs = 0, failures = 0;  // failures: runs that ended neither in a success nor at a limit
  Quartiles final_gap;                  // relative
  Quartiles microseconds;               // for each iteration
  Fallbacks fallbacks;
  std::vector<ToGap> to_gap;  // one for each of kGaps
};

// By problem, then algorithm; groups without a run are left out.
std::vector<GroupStatistics> group_statistics(const Comparison& comparison);

enum class Abscissa { kIterations, kEvaluations };

// Median and quartiles over runs of the lowest relative gap so far. A run that has ended stays where it ended.
// REQUIRES: all runs are of one algorithm.
BandCurve gap_band(const Comparison& comparison, const Runs& runs, Abscissa abscissa);

// Dolan and More (2002): for each algorithm, the fraction of (problem, start) on which its evaluations to the relative
// gap are at most tau times those of the best.
std::vector<ProfileCurve> performance_profile(const Comparison& comparison, double gap);

// More and Wild (2009): the fraction on which it gets there within so many times n + 1 evaluations.
std::vector<ProfileCurve> data_profile(const Comparison& comparison, double gap);

// A panel for each problem, called "convergence": the lowest relative gap so far over the evaluations, from start 0.
BandFigure convergence_figure(const Comparison& comparison);

// Both profiles, to the relative gaps 1e-3 and 1e-6, as one figure called "profiles".
ProfileFigure profile_figure(const Comparison& comparison);

}  // namespace loa
