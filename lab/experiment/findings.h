// Verdicts: a claim of the paper against the numbers of an experiment.
#pragma once

#include "experiment/experiment.h"
#include "experiment/report.h"

namespace loa {

// The table of a comparison: medians of iterations and evaluations to the relative gaps, a row for each problem (or
// panel) and algorithm.
ReportTable gap_table(const Experiment& experiment, const Comparison& comparison);

// subject <= factor * rival, on each problem: in the gap at each of the iterations `pairs`, or else in the median
// iterations to the gap. Sets verdict and finding; `losses` gets the panels on which it does not hold.
void judge(const Experiment& experiment, const Comparison& comparison, ReportSection& section,
           std::vector<std::string>& losses);

}  // namespace loa
