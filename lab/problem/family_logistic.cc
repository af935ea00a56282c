// family:logistic, what cross-validation of a logistic regression minimizes: for each of five folds the mean loss on
// the rows of the other four (logistic.h), with l2 falling from 0.1 to 1e-5 in 20 equal ratios. Member 20 f + k has
// fold f left out and the k-th l2, so that members 0 to 19 are one regularization path.
//
// Rows belong to folds at random. Without a file, m rows a_i = (N(0, AR(1) with correlation 0.8), 1) and labels that
// are +1 with probability s(<a_i, b>), b ~ 10/sqrt(n) N(0, I) with every second entry 0.
#include <cmath>
#include <utility>
#include <vector>

#include "problem/data_source.h"
#include "problem/families.h"
#include "problem/logistic.h"

namespace loa {
namespace {

constexpr Index kFolds = 5, kPath = 20;
constexpr double kLargestL2 = 0.1, kSmallestL2 = 1e-5;

std::shared_ptr<Dataset> drawn_rows(Index m, Index n, Random& random) {
  auto data = std::make_shared<Dataset>();
  data->source = "synthetic";
  data->features.rows = m;
  data->features.cols = n;
  data->features.values.reserve(static_cast<std::size_t>(m * n));
  data->targets.resize(m);
  Vector truth(n);
  for (Index j = 0; j < n; ++j) {
    const double draw = random.normal();
    truth[j] = j % 2 == 0 ? 10.0 / std::sqrt(static_cast<double>(n)) * draw : 0.0;
  }
  for (Index i = 0; i < m; ++i) {
    double entry = random.normal(), product = 0.0;
    for (Index j = 0; j < n; ++j) {
      const double feature = j + 1 < n ? entry : 1.0;
      data->features.values.push_back(feature);
      product += truth[j] * feature;
      entry = 0.8 * entry + 0.6 * random.normal();
    }
    data->targets[i] = random.uniform() < 1.0 / (1.0 + std::exp(-product)) ? 1.0 : -1.0;
  }
  return data;
}

// The rows whose fold is another.
std::shared_ptr<const Dataset> without_fold(const Dataset& all, const std::vector<Index>& folds, Index fold) {
  auto part = std::make_shared<Dataset>();
  const DataMatrix& from = all.features;
  DataMatrix& to = part->features;
  part->source = all.source;
  to.cols = from.cols;
  if (from.is_sparse()) to.offsets.push_back(0);
  std::vector<double> targets;
  for (Index i = 0; i < from.rows; ++i) {
    const auto row = static_cast<std::size_t>(i);
    if (folds[row] == fold) continue;
    const Index begin = from.is_sparse() ? from.offsets[row] : i * from.cols;
    const Index end = from.is_sparse() ? from.offsets[row + 1] : begin + from.cols;
    to.values.insert(to.values.end(), from.values.begin() + begin, from.values.begin() + end);
    if (from.is_sparse()) {
      to.columns.insert(to.columns.end(), from.columns.begin() + begin, from.columns.begin() + end);
      to.offsets.push_back(to.num_entries());
    }
    targets.push_back(all.targets[i]);
  }
  to.rows = static_cast<Index>(targets.size());
  part->targets = Eigen::Map<const Vector>(targets.data(), to.rows);
  return part;
}

class LogisticSequence final : public Sequence {
 public:
  LogisticSequence(const Dataset& data, Random random) {
    std::vector<Index> folds(static_cast<std::size_t>(data.features.rows));
    for (std::size_t i = 0; i < folds.size(); ++i) folds[i] = static_cast<Index>(i) % kFolds;
    for (std::size_t i = folds.size(); i > 1; --i) std::swap(folds[i - 1], folds[random.below(i)]);
    for (Index fold = 0; fold < kFolds; ++fold) parts_.push_back(without_fold(data, folds, fold));
  }

  Index size() const override { return kFolds * kPath; }
  Index path() const override { return kPath; }

  Problem member(Index k) const override {
    const std::shared_ptr<const Dataset>& data = parts_[static_cast<std::size_t>(k / kPath)];
    const double part = static_cast<double>(k % kPath) / static_cast<double>(kPath - 1);
    const double l2 = kLargestL2 * std::pow(kSmallestL2 / kLargestL2, part);
    Problem problem;
    problem.objective = std::make_unique<LogisticObjective>(
        data, LogisticWeights{.loss = 1.0 / static_cast<double>(data->features.rows), .l2 = l2});
    problem.start = Vector::Zero(data->features.cols);
    problem.strong_convexity = l2;
    return problem;
  }

 private:
  std::vector<std::shared_ptr<const Dataset>> parts_;
};

}  // namespace

std::unique_ptr<Sequence> make_logistic_sequence(Spec& spec) {
  const std::uint64_t seed = seed_of(spec);
  std::shared_ptr<Dataset> data;
  if (spec.has("data")) {
    data = read_source(spec);
    if (data == nullptr) return nullptr;
    if (const Error wrong = map_labels(*data)) {
      spec.fail(wrong.message());
      return nullptr;
    }
    if (data->features.rows < kFolds) {
      spec.fail("found " + std::to_string(data->features.rows) + " rows, expected one for each of five folds");
      return nullptr;
    }
  } else {
    const Index m = spec.integer("m", 400, kFolds, 10'000'000), n = spec.integer("n", 40, 1, 100'000);
    if (!fits_in_memory(spec, m, n)) return nullptr;
    Random random = make_stream(seed, Stream::kData);
    data = drawn_rows(m, n, random);
  }
  return std::make_unique<LogisticSequence>(*data, make_stream(seed, Stream::kStart));
}

}  // namespace loa
