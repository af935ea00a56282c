#include "algorithm/series_memory.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include "base/text.h"
#include "linalg/inverse_hessian_kinds.h"

namespace loa {
namespace {

constexpr const char* kFormat = "loa-series-1";

// Solves that a mean remembers; a path turns.
constexpr std::int64_t kWindow = 4;
constexpr double kLargestGain = 5.0;
// 2^20 solves are a pause for ever.
constexpr std::int64_t kLongestPause = 20;

// A point that a next problem may begin from: a minimizer, or what a limit or the observer has left.
bool is_usable(const Summary& summary) {
  switch (summary.status) {
    case Status::kIterationLimitReached:
    case Status::kEvaluationLimitReached:
    case Status::kTimeLimitReached:
    case Status::kStoppedByObserver:
      return true;
    default:
      return summary.success();
  }
}

// How much nearer the second one is, from two distances. NaN where both are 0.
double gain(double first, double second) { return std::clamp(std::log(first / second), -kLargestGain, kLargestGain); }

}  // namespace

void RunningMean::add(double number) {
  if (!std::isfinite(number)) return;
  count = std::min(count + 1, kWindow);
  value += (number - value) / static_cast<double>(count);
}

bool Series::Memory::trusts_start() const { return start_gain_.count > 0 && start_gain_.value > std::log(2.0); }

bool Series::Memory::trusts_given() const {
  return start_gain_.count > 0 && start_gain_.value < -std::log(2.0) && !(start_gain_.value + path_gain_.value > 0.0);
}

void Series::Memory::learn(const Vector& x0, bool tried_B, const Summary& summary, const Options& options) {
  const Reduction& reduction = options.reduction != nullptr ? *options.reduction : Reduction::serial();
  learn_cost(tried_B, summary);
  report.used_B = tried_B && summary.fallbacks.warm == 0;
  ++report.num_solves;
  if (is_usable(summary)) {
    if (num_points_ > 0) learn_places(x0, summary.x, reduction);
    num_points_ = std::min<std::int64_t>(num_points_ + 1, 2);
    before_ = std::exchange(last_, summary.x);
    if (summary.state.B != nullptr) B_ = WarmStart(summary);
  }
  show_evidence();
}

void Series::Memory::learn_places(const Vector& x0, const Vector& solution, const Reduction& reduction) {
  const double of_last = distance(last_, solution, reduction);
  start_gain_.add(gain(distance(x0, solution, reduction), of_last));
  if (num_points_ < 2) return;
  if (path_factor_.count > 0) path_gain_.add(gain(of_last, distance(on_path(), solution, reduction)));
  const double step = distance(last_, before_, reduction);
  const double along = dot(solution - last_, last_ - before_, reduction) / step;  // divided twice: squares underflow
  path_factor_.add(along / step);
}

void Series::Memory::learn_cost(bool tried_B, const Summary& summary) {
  const bool gave_up = tried_B && summary.fallbacks.warm > 0;
  const double cost = std::log(static_cast<double>(std::max<std::int64_t>(summary.evaluations.value, 1)));
  if (report.pause > 0) --report.pause;
  if (!tried_B || gave_up) log_cost_.add(cost);
  if (!tried_B) return;
  const bool is_slower = log_cost_.count > 0 && summary.success() && cost > log_cost_.value + std::log(2.0);
  if (!gave_up && !is_slower) {
    times_misled_ = 0;
    return;
  }
  ++report.misled;
  times_misled_ = std::min(times_misled_ + 1, kLongestPause);
  report.pause = (std::int64_t{1} << (times_misled_ - 1)) - 1;
}

void Series::Memory::show_evidence() {
  report.start_gain = start_gain_.value;
  report.path_gain = path_gain_.value;
  report.path_factor = path_factor_.value;
}

template <typename Self, typename Visit>
void Series::Memory::for_each_member(Self& self, Visit visit) {
  visit("last", self.last_);
  visit("before", self.before_);
  visit("num_points", self.num_points_);
  visit("times_misled", self.times_misled_);
  visit("num_solves", self.report.num_solves);
  visit("misled", self.report.misled);
  visit("pause", self.report.pause);
  const auto visit_mean = [&visit](const std::string& mean, auto& member) {
    visit(mean + ".value", member.value);
    visit(mean + ".count", member.count);
  };
  visit_mean("start_gain", self.start_gain_);
  visit_mean("path_gain", self.path_gain_);
  visit_mean("path_factor", self.path_factor_);
  visit_mean("log_cost", self.log_cost_);
}

namespace {

struct SeriesSaver {
  TensorFile& file;
  void operator()(const std::string& name, const Vector& value) { file.put(name, value); }
  void operator()(const std::string& name, double value) { file.put_scalar(name, value); }
  void operator()(const std::string& name, std::int64_t value) { file.put_integer(name, value); }
};

// Numbers are finite, counts are counts.
struct SeriesLoader {
  const TensorFile& file;
  std::string missing = {};

