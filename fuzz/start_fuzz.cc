#include "experiment/start.h"
#include "fuzz/target.h"

// Parses a start of three numbers.
LOA_FUZZ_TARGET(start) {
  loa::Vector start;
  const std::string error = loa::parse_start(std::string(bytes), "file", 3, start).message();
  loa::fuzz::require_error_line(error, "file:");
  loa::fuzz::require(error.empty() ? start.size() == 3 && start.allFinite() : start.size() == 0,
                     "three finite numbers or an error", error);
  return error.empty();
}
