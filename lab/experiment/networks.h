// The experiment `networks`: loss and error of physics-informed networks (problem/pinn.h) against evaluations.
//
// Each algorithm trains each network from the same seeds, which draw the weights and the points. An algorithm is a text
// as in contestant.h, or two of them as "FIRST then SECOND": the second continues where the first stands after
// `switch_after` evaluations. An algorithm that this program does not have is left out, and named in the finding.
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

// One training. A sample is taken after 0, 1/40, 2/40, ... of the evaluations.
struct NetworkRun {
  std::size_t problem = 0, algorithm = 0;
  std::int64_t seed = 0;
  std::vector<double> evaluations = {};  // the same for all runs
  std::vector<double> loss = {};         // the lowest so far
  std::vector<double> error = {};        // of the iterate; at the end of the point with the lowest loss
};

struct NetworkStudy {
  std::vector<std::string> labels = {};   // of the algorithms
  std::vector<std::string> missing = {};  // algorithms that this program does not have
  std::vector<NetworkRun> runs = {};      // by problem, then algorithm, then seed
  bool interrupted = false;
};

using NetworkObserver = std::function<Continue(std::size_t done, std::size_t total)>;

// Runs what `cache`, a folder, does not have, on `jobs` threads. Returns no error, or what is wrong.
Error run_networks(const Experiment& experiment, const std::string& cache, std::int64_t jobs,
                   const NetworkObserver& observer, NetworkStudy& study);

// The loss of an algorithm after all evaluations over the lowest of the rivals' with the same seed: the geometric mean
// over seeds and problems. NaN where no rival was run. The algorithm itself may be a rival.
Ratio network_ratio(const Experiment& experiment, const NetworkStudy& study, std::size_t algorithm);

// Medians over the seeds after a quarter of the evaluations and after all, with the error in brackets, and
// network_ratio(), for the report and as a table of Markdown; and every run by itself, as CSV.
ReportTable network_table(const Experiment& experiment, const NetworkStudy& study);
std::string network_markdown(const Experiment& experiment, const NetworkStudy& study);
std::string network_csv(const Experiment& experiment, const NetworkStudy& study);

// A panel for each problem: medians, and the middle half over the seeds of the subject. `what` is the member to draw.
BandFigure network_figure(const Experiment& experiment, const NetworkStudy& study,
                          std::vector<double> NetworkRun::*what);

}  // namespace loa
