#include "experiment/geometric_mean.h"

#include <cmath>
#include <numeric>

#include "experiment/statistics.h"
#include "loa/random.h"

namespace loa {

Ratio geometric_mean(const std::vector<double>& logs, std::uint64_t seed) {
  Ratio ratio;
  if (logs.empty()) return ratio;
  const auto n = static_cast<double>(logs.size());
  ratio.value = std::exp(std::accumulate(logs.begin(), logs.end(), 0.0) / n);
  if (logs.size() < 2) return ratio;
  Random random(seed);
  std::vector<double> means(kResamples, 0.0);
  for (double& mean : means) {
    for (std::size_t i = 0; i < logs.size(); ++i) mean += logs[random.below(logs.size())];
    mean /= n;
  }
  ratio.low = std::exp(quantile(means, 0.025));
  ratio.high = std::exp(quantile(means, 0.975));
  return ratio;
}

}  // namespace loa
