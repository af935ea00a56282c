#include "experiment/comparison.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "base/text.h"
#include "experiment/start.h"
#include "loa/minimize.h"
#include "loa/problem.h"

namespace loa {
namespace {

std::string find_repetition(const std::vector<std::string>& names, const std::string& what) {
  std::set<std::string> seen;
  for (const std::string& name : names)
    if (!seen.insert(name).second) return "compare: found the " + what + " " + quote(name) + " twice, expected it once";
  return "";
}

std::string check_plan(const ComparisonPlan& plan) {
  if (plan.problems.empty()) return "compare: expected at least one problem, found none";
  if (plan.algorithms.empty()) return "compare: expected at least one algorithm, found none";
  if (plan.starts < 1) return "compare: expected at least one start, found " + std::to_string(plan.starts);
  if (plan.jobs < 1) return "compare: expected at least one job, found " + std::to_string(plan.jobs);
  const std::string repeated = find_repetition(plan.problems, "problem");
  return repeated.empty() ? find_repetition(plan.algorithms, "algorithm") : repeated;
}

bool has_hessian(Objective& f, const Vector& x) {
  Matrix hessian(x.size(), x.size());
  return f.hessian(x, hessian);
}

bool has_hessian_vector(Objective& f, const Vector& x) {
  Vector out(x.size());
  return f.hessian_vector(x, x, out);
}

bool is_learned(const std::string& algorithm) {
  return std::ranges::any_of(algorithms(), [&](const AlgorithmInfo& a) { return a.name == algorithm && a.learned; });
}

bool needs_hessian(const std::string& algorithm) {
  return std::ranges::any_of(algorithms(),
                             [&](const AlgorithmInfo& a) { return a.name == algorithm && a.needs_hessian; });
}

class Runner {
 public:
  Runner(const ComparisonPlan& plan, const ComparisonObserver& observer) : plan_(plan), observer_(observer) {}

  // Everything that can be wrong with a plan, before the first run.
  std::string prepare() {
    const std::string error = check_plan(plan_);
    if (!error.empty()) return error;
    try {
      for (const std::string& name : plan_.algorithms)
        made_.push_back(make_algorithm(name, {}, is_learned(name) ? plan_.weights : ""));
      if (!plan_.line_search.empty()) make_line_search(plan_.line_search);
    } catch (const std::invalid_argument& mistake) {
      return mistake.what();
    }
    if (!plan_.weights.empty() && std::ranges::none_of(plan_.algorithms, is_learned))
      return "compare: found weights " + quote(plan_.weights) + ", expected a learned algorithm that takes them";
    for (const std::string& spec : plan_.problems) {
      const std::string wrong = make_problem(spec, problems_.emplace_back());
      if (!wrong.empty()) return wrong;
      const std::string unfit = check_fit(problems_.back());
      if (!unfit.empty()) return unfit;
    }
    runs_.resize(problems_.size());
    return "";
  }

  // Returns an empty string or the exception that ended it.
  std::string run() {
    const auto work = [this] {
      for (std::size_t p = next_++; p < problems_.size() && !stopped_; p = next_++) run_problem(p);
    };
    std::vector<std::jthread> helpers;
    const auto num_threads = std::min(static_cast<std::size_t>(plan_.jobs), problems_.size());
    for (std::size_t i = 1; i < num_threads; ++i) helpers.emplace_back(work);
    work();
    helpers.clear();  // joins
    return error_;
  }

  Comparison result() {
    Comparison comparison;
    comparison.plan = plan_;
    comparison.interrupted = stopped_;
    for (std::size_t p = 0; p < problems_.size(); ++p) {
      comparison.problems.push_back(measure(problems_[p], runs_[p]));
      std::ranges::move(runs_[p], std::back_inserter(comparison.runs));
    }
    return comparison;
  }

 private:
  std::string check_fit(Problem& problem) const {
    for (const std::string& name : plan_.algorithms)
      if (needs_hessian(name) && !has_hessian(*problem.objective, problem.start))
        return name + ": expected a problem with a Hessian, found " + quote(problem.name) + " without";
    if (plan_.line_search == "exact" && !has_hessian_vector(*problem.objective, problem.start))
      return "exact: expected a problem with a Hessian-vector product, found " + quote(problem.name) + " without";
    return "";
  }

  void run_problem(std::size_t p) {
    Problem& problem = problems_[p];
    try {
      for (std::size_t a = 0; a < made_.size(); ++a)
        for (std::int64_t start = 0; start < plan_.starts && !stopped_; ++start) {
          runs_[p].push_back(run_once(problem, made_[a], start));
          runs_[p].back().problem = p;
          runs_[p].back().algorithm = a;
          ++done_;
        }
    } catch (const std::exception& exception) {
      const std::lock_guard lock(mutex_);
      error_ = printable(problem.name) + ": " + exception.what();
      stopped_ = true;
    }
  }

