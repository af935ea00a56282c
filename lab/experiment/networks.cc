#include "experiment/networks.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <stdexcept>

#include "base/parallel.h"
#include "base/text.h"
#include "experiment/contestant.h"
#include "experiment/run_cache.h"
#include "experiment/statistics.h"
#include "files/program.h"
#include "loa/minimize.h"
#include "problem/pinn.h"

namespace loa {
namespace {

constexpr std::int64_t kSamples = 40;
constexpr std::string_view kThen = " then ";

// One or two algorithms, one after the other.
struct Trainer {
  std::string text, label;
  std::vector<Contestant> parts;
};

std::vector<std::string> split_parts(const std::string& text) {
  const std::size_t at = text.find(kThen);
  if (at == std::string::npos) return {text};
  return {text.substr(0, at), text.substr(at + kThen.size())};
}

// Whether every algorithm of a text exists here; the first that does not goes to `missing`.
bool is_known(const std::string& text, std::vector<std::string>& missing) {
  for (const std::string& part : split_parts(text)) {
    const std::string name = part.substr(0, part.find(':'));
    if (name == "auto" || std::ranges::any_of(algorithms(), [&](const AlgorithmInfo& a) { return a.name == name; }))
      continue;
    missing.push_back(name);
    return false;
  }
  return true;
}

Error parse_trainer(const std::string& text, Trainer& trainer) {
  trainer.text = text;
  for (const std::string& part : split_parts(text)) {
    Contestant& contestant = trainer.parts.emplace_back();
    if (part == "auto")
      contestant.label = contestant.algorithm = part;
    else if (Error error = parse_contestant(part, {}, contestant))
      return error;
  }
  trainer.label = trainer.parts.back().label;
  return {};
}

class Training {
 public:
  Training(const Experiment& experiment, const std::string& cache, std::int64_t jobs, const NetworkObserver& observer)
      : plan_(experiment.plan), experiment_(experiment), cache_(cache), jobs_(jobs), observer_(observer) {}

  Error run(NetworkStudy& study) {
    for (const std::string& text : plan_.algorithms) {
      if (!is_known(text, study.missing)) continue;
      if (Error error = parse_trainer(text, trainers_.emplace_back())) return error;
      study.labels.push_back(trainers_.back().label);
    }
    for (const std::string& spec : plan_.problems) {
      Problem problem;
      if (Error error = make_problem(seeded(spec, 0), problem)) return error;
      if (dynamic_cast<const PinnObjective*>(problem.objective.get()) == nullptr)
        return "found the problem " + quote(spec) + ", expected pinn:NAME";
    }
    const auto seeds = static_cast<std::size_t>(plan_.starts);
    study.runs.resize(plan_.problems.size() * trainers_.size() * seeds);
    total_ = study.runs.size();
    parallel_for(static_cast<Index>(total_), static_cast<int>(jobs_), [&](Index i, int) {
      const auto at = static_cast<std::size_t>(i);
      NetworkRun& run = study.runs[at];
      run.seed = static_cast<std::int64_t>(at % seeds);
      run.algorithm = at / seeds % trainers_.size();
      run.problem = at / seeds / trainers_.size();
      if (!stopped_) make_run(run);
    });
    study.interrupted = stopped_;
    return {};
  }

 private:
  static std::string seeded(const std::string& spec, std::int64_t seed) {
    return spec + ",seed=" + std::to_string(seed);
  }

  std::int64_t mark(std::int64_t sample) const { return plan_.max_evaluations * sample / kSamples; }

  void make_run(NetworkRun& run) {
    const Trainer& trainer = trainers_[run.algorithm];
    const std::string spec = seeded(plan_.problems[run.problem], run.seed);
    std::string key = program_identity() + "\nnetworks\n" + spec + "\n" + trainer.text;
    for (const std::int64_t number : {plan_.max_evaluations, experiment_.switch_after})
      key += "\n" + std::to_string(number);
    // Both curves as traces, which is what the cache keeps.
    ComparedRun loss, error;
    if (!cache_.find(key + "\nloss", loss) || !cache_.find(key + "\nerror", error)) {
      loss.trace.clear();
      error.trace.clear();
      if (!train(trainer, spec, loss.trace, error.trace)) return;
      cache_.keep(key + "\nloss", loss);
      cache_.keep(key + "\nerror", error);
    }
    for (const TraceRow& row : loss.trace) {
      run.evaluations.push_back(static_cast<double>(row.evaluations));
      run.loss.push_back(row.f);
    }
    for (const TraceRow& row : error.trace) run.error.push_back(row.f);
    ++done_;
    observe();
  }

