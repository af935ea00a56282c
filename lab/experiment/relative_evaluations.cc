#include "experiment/relative_evaluations.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace loa {
namespace {

// Equal products of evaluations have equal sums of logarithms up to round-off.
constexpr double kTie = 1e-12;

double log_evaluations(const ComparedRun& run) {
  return std::log(static_cast<double>(std::max<std::int64_t>(run.evaluations.value, 1)));
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The runs by problem, start and algorithm; nullptr where there is none.
class RunTable {
 public:
  explicit RunTable(const Comparison& comparison)
      : problems_(comparison.problems.size()), algorithms_(comparison.labels.size()) {
    for (const ComparedRun& run : comparison.runs) starts_ = std::max(starts_, static_cast<std::size_t>(run.start) + 1);
    runs_.resize(problems_ * starts_ * algorithms_, nullptr);
    for (const ComparedRun& run : comparison.runs)
      runs_[place(run.problem, static_cast<std::size_t>(run.start)) + run.algorithm] = &run;
  }

  std::size_t problems() const { return problems_; }
  std::size_t starts() const { return starts_; }

  // One entry an algorithm.
  const ComparedRun* const* at(std::size_t problem, std::size_t start) const { return &runs_[place(problem, start)]; }

  bool is_complete(std::size_t problem, std::size_t start) const {
    const ComparedRun* const* runs = at(problem, start);
    return std::find(runs, runs + algorithms_, nullptr) == runs + algorithms_;
  }

 private:
  std::size_t place(std::size_t problem, std::size_t start) const { return (problem * starts_ + start) * algorithms_; }

  std::size_t problems_, algorithms_, starts_ = 0;
  std::vector<const ComparedRun*> runs_;
};

// See RelativeEvaluations.
bool is_success_beside(const ComparedRun& run, const ComparedRun& other) {
  const double best = other.f < run.f ? other.f : run.f;
  return run.converged() && is_no_worse(run, best);
}

class PairCounter {
 public:
  PairCounter(const Comparison& comparison, std::size_t a, std::size_t b) : comparison_(comparison), a_(a), b_(b) {
    row_.algorithm = comparison.labels[a];
    row_.against = comparison.labels[b];
  }

  void add_problem(const RunTable& table, std::size_t p) {
    std::vector<double> logs;
    for (std::size_t s = 0; s < table.starts(); ++s) {
      const ComparedRun* run = table.at(p, s)[a_];
      const ComparedRun* other = table.at(p, s)[b_];
      if (run == nullptr) continue;
      ++row_.runs;
      row_.solved += run->solved ? 1 : 0;
      if (other == nullptr) continue;
      const bool success = is_success_beside(*run, *other), other_success = is_success_beside(*other, *run);
      row_.only_this += success && !other_success ? 1 : 0;
      row_.only_other += other_success && !success ? 1 : 0;
      if (success && other_success) logs.push_back(log_evaluations(*run) - log_evaluations(*other));
    }
    if (logs.empty()) return;
    row_.count += static_cast<std::int64_t>(logs.size());
    ++row_.problems;
    means_.push_back(mean(logs));
    row_.wins += means_.back() < -kTie ? 1 : 0;
    row_.losses += means_.back() > kTie ? 1 : 0;
    row_.ties += std::abs(means_.back()) <= kTie ? 1 : 0;
  }

  RelativeEvaluations finish() {
    row_.ratio = geometric_mean(means_, comparison_.plan.seed);
    return row_;
  }

 private:
  const Comparison& comparison_;
  std::size_t a_, b_;
  RelativeEvaluations row_;
  std::vector<double> means_;  // one for each problem
};

// Log evaluations of every algorithm from one start after the other of a problem, failures at the limit.
using Costs = std::vector<std::vector<double>>;

Costs costs_of(const Comparison& comparison, const RunTable& table, std::size_t p) {
  const double failure = std::log(static_cast<double>(std::max<std::int64_t>(comparison.plan.max_evaluations, 1)));
  Costs costs;
  for (std::size_t s = 0; s < table.starts(); ++s) {
    if (!table.is_complete(p, s)) continue;
    std::vector<double>& row = costs.emplace_back();
    for (std::size_t a = 0; a < comparison.labels.size(); ++a)
      row.push_back(table.at(p, s)[a]->solved ? log_evaluations(*table.at(p, s)[a]) : failure);
  }
  return costs;
}

double mean_cost(const Costs& costs, std::size_t algorithm, std::size_t without) {
  double sum = 0.0;
  for (std::size_t s = 0; s < costs.size(); ++s) sum += s == without ? 0.0 : costs[s][algorithm];
  return sum / static_cast<double>(without < costs.size() ? costs.size() - 1 : costs.size());
}

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

// The algorithm with the lowest mean over the starts but one; of equal ones `preferred`, then the first.
std::size_t choose(const Costs& costs, std::size_t without, std::size_t preferred) {
  std::size_t choice = preferred;
  for (std::size_t a = 0; a < costs.front().size(); ++a)
    if (mean_cost(costs, a, without) < mean_cost(costs, choice, without) - kTie) choice = a;
  return choice;
}

std::size_t best_single(const std::vector<Costs>& problems) {
  std::vector<double> means(problems.front().front().size(), 0.0);
  for (std::size_t a = 0; a < means.size(); ++a)
    for (const Costs& costs : problems) means[a] += mean_cost(costs, a, kNone) / static_cast<double>(problems.size());
  std::size_t best = 0;
  for (std::size_t a = 1; a < means.size(); ++a)
    if (means[a] < means[best] - kTie) best = a;
  return best;
}

}  // namespace

std::string baseline(const Comparison& comparison) {
  return std::ranges::count(comparison.labels, "bfgs") > 0 ? "bfgs" : comparison.labels.front();
}

std::vector<std::string> references(const Comparison& comparison) {
  std::vector<std::string> list = {baseline(comparison)};
  for (const std::string& label : comparison.plan.against)
    if (std::ranges::count(list, label) == 0) list.push_back(label);
  return list;
}

std::vector<RelativeEvaluations> relative_evaluations(const Comparison& comparison, const std::string& against) {
  const RunTable table(comparison);
  std::vector<RelativeEvaluations> rows;
  for (std::size_t a = 0; a < comparison.labels.size(); ++a) {
    PairCounter counter(comparison, a, comparison.index_of(against));
    for (std::size_t p = 0; p < table.problems(); ++p) counter.add_problem(table, p);
    rows.push_back(counter.finish());
  }
  return rows;
}

VirtualBest virtual_best(const Comparison& comparison) {
  const RunTable table(comparison);
  const std::size_t base = comparison.index_of(baseline(comparison));
  VirtualBest result;
  result.best.assign(comparison.labels.size(), 0);
  result.alone.assign(comparison.labels.size(), 0);
  std::vector<double> means;
  for (std::size_t p = 0; p < table.problems(); ++p) {
    std::vector<double> logs;
    for (std::size_t s = 0; s < table.starts(); ++s) {
      const ComparedRun* const* runs = table.at(p, s);
      const auto is_solved = [&](std::size_t a) { return runs[a] != nullptr && runs[a]->solved; };
      std::vector<std::size_t> best;
      for (std::size_t a = 0; a < comparison.labels.size(); ++a) {
        if (!is_solved(a)) continue;
        if (!best.empty() && runs[a]->evaluations.value < runs[best[0]]->evaluations.value) best.clear();
        if (best.empty() || runs[a]->evaluations.value == runs[best[0]]->evaluations.value) best.push_back(a);
      }
      if (best.empty()) continue;
      ++result.solved;
      for (const std::size_t a : best) ++result.best[a];
      if (best.size() == 1) ++result.alone[best[0]];
      if (is_solved(base)) logs.push_back(log_evaluations(*runs[best[0]]) - log_evaluations(*runs[base]));
    }
    result.count += static_cast<std::int64_t>(logs.size());
    if (!logs.empty()) means.push_back(mean(logs));
  }
  result.ratio = geometric_mean(means, comparison.plan.seed);
  return result;
}

HindsightOracle hindsight_oracle(const Comparison& comparison) {
  const RunTable table(comparison);
  HindsightOracle result;
  result.chosen.assign(comparison.labels.size(), 0);
  std::vector<Costs> problems;
  for (std::size_t p = 0; p < table.problems(); ++p)
    if (Costs costs = costs_of(comparison, table, p); costs.size() > 1) problems.push_back(std::move(costs));
  if (problems.empty() || comparison.labels.size() < 2) return result;
  const std::size_t single = best_single(problems), base = comparison.index_of(baseline(comparison));
  std::vector<double> to_single, to_base;
  for (const Costs& costs : problems) {
    double chosen = 0.0;
    for (std::size_t s = 0; s < costs.size(); ++s) {
      const std::size_t choice = choose(costs, s, single);
      ++result.chosen[choice];
      chosen += costs[s][choice];
    }
    chosen /= static_cast<double>(costs.size());
    to_single.push_back(chosen - mean_cost(costs, single, kNone));
    to_base.push_back(chosen - mean_cost(costs, base, kNone));
  }
  result.problems = static_cast<std::int64_t>(problems.size());
  result.best_single = comparison.labels[single];
  result.to_best_single = geometric_mean(to_single, comparison.plan.seed);
  result.to_baseline = geometric_mean(to_base, comparison.plan.seed);
  return result;
}

}  // namespace loa
