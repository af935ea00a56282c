#include "experiment/experiment.h"
#include "fuzz/target.h"

// Parses the TOML of an experiment, short and whole.
LOA_FUZZ_TARGET(experiment) {
  bool good = true;
  for (const bool quick : {false, true}) {
    loa::Experiment experiment;
    std::vector<std::string> missing;
    const loa::ExperimentFolders folders{.data = "", .published = "", .quick = quick};
    const std::string error = loa::parse_experiment("file", std::string(bytes), folders, experiment, missing).message();
    loa::fuzz::require_error_line(error, "file.toml:");
    good = good && error.empty();
  }
  return good;
}
