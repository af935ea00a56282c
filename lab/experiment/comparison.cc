#include "experiment/comparison.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>

#include "base/file.h"
#include "base/parallel.h"
#include "base/text.h"
#include "experiment/run_cache.h"
#include "experiment/start.h"
#include "files/program.h"
#include "files/sha256.h"
#include "loa/minimize.h"
#include "loa/weights.h"
#include "problem/data_source.h"
#include "problem/spec.h"

namespace loa {
namespace {

Error find_repetition(const std::vector<std::string>& names, const std::string& what) {
  std::set<std::string> seen;
  for (const std::string& name : names)
    if (!seen.insert(name).second) return "compare: found the " + what + " " + quote(name) + " twice, expected it once";
  return {};
}

Error check_plan(const ComparisonPlan& plan) {
  if (plan.problems.empty()) return "compare: expected at least one problem, found none";
  if (plan.algorithms.empty()) return "compare: expected at least one algorithm, found none";
  if (plan.starts < 1) return "compare: expected at least one start, found " + std::to_string(plan.starts);
  if (plan.jobs < 1) return "compare: expected at least one job, found " + std::to_string(plan.jobs);
  if (Error repeated = find_repetition(plan.problems, "problem")) return repeated;
  return find_repetition(plan.algorithms, "algorithm");
}

bool has_hessian(Objective& f, const Vector& x) {
  Matrix hessian(x.size(), x.size());
  return f.hessian(x, hessian);
}

bool has_hessian_vector(Objective& f, const Vector& x) {
  Vector out(x.size());
  return f.hessian_vector(x, x, out);
}

// Of the data file that a spec names; empty without one.
std::string data_checksum(const std::string& text) {
  Spec spec;
  std::string bytes;
  if (Spec::parse(text, spec) || !spec.has("data")) return "";
  return read_file(spec.text_value("data", ""), bytes, kDataFile) ? "" : sha256(bytes);
}

// What the weights of a contestant are, whatever they are called.
std::string weights_identity(const Contestant& contestant) {
  Weights weights;
  if (!contestant.learned || contestant.weights.empty() || find_weights(contestant.weights, weights)) return "";
  std::string text(reinterpret_cast<const char*>(weights.theta.data()),
                   static_cast<std::size_t>(weights.theta.size()) * sizeof(double));
  for (const auto& [key, value] : weights.metadata) text += key + "=" + value + "\n";
  return sha256(text);
}

Contestant own_contestant(const std::string& name, const ComparisonPlan& plan,
                          const std::function<Algorithm(const HyperParameters&)>& make) {
  Contestant contestant;
  contestant.label = contestant.algorithm = name;
  contestant.line_search = lower_case(plan.line_search);
  contestant.safeguard = plan.safeguard ? Safeguard::kOn : Safeguard::kOff;
  contestant.make = make;
  return contestant;
}

// A label as tables, figures and files can show it: on one line, in valid UTF-8.
std::string shown(const std::string& label) { return valid_utf8(printable(label)); }

class Runner {
 public:
  Runner(const ComparisonPlan& plan, const ComparisonObserver& observer)
      : plan_(plan), observer_(observer), cache_(plan.cache) {}

  // Everything that can be wrong with a plan, before the first run.
  Error prepare() {
    if (Error error = check_plan(plan_)) return error;
    const ContestantDefaults defaults{plan_.weights, plan_.line_search, plan_.safeguard};
    for (const std::string& text : plan_.algorithms) {
      Contestant& contestant = contestants_.emplace_back();
      if (const auto own = plan_.own_algorithms.find(text); own != plan_.own_algorithms.end())
        contestant = own_contestant(text, plan_, own->second);
      else if (Error error = parse_contestant(text, defaults, contestant))
        return error;
      contestant.label = shown(contestant.label);
      comparison_.labels.push_back(contestant.label);
      identities_.push_back(text + "\n" + weights_identity(contestant));
    }
    if (Error error = find_repetition(comparison_.labels, "label")) return error;
    for (const std::string& label : plan_.against)
      if (std::ranges::count(comparison_.labels, label_of(label)) == 0)
        return "compare: found " + quote(label) + " to compare against, expected one of " + join(comparison_.labels) +
               suggestion(label, comparison_.labels);
    if (!plan_.weights.empty() && std::ranges::none_of(contestants_, &Contestant::learned))
      return "compare: found weights " + quote(plan_.weights) + ", expected a learned algorithm that takes them";
    copies_.resize(static_cast<std::size_t>(plan_.jobs));
    for (Copies& copies : copies_) copies.resize(plan_.problems.size());
    for (std::size_t p = 0; p < plan_.problems.size(); ++p)
      if (Error error = prepare_problem(p)) return error;
    return {};
  }

