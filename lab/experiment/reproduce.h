// `loa reproduce`: every figure and table of the paper, made again, with a verdict on each claim.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "experiment/experiment.h"
#include "experiment/report.h"
#include "loa/error.h"

namespace loa {

struct ReproduceOptions {
  std::string out;  // the folder; runs that it has already are not made again
  ExperimentFolders folders = {};
  std::vector<std::string> only = {};  // ids; empty: all
  std::int64_t jobs = 1;
  std::string invocation = "loa reproduce";  // how the commands in the report begin
};

struct ReproduceProgress {
  std::size_t experiment, experiments;  // this one from 1, of so many that are not skipped
  const std::string& id;
  std::size_t done, total;  // within it
};
using ReproduceObserver = std::function<Continue(const ReproduceProgress&)>;

// The ids in their order.
std::vector<std::string> experiment_ids();

// Writes OUT/report.html, for each experiment OUT/ID.svg and .pdf, and OUT/ID/ with its tables. Returns no error
// and the report, or what is wrong. After an interruption the report has what was done.
Error reproduce(const ReproduceOptions& options, const ReproduceObserver& observer, Report& report, bool& interrupted);

}  // namespace loa
