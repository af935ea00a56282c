// The experiment `evaluations`: one algorithm against rivals, by the evaluations that each takes to the same gradient
// on the same problems. It opens the report: one sentence, one picture, one table.
#pragma once

#include <string>

#include "experiment/experiment.h"
#include "experiment/report.h"

namespace loa {

// "bfgs+d, the default, took 0.54 of BFGS's evaluations, 0.63 of SR1's and 0.51 of L-BFGS's on 64 problems". Geometric
// means as in relative_evaluations.h; "the default" where the library would choose the subject by itself.
std::string headline(const Experiment& experiment, const Comparison& comparison);

// A row for each algorithm: runs solved, the subject's evaluations over its own with the 95 % interval, and on how many
// problems the subject took fewer, as many, more.
ReportTable headline_table(const Experiment& experiment, const Comparison& comparison);

// The fraction of runs solved (ComparedRun::solved) after so many evaluations, a step curve for each algorithm.
ProfileFigure headline_figure(const Experiment& experiment, const Comparison& comparison);

// Holds where the interval of the subject lies below 1 against every rival.
ClaimVerdict headline_verdict(const Experiment& experiment, const Comparison& comparison);

}  // namespace loa
