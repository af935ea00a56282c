// A comparison as a folder of files: tidy tables, a summary and a manifest.
#pragma once

#include <string>
#include <vector>

#include "experiment/comparison.h"
#include "loa/error.h"

namespace loa {

// Everything but timings.csv and the seconds in summary.json repeats byte for byte.
//
//   traces.csv     one row an iterate
//   results.csv    one row a run
//   gaps.csv       quartiles of iterations and evaluations to relative gaps
//   timings.csv    seconds
//   summary.json   what the table shows, and the statistics behind it
//   manifest.json  versions, seeds, flags, checksums of data
//
// `names` gets the names of the files. Returns what is wrong, if anything is.
Error write_comparison(const Comparison& comparison, const std::string& folder, std::vector<std::string>& names);

// The two JSON files as text.
std::string summary_json(const Comparison& comparison);
std::string manifest_json(const Comparison& comparison);

}  // namespace loa