  // Returns no error or the exception that ended it.
  Error run() {
    runs_.resize(num_runs());
    made_.assign(num_runs(), false);
    find_optima();
    in_parallel(num_runs(), [this](Index index, int thread) {
      if (!stopped_) make_run(static_cast<std::size_t>(index), static_cast<std::size_t>(thread));
    });
    return error_;
  }

  Comparison result() {
    comparison_.plan = plan_;
    for (std::string& label : comparison_.plan.against) label = label_of(label);
    comparison_.interrupted = stopped_;
    for (std::size_t i = 0; i < runs_.size(); ++i)
      if (made_[i]) comparison_.runs.push_back(std::move(runs_[i]));
    for (std::size_t p = 0; p < plan_.problems.size(); ++p) measure(p);
    return std::move(comparison_);
  }

 private:
  // The label that a user means by `text`: the name of an algorithm may have capital letters.
  std::string label_of(const std::string& text) const {
    const std::string label = shown(text);
    return std::ranges::count(comparison_.labels, label) > 0 ? label : lower_case(label);
  }

  using Copies = std::vector<std::unique_ptr<Problem>>;  // of each problem, made when first needed

  template <typename Work>
  void in_parallel(std::size_t count, const Work& work) const {
    parallel_for(static_cast<Index>(count), static_cast<int>(plan_.jobs), work);
  }

  std::size_t num_runs() const {
    return plan_.problems.size() * plan_.algorithms.size() * static_cast<std::size_t>(plan_.starts);
  }

  Error prepare_problem(std::size_t p) {
    std::unique_ptr<Problem> problem;
    if (Error error = make(p, problem)) return error;
    Objective& f = *problem->objective;
    for (const Contestant& contestant : contestants_) {
      if (contestant.needs_hessian && !has_hessian(f, problem->start))
        return contestant.label + ": expected a problem with a Hessian, found " + quote(problem->name) + " without";
      if (contestant.line_search == "exact" && !has_hessian_vector(f, problem->start))
        return "exact: expected a problem with a Hessian-vector product, found " + quote(problem->name) + " without";
      Algorithm made;
      if (Error error = make_for_problem(contestant, *problem, made)) return error;
    }
    double first_step = 0.0;
    if (plan_.first_step == "1/(2L)"
            ? !problem->lipschitz
            : !plan_.first_step.empty() &&
                  (parse_real(plan_.first_step, first_step) != ParsedReal::kOk || !(first_step > 0.0)))
      return "compare: found the first step " + quote(plan_.first_step) +
             ", expected a positive number, or 1/(2L) for " + "problems whose L is known";
    ComparedProblem& compared = comparison_.problems.emplace_back();
    compared.name = problem->name;
    compared.n = f.dimension();
    compared.checksum = data_checksum(plan_.problems[p]);
    copies_[0][p] = std::move(problem);
    return {};
  }

  // A problem has scratch space of its own, so each thread has its own copy.
  Problem& problem_for(std::size_t p, std::size_t thread) {
    std::unique_ptr<Problem>& problem = copies_[thread][p];
    if (problem == nullptr)
      if (const Error error = make(p, problem)) throw std::runtime_error(error.message());
    return *problem;
  }

