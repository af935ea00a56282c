// The experiment `families`: related problems one after the other (problem/families.h), each solved to the same
// tolerance in five ways.
//
//   cold      from the member's own start, knowing nothing
//   warm x    from the start that the last solution suggests (Sequence::next_start), with an empty B
//   series    by loa::Series, which has solved the members before
//   trained   as cold, by weights that were trained on members of other sequences
//   both      by a series with these weights
//
// What counts is the evaluations for a whole sequence, the first member included, over those of the cold runs. A member
// for which a run ends at another f than the cold one (beyond kSolvedGap of the decrease) counts at least what the cold
// run took, and is counted as `elsewhere`; one that is not solved counts the limit of evaluations.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "experiment/experiment.h"
#include "experiment/figures.h"
#include "experiment/geometric_mean.h"
#include "experiment/report.h"
#include "loa/error.h"

namespace loa {

inline constexpr const char* kFamilyWays[] = {"cold", "warm x", "series", "trained", "both"};
inline constexpr std::size_t kCold = 0, kWarmX = 1, kSeries = 2, kTrained = 3, kBoth = 4, kNumFamilyWays = 5;

struct FamilyRow {
  double f_start = 0.0;  // at the member's own start
  double f = 0.0;
  double grad_inf_norm = 0.0;
  std::int64_t evaluations = 0;
  bool solved = false;
};

// All members of a sequence in one way.
struct FamilyRun {
  std::size_t problem = 0, way = 0;
  std::int64_t seed = 0;
  std::vector<FamilyRow> members = {};
};

// The training on one family, on its first problem where there are several: they share the weights. Without trained
// weights the ways `trained` and `both` use the default.
struct FamilyTraining {
  std::string weights = {};  // a file; empty: the training was not worth it, and the default was kept
  std::string report = {};   // what train() says; empty where the weights are those of another problem
};

struct FamilyStudy {
  std::vector<FamilyTraining> trainings = {};  // for each problem
  std::vector<Index> dimensions = {}, paths = {};
  std::vector<FamilyRun> runs = {};  // by problem, then way, then seed
  bool interrupted = false;
};

using FamilyObserver = std::function<Continue(std::size_t done, std::size_t total)>;

struct FamilyFolders {
  std::string cache = {};    // runs that it has are not made again; empty: none
  std::string weights = {};  // where trained weights go; empty: no training
};

// Trains on sequences with seeds from 1000, then runs those with the seeds of the experiment, on `jobs` threads.
// Returns no error, or what is wrong.
Error run_families(const Experiment& experiment, const FamilyFolders& folders, std::int64_t jobs,
                   const FamilyObserver& observer, FamilyStudy& study);

// log(evaluations/cold evaluations) for each seed, over the first `members` members; 0: all.
std::vector<double> family_logs(const Experiment& experiment, const FamilyStudy& study, std::size_t problem,
                                std::size_t way, Index members = 0);

// The geometric mean over families, those of one name (text before the comma) counting as one, and the interval that a
// bootstrap over the sequences of each problem gives.
Ratio family_mean(const Experiment& experiment, const FamilyStudy& study, std::size_t way);

// A row for each problem, for the first path where members are more than one, and for the mean; the same as Markdown;
// every run by itself as CSV; evaluations against members, a panel for each problem.
ReportTable family_table(const Experiment& experiment, const FamilyStudy& study);
std::string family_markdown(const Experiment& experiment, const FamilyStudy& study);
std::string family_csv(const Experiment& experiment, const FamilyStudy& study);
BandFigure family_figure(const Experiment& experiment, const FamilyStudy& study);

}  // namespace loa
