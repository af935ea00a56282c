// Geometric means of ratios, with the interval that a bootstrap over problems gives.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace loa {

inline constexpr int kResamples = 2000;

// exp(mean of logs) and its 95 % interval; NaN what there is not.
struct Ratio {
  double value = std::numeric_limits<double>::quiet_NaN();  // without a problem
  double low = std::numeric_limits<double>::quiet_NaN();    // with fewer than two
  double high = std::numeric_limits<double>::quiet_NaN();
};

// `logs`: for each problem the mean of log(a/b) over its starts. Starts are replicates and not resampled: what one
// wants to know is how the mean would change with other problems. Percentile interval (Efron and Tibshirani 1993,
// Section 13.3): kResamples times as many problems are drawn with replacement, and the interval goes from the 2.5 % to
// the 97.5 % quantile of their means. Equal logs and seeds draw equal problems everywhere.
Ratio geometric_mean(const std::vector<double>& logs, std::uint64_t seed);

}  // namespace loa