  // A problem by its name, or one of the user's own. Returns what is wrong, if anything is.
  Error make(std::size_t p, std::unique_ptr<Problem>& problem) const {
    if (const auto own = plan_.own_problems.find(plan_.problems[p]); own != plan_.own_problems.end()) {
      problem = own->second();
      return {};
    }
    problem = std::make_unique<Problem>();
    return make_problem(plan_.problems[p], *problem);
  }

  // Whether the text of the plan decides the run.
  bool has_own_part(const ComparedRun& run) const {
    return plan_.own_problems.contains(plan_.problems[run.problem]) || contestants_[run.algorithm].make;
  }

  std::string problem_key(std::size_t p) const {
    return program_identity() + "\n" + plan_.problems[p] + "\n" + comparison_.problems[p].checksum + "\n";
  }

  std::string run_key(const ComparedRun& run) const {
    std::string key = problem_key(run.problem) + identities_[run.algorithm];
    for (const std::string& text :
         {plan_.weights, plan_.line_search, std::to_string(run.start), std::to_string(plan_.random_starts),
          std::to_string(plan_.safeguard), std::to_string(plan_.seed), plan_.first_step, real_text(plan_.gtol),
          real_text(plan_.gap), std::to_string(plan_.max_iterations), std::to_string(plan_.max_evaluations)})
      key += "\n" + text;
    return key;
  }

  void find_optima() {
    in_parallel(plan_.problems.size(), [this](Index index, int thread) {
      const auto p = static_cast<std::size_t>(index);
      Optimum& optimum = comparison_.problems[p].optimum;
      const std::string key = "optimum\n" + problem_key(p);
      const bool cached = !plan_.own_problems.contains(plan_.problems[p]);
      if (stopped_ || (cached && cache_.find(key, optimum))) return;
      if (!find_optimum(problem_for(p, static_cast<std::size_t>(thread)), optimum))
        optimum = {.f = -std::numeric_limits<double>::infinity(), .grad_inf_norm = 0.0, .source = "lowest"};
      if (cached && optimum.source == "newton") cache_.keep(key, optimum);
    });
  }

  void make_run(std::size_t index, std::size_t thread) {
    const auto starts = static_cast<std::size_t>(plan_.starts);
    ComparedRun& run = runs_[index];
    run.start = static_cast<std::int64_t>(index % starts);
    run.algorithm = index / starts % plan_.algorithms.size();
    run.problem = index / starts / plan_.algorithms.size();
    try {
      const std::string key = run_key(run);
      const bool cached = !has_own_part(run);
      if (!cached || !cache_.find(key, run)) {
        if (!run_once(problem_for(run.problem, thread), run)) return;
        if (cached) cache_.keep(key, run);
      }
      made_[index] = true;
      ++done_;
    } catch (const std::exception& exception) {
      const std::lock_guard lock(mutex_);
      if (error_.empty()) error_ = printable(plan_.problems[run.problem]) + ": " + exception.what();
      stopped_ = true;
    }
  }

  Vector start_of(const Problem& problem, std::int64_t start) const {
    const auto index = static_cast<std::uint64_t>(start);
    if (plan_.random_starts) return random_start(problem.objective->dimension(), plan_.seed, index);
    return start == 0 ? problem.start : perturbed_start(problem.start, plan_.seed + index);
  }

