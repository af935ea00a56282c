// The end of the table of a comparison: what the runs say about the algorithms, in a few lines.
#pragma once

#include <string>

#include "experiment/comparison.h"

namespace loa {

// One line for each algorithm and reference, then the virtual best, then the oracle (relative_evaluations.h).
std::string comparison_summary(const Comparison& comparison);

}  // namespace loa