  // Fills both traces with a row for each sample. Returns false when it was interrupted.
  bool train(const Trainer& trainer, const std::string& spec, std::vector<TraceRow>& loss,
             std::vector<TraceRow>& error) {
    Problem problem;
    if (const Error wrong = make_problem(spec, problem)) throw std::runtime_error(wrong.message());
    Objective& f = *problem.objective;
    Vector x = problem.start;
    double lowest = f.value(x);
    std::int64_t used = 0;  // by the parts before
    const auto sample_until = [&](std::int64_t evaluations, const Vector& at) {
      while (loss.size() <= kSamples && mark(static_cast<std::int64_t>(loss.size())) <= evaluations) {
        const std::int64_t now = mark(static_cast<std::int64_t>(loss.size()));
        loss.push_back({.f = lowest, .evaluations = now});
        error.push_back({.f = pinn_error(f, at), .evaluations = now});
      }
    };
    sample_until(0, x);
    for (std::size_t p = 0; p < trainer.parts.size(); ++p) {
      const bool is_last = p + 1 == trainer.parts.size();
      const Contestant& part = trainer.parts[p];
      Options options;
      options.algorithm = part.algorithm;
      options.weights = part.weights;
      options.line_search = part.line_search;
      options.safeguard = part.safeguard;
      options.hyper_parameters = part.hyper_parameters;
      options.gtol = 0.0;
      options.max_iterations = plan_.max_evaluations;
      options.max_evaluations = is_last ? plan_.max_evaluations - used : experiment_.switch_after;
      bool interrupted = false;
      options.observer = [&](const Progress& progress) {
        lowest = std::min(lowest, progress.f);
        // The sample at the end is that of the best point, and there is none beyond it.
        sample_until(std::min(used + progress.evaluations.value, plan_.max_evaluations - 1), progress.x);
        interrupted = observe() == Continue::kNo;
        return interrupted ? Continue::kNo : Continue::kYes;
      };
      const Summary summary = minimize(f, x, options);
      if (interrupted) return false;
      used += summary.evaluations.value;
      lowest = std::min(lowest, summary.f);
      x = summary.x;
    }
    sample_until(plan_.max_evaluations, x);
    return true;
  }

  Continue observe() {
    const std::lock_guard lock(mutex_);
    if (!stopped_ && observer_ && observer_(done_, total_) == Continue::kNo) stopped_ = true;
    return stopped_ ? Continue::kNo : Continue::kYes;
  }