  // Returns false when it was interrupted.
  bool run_once(Problem& problem, ComparedRun& run) {
    const Contestant& contestant = contestants_[run.algorithm];
    Algorithm algorithm;
    if (const Error error = make_for_problem(contestant, problem, algorithm)) throw std::runtime_error(error.message());
    Options options;
    options.algorithm = algorithm.name;
    options.line_search = contestant.line_search;
    options.safeguard = contestant.safeguard;
    options.gtol = plan_.gtol;
    options.max_iterations = plan_.max_iterations;
    options.max_evaluations = plan_.max_evaluations;
    options.lower = problem.lower;
    options.upper = problem.upper;
    options.keep_trace = true;
    double first_step = 0.0;
    if (plan_.first_step == "1/(2L)")
      options.first_step = 0.5 / *problem.lipschitz;
    else if (parse_real(plan_.first_step, first_step) == ParsedReal::kOk)
      options.first_step = first_step;
    const double optimum = comparison_.problems[run.problem].optimum.f;
    double first_gap = 0.0;
    bool interrupted = false;
    options.observer = [&](const Progress& progress) {
      const double gap = progress.f - optimum;
      if (progress.iteration == 0) first_gap = gap;
      run.reached_gap = plan_.gap > 0.0 && std::isfinite(optimum) && gap <= plan_.gap * first_gap;
      interrupted = observe(problem.name, contestant.label) == Continue::kNo;
      return run.reached_gap || interrupted ? Continue::kNo : Continue::kYes;
    };
    Summary summary = minimize(*problem.objective, start_of(problem, run.start), algorithm, options);
    run.status = summary.status;
    run.f_start = summary.state.f_start;
    run.f = summary.f;
    run.grad_inf_norm = summary.grad_inf_norm;
    run.iterations = summary.iterations;
    run.evaluations = summary.evaluations;
    run.fallbacks = summary.fallbacks;
    run.seconds = summary.seconds;
    run.trace = std::move(summary.trace);
    return !interrupted;
  }

  Continue observe(const std::string& problem, const std::string& algorithm) {
    if (!observer_) return Continue::kYes;
    const std::lock_guard lock(mutex_);
    if (!stopped_ && observer_({done_, num_runs(), problem, algorithm}) == Continue::kNo) stopped_ = true;
    return stopped_ ? Continue::kNo : Continue::kYes;
  }

  // The gaps, and which runs count as solved.
  void measure(std::size_t p) {
    std::vector<ComparedRun*> runs;
    for (ComparedRun& run : comparison_.runs)
      if (run.problem == p) runs.push_back(&run);
    ComparedProblem& problem = comparison_.problems[p];
    std::map<std::int64_t, double> lowest;  // by start
    double lowest_of_all = std::numeric_limits<double>::infinity();
    for (const ComparedRun* run : runs) {
      if (!std::isfinite(run->f)) continue;
      const auto found = lowest.try_emplace(run->start, run->f).first;
      found->second = std::min(found->second, run->f);
      lowest_of_all = std::min(lowest_of_all, run->f);
    }
    problem.reference_is_known = problem.optimum.source != "lowest";
    if (!problem.reference_is_known) problem.optimum.f = lowest_of_all;
    problem.reference = problem.optimum.f;
    for (ComparedRun* run : runs) {
      run->gap = run->f - problem.optimum.f;
      const double best = lowest.contains(run->start) ? lowest[run->start] : run->f;
      run->solved = run->converged() && is_no_worse(*run, best);
      if (run->gap < -tolerance_below(problem.optimum, run->f_start))
        comparison_.below_optimum.push_back(printable(problem.name) + ": " + comparison_.labels[run->algorithm] +
                                            " found f = " + real_text(run->f) + " from start " +
                                            std::to_string(run->start) + ", below the optimum " +
                                            real_text(problem.optimum.f) + " (" + problem.optimum.source + ")");
    }
  }

  const ComparisonPlan& plan_;
  const ComparisonObserver& observer_;
  const RunCache cache_;
  std::vector<Contestant> contestants_;
  std::vector<std::string> identities_;  // of the contestants, for the cache
  std::vector<Copies> copies_;           // of the problems, for each thread
  Comparison comparison_;
  std::vector<ComparedRun> runs_;  // by problem, algorithm, start: each written by the one thread that makes it
  std::vector<char> made_;         // likewise: whether it was made
  std::atomic<std::size_t> done_ = 0;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;   // guards the observer and the error
  std::string error_;  // of an exception
};

}  // namespace

Error run_comparison(const ComparisonPlan& plan, const ComparisonObserver& observer, Comparison& comparison) {
  Runner runner(plan, observer);
  if (Error error = runner.prepare()) return error;
  if (Error error = runner.run()) return error;
  comparison = runner.result();
  return {};
}

}  // namespace loa
