// Runs of candidates on members, on threads of this process.
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/parallel.h"
#include "loa/minimize.h"
#include "loa/own_problems.h"
#include "loa/series.h"
#include "model/architecture.h"

namespace loa {
namespace {

// Weights as a file for the time that the object lives: a series has its weights by name.
class WeightsFile {
 public:
  explicit WeightsFile(const Weights& weights)
      : path_((std::filesystem::temp_directory_path() / "loa-weights-XXXXXX").string()) {
    const int file = mkstemp(path_.data());
    if (file < 0) throw std::runtime_error(path_ + ": cannot write a file of weights there");
    close(file);
    if (const Error error = save_weights(weights, path_)) throw std::runtime_error(error.message());
  }
  ~WeightsFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  WeightsFile(const WeightsFile&) = delete;
  WeightsFile& operator=(const WeightsFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class ThreadRunner {
 public:
  ThreadRunner(OwnProblems problems, int threads, Weights weights)
      : problems_(std::move(problems)), threads_(threads), weights_(std::move(weights)) {
    if (weights_.theta.size() > 0) return;
    const Architecture& controller = architecture_for("loa");
    weights_ = make_weights(controller, controller.starts.front().theta(0));
  }

  std::vector<OwnOutcome> operator()(const std::vector<OwnCandidate>& candidates, const std::vector<OwnRun>& runs) {
    std::vector<Algorithm> learned(candidates.size());
    for (std::size_t i = 0; i < candidates.size(); ++i)
      if (candidates[i].theta.size() > 0) learned[i] = algorithm_with(candidates[i].theta);

    if (!runs.empty() && runs.front().in_series) return in_series(candidates, runs);
    // A piece is a member with its runs: an objective belongs to one thread at a time.
    std::map<std::uint64_t, std::vector<std::size_t>> runs_of;
    for (std::size_t i = 0; i < runs.size(); ++i) runs_of[runs[i].member].push_back(i);
    const std::vector<std::pair<std::uint64_t, std::vector<std::size_t>>> pieces(runs_of.begin(), runs_of.end());
    std::vector<OwnOutcome> outcomes(runs.size());
    parallel_for(static_cast<Index>(pieces.size()), threads_or_default(threads_), [&](Index index, int) {
      const auto& [number, of_member] = pieces[static_cast<std::size_t>(index)];
      OwnProblem& problem = member(number);
      for (const std::size_t i : of_member)
        outcomes[i] = outcome(problem, runs[i], candidates[runs[i].candidate], learned[runs[i].candidate]);
    });
    return outcomes;
  }

 private:
  Algorithm algorithm_with(const Vector& theta) const {
    Weights weights = weights_;
    weights.theta = theta;
    return make_algorithm(algorithm_of(weights), {}, weights);
  }

  // One after the other on this thread: a run begins where the ones before it have ended.
  std::vector<OwnOutcome> in_series(const std::vector<OwnCandidate>& candidates, const std::vector<OwnRun>& runs) {
    std::vector<std::unique_ptr<Series>> series(candidates.size());
    std::vector<std::unique_ptr<WeightsFile>> files(candidates.size());
    std::vector<OwnOutcome> outcomes;
    for (const OwnRun& run : runs) {
      if (series[run.candidate] == nullptr) {
        const OwnCandidate& candidate = candidates[run.candidate];
        Options options = options_of(run, candidate);
        if (candidate.theta.size() > 0) {
          Weights weights = weights_;
          weights.theta = candidate.theta;
          files[run.candidate] = std::make_unique<WeightsFile>(weights);
          options.weights = files[run.candidate]->path();
        }
        series[run.candidate] = std::make_unique<Series>(options);
      }
      OwnProblem& problem = member(run.member);
      outcomes.push_back(
          outcome_of(series[run.candidate]->minimize(*problem.objective, problem.start), run, problem.start.size()));
    }
    return outcomes;
  }

  // Made at the first use, and then kept.
  OwnProblem& member(std::uint64_t number) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = members_.find(number); found != members_.end()) return found->second;
    }
    OwnProblem made = problems_.make(number);
    if (made.objective == nullptr || made.start.size() != made.objective->dimension())
      throw std::invalid_argument(
          "problem " + std::to_string(number) + ": expected an objective with a start of its " + "dimension, found " +
          (made.objective == nullptr ? std::string("none")
                                     : "dimension " + std::to_string(made.objective->dimension()) + " and a start of " +
                                           std::to_string(made.start.size())));
    const std::lock_guard lock(mutex_);
    return members_.emplace(number, std::move(made)).first->second;
  }

  static Options options_of(const OwnRun& run, const OwnCandidate& candidate) {
    Options options;
    options.gtol = run.gtol;
    options.max_evaluations = run.max_evaluations;
    options.max_seconds = run.max_seconds;
    options.algorithm = candidate.algorithm;
    return options;
  }

  static OwnOutcome outcome(OwnProblem& problem, const OwnRun& run, const OwnCandidate& candidate,
                            const Algorithm& learned) {
    const Options options = options_of(run, candidate);
    const Summary summary = candidate.theta.size() > 0 ? minimize(*problem.objective, problem.start, learned, options)
                                                       : minimize(*problem.objective, problem.start, options);
    return outcome_of(summary, run, problem.start.size());
  }

  static OwnOutcome outcome_of(const Summary& summary, const OwnRun& run, Index n) {
    return {.evaluations = summary.evaluations.value,
            .f = summary.f,
            .seconds = summary.seconds,
            .is_usable = summary.status != Status::kStartIsNotFinite,
            .reached = summary.success() && summary.grad_inf_norm <= run.gtol,
            .reached_precision = summary.status == Status::kConvergedToWorkingPrecision,
            .dimension = n};
  }

  OwnProblems problems_;
  int threads_;
  Weights weights_;
  std::mutex mutex_;
  std::map<std::uint64_t, OwnProblem> members_;  // whose places stay when others come
};

}  // namespace

OwnRunner own_runner(OwnProblems problems, int threads, Weights weights) {
  const auto runner = std::make_shared<ThreadRunner>(std::move(problems), threads, std::move(weights));
  return [runner](const std::vector<OwnCandidate>& candidates, const std::vector<OwnRun>& runs) {
    return (*runner)(candidates, runs);
  };
}

}  // namespace loa
