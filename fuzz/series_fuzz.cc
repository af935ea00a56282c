// Reads what a series knows, and lets it solve a small problem when it is that.
#include "fuzz/target.h"
#include "loa/series.h"

LOA_FUZZ_TARGET(series) {
  loa::Options options;
  options.max_evaluations = 6;
  loa::Series series(options);
  const std::string error = series.load_bytes(loa::fuzz::tensor_bytes(bytes)).message();
  loa::fuzz::require_error_line(error, "series: ");
  if (!error.empty()) return false;
  loa::Series again(options);
  const std::string second = again.load_bytes(series.bytes()).message();
  loa::fuzz::require(second.empty(), "a series that was read can be written and read", second);
  try {
    const auto sphere = [](const loa::Vector& x, loa::Vector& grad) {
      grad = x;
      return 0.5 * x.squaredNorm();
    };
    const loa::Summary summary = series.minimize(sphere, loa::Vector::Ones(2));
    loa::fuzz::require(summary.x.size() == 2, "a summary that fits the problem", summary.message);
  } catch (const std::invalid_argument&) {  // the B of another algorithm
  }
  return true;
}
