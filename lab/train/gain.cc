#include "train/gain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "loa/random.h"
#include "train/binomial.h"

namespace loa {

Gain gain_of(const std::vector<double>& logs, std::uint64_t seed) {
  constexpr std::size_t kResampled = 4000;
  const std::size_t n = logs.size();
  Gain gain{.members = static_cast<std::int64_t>(n)};
  if (n == 0) return gain;
  const auto count = static_cast<double>(n);
  double sum = 0.0;
  for (const double log : logs) sum += log;
  gain.value = std::exp(sum / count);
  if (n == 1) return gain;

  Random random(seed);
  std::vector<double> means(kResampled);
  for (double& mean : means) {
    double total = 0.0;
    for (std::size_t i = 0; i < n; ++i) total += logs[random.below(n)];
    mean = total / count;
  }
  std::sort(means.begin(), means.end());
  const double alpha = normal_distribution(-std::sqrt(count / (count - 1.0)) * student_upper(count - 1.0, 0.025));
  const auto rank = static_cast<std::size_t>(alpha * static_cast<double>(kResampled));
  gain.low = std::exp(means[rank]);
  gain.high = std::exp(means[kResampled - 1 - rank]);
  return gain;
}

std::string text_of(const Gain& gain) {
  if (!std::isfinite(gain.low)) return fmt::format("{:.3f}", gain.value);
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", gain.value, gain.low, gain.high);
}

}  // namespace loa