  void note(bool found, const std::string& name) {
    if (!found && missing.empty()) missing = name;
  }
  void operator()(const std::string& name, Vector& value) { note(file.get(name, value) && value.allFinite(), name); }
  void operator()(const std::string& name, double& value) {
    note(file.get_scalar(name, value) && std::isfinite(value), name);
  }
  void operator()(const std::string& name, std::int64_t& value) { note(file.get_count(name, value), name); }
};

bool same_shapes(const TensorFile& a, const TensorFile& b) {
  const auto same = [](const auto& one, const auto& other) {
    return one.first == other.first && one.second.shape == other.second.shape;
  };
  return std::equal(a.tensors.begin(), a.tensors.end(), b.tensors.begin(), b.tensors.end(), same);
}

}  // namespace

TensorFile Series::Memory::tensors() const {
  TensorFile file;
  file.metadata["format"] = kFormat;
  file.metadata["algorithm"] = B_.algorithm();
  for_each_member(*this, SeriesSaver{file});
  if (B_.has_B()) loa::save(*B_.B(), file);
  return file;
}

Error Series::Memory::take(const TensorFile& file) {
  const auto format = file.metadata.find("format");
  if (format == file.metadata.end() || format->second != kFormat)
    return std::string("expected a series written by loa (format ") + kFormat + "), found " +
           (format == file.metadata.end() ? "no format" : "format " + quote(format->second));
  Memory loaded;
  SeriesLoader loader{file};
  for_each_member(loaded, std::ref(loader));
  if (!loader.missing.empty())
    return "expected " + quote(loader.missing) + " in the series, found none or one out of range";
  const Index n = loaded.dimension();
  if (loaded.num_points_ > 2 || (loaded.num_points_ == 2 && loaded.before_.size() != n) ||
      (loaded.num_points_ < 2 && loaded.before_.size() != 0) || (loaded.num_points_ < 1 && n != 0))
    return "expected 'last' and 'before' of one length, or as many of them as 'num_points' says";
  if (loaded.times_misled_ > kLongestPause) return "found more than 20 times misled in a row, expected 20 at most";
  for (const RunningMean* mean : {&loaded.start_gain_, &loaded.path_gain_, &loaded.path_factor_, &loaded.log_cost_})
    if (mean->count > kWindow) return "found a mean over too many solves, expected 4 at most";
  if (file.metadata.contains("B.kind")) {
    // Before an operator takes memory for the dimension that the file names.
    if (const auto found = file.metadata.find("B.dimension"); found != file.metadata.end())
      if (found->second != std::to_string(n)) return "found a B.dimension that is not the length of 'last'";
    std::unique_ptr<InverseHessian> B;
    if (Error error = loa::load(file, B)) return error;
    if (loa::dimension(*B) != n) return "expected an inverse Hessian of the dimension of 'last'";
    const auto algorithm = file.metadata.find("algorithm");
    loaded.B_ = WarmStart(loaded.last_, std::move(B), algorithm == file.metadata.end() ? "" : algorithm->second);
  }
  const TensorFile written = loaded.tensors();
  if (written.metadata != file.metadata || !same_shapes(written, file))
    return "found other entries, or numbers in another spelling, than loa writes";
  loaded.show_evidence();
  *this = std::move(loaded);
  return {};
}

}  // namespace loa
