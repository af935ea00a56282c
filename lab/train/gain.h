// Ratios over members, with an interval that holds for few of them too.
#pragma once

#include <cstdint>
#include <vector>

#include "loa/own_problems.h"

namespace loa {

// exp(mean of logs), and the interval between two quantiles of the means of resampled logs, a bootstrap over members.
// The percentile interval is too short for few of them, by sqrt((n - 1)/n) and as the normal distribution is beside
// Student's: with 5 members one of 95 % holds in 80 % of the cases. So the quantiles are alpha and 1 - alpha with
// alpha = Phi(-sqrt(n/(n-1)) t_{0.975, n-1}) in place of 2.5 % (Hesterberg, "What teachers should know about the
// bootstrap", The American Statistician 69, 2015: the expanded percentile interval). Equal logs and seeds give equal
// bits. NaN bounds with fewer than two logs.
Gain gain_of(const std::vector<double>& logs, std::uint64_t seed);

// The same, as "0.912 [0.887, 0.935]".
std::string text_of(const Gain& gain);

}  // namespace loa