  const ComparisonPlan& plan_;
  const Experiment& experiment_;
  const RunCache cache_;
  const std::int64_t jobs_;
  const NetworkObserver& observer_;
  std::vector<Trainer> trainers_;
  std::size_t total_ = 0;
  std::atomic<std::size_t> done_ = 0;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;  // guards the observer
};

std::vector<const NetworkRun*> runs_of_network(const NetworkStudy& study, std::size_t problem, std::size_t algorithm) {
  std::vector<const NetworkRun*> runs;
  for (const NetworkRun& run : study.runs)
    if (run.problem == problem && run.algorithm == algorithm) runs.push_back(&run);
  return runs;
}

// What the runs have at a sample.
std::vector<double> at_sample(const std::vector<const NetworkRun*>& runs, std::vector<double> NetworkRun::*what,
                              std::size_t sample) {
  std::vector<double> values;
  for (const NetworkRun* run : runs) values.push_back((run->*what)[sample]);
  return values;
}

}  // namespace

Error run_networks(const Experiment& experiment, const std::string& cache, std::int64_t jobs,
                   const NetworkObserver& observer, NetworkStudy& study) {
  return Training(experiment, cache, jobs, observer).run(study);
}

Ratio network_ratio(const Experiment& experiment, const NetworkStudy& study, std::size_t algorithm) {
  std::vector<double> logs;  // of each problem, the mean over its seeds
  for (std::size_t p = 0; p < experiment.plan.problems.size(); ++p) {
    std::vector<std::vector<const NetworkRun*>> rivals;
    for (std::size_t a = 0; a < study.labels.size(); ++a)
      if (std::ranges::count(experiment.rivals, study.labels[a]) > 0) rivals.push_back(runs_of_network(study, p, a));
    if (rivals.empty()) return {};
    double sum = 0.0;
    const std::vector<const NetworkRun*> runs = runs_of_network(study, p, algorithm);
    for (std::size_t s = 0; s < runs.size(); ++s) {
      double lowest = rivals[0][s]->loss.back();
      for (const auto& rival : rivals) lowest = std::min(lowest, rival[s]->loss.back());
      sum += std::log(runs[s]->loss.back() / lowest);
    }
    logs.push_back(sum / static_cast<double>(runs.size()));
  }
  return geometric_mean(logs, experiment.seed);
}

ReportTable network_table(const Experiment& experiment, const NetworkStudy& study) {
  const std::int64_t evaluations = experiment.plan.max_evaluations;
  ReportTable table;
  table.caption =
      fmt::format("Median loss over {} seeds after {} / {} evaluations, in brackets the relative error of the solution",
                  experiment.plan.starts, evaluations / 4, evaluations);
  table.header = {"algorithm"};
  for (std::size_t p = 0; p < experiment.plan.problems.size(); ++p) table.header.push_back(experiment.panel_of(p));
  table.header.push_back(experiment.rivals.empty() ? "" : "loss / best of " + join(experiment.rivals));
  for (std::size_t a = 0; a < study.labels.size(); ++a) {
    std::vector<std::string> row = {study.labels[a]};
    for (std::size_t p = 0; p < experiment.plan.problems.size(); ++p) {
      const auto runs = runs_of_network(study, p, a);
      const std::size_t last = kSamples, quarter = kSamples / 4;
      row.push_back(fmt::format("{:.1e} / {:.1e} ({:.1e})", median(at_sample(runs, &NetworkRun::loss, quarter)),
                                median(at_sample(runs, &NetworkRun::loss, last)),
                                median(at_sample(runs, &NetworkRun::error, last))));
    }
    const Ratio ratio = network_ratio(experiment, study, a);
    row.push_back(std::isnan(ratio.value) ? "-"
                                          : fmt::format("{:.2g} [{:.2g}, {:.2g}]", ratio.value, ratio.low, ratio.high));
    table.rows.push_back(row);
  }
  return table;
}

std::string network_markdown(const Experiment& experiment, const NetworkStudy& study) {
  return markdown_of(network_table(experiment, study));
}

std::string network_csv(const Experiment& experiment, const NetworkStudy& study) {
  std::string text = "problem,algorithm,seed,evaluations,loss,error\n";
  for (const NetworkRun& run : study.runs)
    for (std::size_t i = 0; i < run.loss.size(); ++i)
      text +=
          fmt::format("\"{}\",\"{}\",{},{},{},{}\n", experiment.plan.problems[run.problem], study.labels[run.algorithm],
                      run.seed, run.evaluations[i], real_text(run.loss[i]), real_text(run.error[i]));
  return text;
}

BandFigure network_figure(const Experiment& experiment, const NetworkStudy& study,
                          std::vector<double> NetworkRun::*what) {
  const bool is_loss = what == &NetworkRun::loss;
  BandFigure figure;
  figure.name = experiment.id + (is_loss ? "" : "-error");
  figure.x_label = "evaluations";
  figure.y_label = is_loss ? "loss" : "relative error";
  figure.note = fmt::format("lines: medians; bands: the middle half of the runs of {}", experiment.subject);
  for (std::size_t p = 0; p < experiment.plan.problems.size(); ++p) {
    BandPanel& panel = figure.panels.emplace_back();
    panel.title = experiment.panel_of(p);
    for (std::size_t a = 0; a < study.labels.size(); ++a) {
      const auto runs = runs_of_network(study, p, a);
      BandCurve& curve = panel.curves.emplace_back();
      curve.label = study.labels[a];
      curve.x = runs.front()->evaluations;
      for (std::size_t i = 0; i < curve.x.size(); ++i) {
        const std::vector<double> values = at_sample(runs, what, i);
        curve.median.push_back(median(values));
        if (study.labels[a] != experiment.subject) continue;
        curve.low.push_back(quantile(values, 0.25));
        curve.high.push_back(quantile(values, 0.75));
      }
    }
  }
  return figure;
}

}  // namespace loa