  ComparedRun run_once(Problem& problem, const Algorithm& algorithm, std::int64_t start) {
    const Vector x =
        start == 0 ? problem.start : perturbed_start(problem.start, plan_.seed + static_cast<std::uint64_t>(start));
    Options options;
    options.algorithm = algorithm.name;
    options.line_search = plan_.line_search;
    options.gtol = plan_.gtol;
    options.max_iterations = std::numeric_limits<std::int64_t>::max();
    options.max_evaluations = plan_.max_evaluations;
    options.keep_trace = true;
    options.observer = [&](const Progress&) { return observe(problem.name, algorithm.name); };
    Summary summary = minimize(*problem.objective, x, algorithm, options);
    return {.start = start,
            .status = summary.status,
            .f_start = summary.state.f_start,
            .f = summary.f,
            .grad_inf_norm = summary.grad_inf_norm,
            .iterations = summary.iterations,
            .evaluations = summary.evaluations,
            .fallbacks = summary.fallbacks,
            .seconds = summary.seconds,
            .trace = std::move(summary.trace)};
  }

  Continue observe(const std::string& problem, const std::string& algorithm) {
    if (!observer_) return Continue::kYes;
    const std::lock_guard lock(mutex_);
    const std::size_t total = problems_.size() * made_.size() * static_cast<std::size_t>(plan_.starts);
    if (!stopped_ && observer_({done_, total, problem, algorithm}) == Continue::kNo) stopped_ = true;
    return stopped_ ? Continue::kNo : Continue::kYes;
  }

  // What gaps are measured from, and the gaps.
  static ComparedProblem measure(const Problem& problem, std::vector<ComparedRun>& runs) {
    double lowest = std::numeric_limits<double>::infinity();
    for (const ComparedRun& run : runs)
      if (std::isfinite(run.f)) lowest = std::min(lowest, run.f);
    const double reference = problem.minimum.value_or(lowest);
    for (ComparedRun& run : runs) {
      run.gap = run.f - reference;
      double lowest_from_start = run.f;
      for (const ComparedRun& other : runs)
        if (other.start == run.start && other.f < lowest_from_start) lowest_from_start = other.f;
      run.solved =
          is_success(run.status) && run.f - lowest_from_start <= kSolvedGap * (run.f_start - lowest_from_start);
    }
    return {.name = problem.name,
            .n = problem.objective->dimension(),
            .reference = reference,
            .reference_is_known = problem.minimum.has_value()};
  }

  const ComparisonPlan& plan_;
  const ComparisonObserver& observer_;
  std::vector<Algorithm> made_;
  std::vector<Problem> problems_;
  std::vector<std::vector<ComparedRun>> runs_;  // a list for each problem, written by the one thread that runs it
  std::atomic<std::size_t> next_ = 0;           // the next problem without a thread
  std::atomic<std::size_t> done_ = 0;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;   // guards the observer and the error
  std::string error_;  // of an exception
};

}  // namespace

std::string run_comparison(const ComparisonPlan& plan, const ComparisonObserver& observer, Comparison& comparison) {
  Runner runner(plan, observer);
  std::string error = runner.prepare();
  if (error.empty()) error = runner.run();
  if (error.empty()) comparison = runner.result();
  return error;
}

std::string baseline(const ComparisonPlan& plan) {
  return std::ranges::count(plan.algorithms, "bfgs") > 0 ? "bfgs" : plan.algorithms.front();
}

std::vector<RelativeEvaluations> relative_evaluations(const Comparison& comparison) {
  const std::vector<std::string>& names = comparison.plan.algorithms;
  const std::string base = baseline(comparison.plan);
  std::vector<RelativeEvaluations> table;
  for (const std::string& name : names) {
    RelativeEvaluations row{.algorithm = name};
    double sum_of_logs = 0.0;
    for (const ComparedRun& run : comparison.runs) {
      if (names[run.algorithm] != name) continue;
      ++row.runs;
      row.solved += run.solved ? 1 : 0;
      for (const ComparedRun& other : comparison.runs) {
        const bool same = other.problem == run.problem && other.start == run.start && names[other.algorithm] == base;
        if (!same || !run.solved || !other.solved) continue;
        ++row.count;
        sum_of_logs += std::log(static_cast<double>(run.evaluations.value)) -
                       std::log(static_cast<double>(other.evaluations.value));
      }
    }
    row.ratio = std::exp(sum_of_logs / static_cast<double>(row.count));  // 0/0 is the NaN promised
    table.push_back(row);
  }
  return table;
}

}  // namespace loa
