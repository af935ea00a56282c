#include "experiment/family_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "base/parallel.h"
#include "base/text.h"
#include "experiment/run_cache.h"
#include "experiment/statistics.h"
#include "files/program.h"
#include "loa/minimize.h"
#include "loa/random.h"
#include "loa/series.h"
#include "loa/train.h"
#include "problem/families.h"

namespace loa {
namespace {

namespace fs = std::filesystem;

// Far from those of an experiment, of which there are at most 1000.
constexpr std::int64_t kFirstTrainingSeed = 1000, kTrainingSequences = 20;

std::string seeded(const std::string& spec, std::int64_t seed) { return spec + ",seed=" + std::to_string(seed); }

// "family:NAME".
std::string family_of(const std::string& spec) { return spec.substr(0, spec.find(',')); }

// A text in letters that a file name may have.
std::string file_name(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return !std::isalnum(c); }, '-');
  return text;
}

class Solving {
 public:
  Solving(const Experiment& experiment, const FamilyFolders& folders, std::int64_t jobs, const FamilyObserver& observer)
      : experiment_(experiment),
        plan_(experiment.plan),
        folders_(folders),
        cache_(folders.cache),
        jobs_(jobs),
        observer_(observer) {}

  Error run(FamilyStudy& study) {
    const auto seeds = static_cast<std::size_t>(plan_.starts), problems = plan_.problems.size();
    sequences_.resize(problems * seeds);
    for (std::size_t i = 0; i < sequences_.size(); ++i) {
      const std::string spec = seeded(plan_.problems[i / seeds], static_cast<std::int64_t>(i % seeds));
      if (Error error = make_sequence(spec, sequences_[i])) return error;
    }
    study.runs.resize(problems * kNumFamilyWays * seeds);
    std::set<std::string> names;
    for (const std::string& spec : plan_.problems) names.insert(family_of(spec));
    const bool trains = !folders_.weights.empty();
    total_ = study.runs.size() + (trains ? names.size() * static_cast<std::size_t>(experiment_.generations) : 0);
    study.trainings.resize(problems);
    for (std::size_t p = 0; p < problems; ++p) {
      const Sequence& first = *sequences_[p * seeds];
      study.dimensions.push_back(first.member(0).start.size());
      study.paths.push_back(first.path());
      // Problems of one name differ in their data; what is trained on the first one is for all of them.
      std::size_t same = 0;
      while (family_of(plan_.problems[same]) != family_of(plan_.problems[p])) ++same;
      if (same < p)
        study.trainings[p].weights = study.trainings[same].weights;
      else if (Error error = train_on(plan_.problems[p], study.trainings[p]))
        return error;
    }
    parallel_for(static_cast<Index>(study.runs.size()), static_cast<int>(jobs_), [&](Index i, int) {
      const auto at = static_cast<std::size_t>(i);
      FamilyRun& run = study.runs[at];
      run.seed = static_cast<std::int64_t>(at % seeds);
      run.way = at / seeds % kNumFamilyWays;
      run.problem = at / seeds / kNumFamilyWays;
      if (!stopped_) make_run(*sequences_[run.problem * seeds + at % seeds], study.trainings[run.problem], run);
    });
    study.interrupted = stopped_;
    return {};
  }

 private:
  Index count(const Sequence& sequence) const {
    return experiment_.members > 0 ? std::min<Index>(experiment_.members, sequence.size()) : sequence.size();
  }

  // Everything that decides the weights.
  std::string training_key(const std::string& spec) const {
    return fmt::format("{}\n{}\n{} {} {} {} {} {}", program_identity(), spec, plan_.gtol, plan_.max_evaluations,
                       experiment_.generations, experiment_.training_members, experiment_.members, experiment_.seed);
  }

  // Problem `number` is a member of one of the sequences for training, each member of each one once.
  Error training_problems(const std::string& spec, OwnProblems& problems) const {
    auto sequences = std::make_shared<std::vector<std::unique_ptr<Sequence>>>();
    for (std::int64_t i = 0; i < kTrainingSequences; ++i)
      if (Error error = make_sequence(seeded(spec, kFirstTrainingSeed + i), sequences->emplace_back())) return error;
    const Index size = count(*sequences->front());
    problems.name = spec;
    problems.count = kTrainingSequences * size;
    problems.make = [sequences, size](std::uint64_t number) {
      const auto at = static_cast<Index>(number);
      Problem member = (*sequences)[static_cast<std::size_t>(at % kTrainingSequences)]->member(
          (at / kTrainingSequences + at) % size);
      return OwnProblem{std::move(member.objective), std::move(member.start)};
    };
    return {};
  }

  Error train_on(const std::string& spec, FamilyTraining& training) {
    if (stopped_ || folders_.weights.empty() || experiment_.generations == 0) return {};
    const std::string path =
        (fs::path(folders_.weights) / (file_name(spec.substr(spec.find(':') + 1)) + ".safetensors")).string();
    const std::string key = training_key(spec);
    Weights weights;
    if (load_weights(path, weights) || weights.metadata["families_key"] != key) {
      TrainingOptions options = training_preset("own");
      if (Error error = training_problems(spec, options.problems)) return error;
      options.seed = experiment_.seed;
      options.epochs = experiment_.generations;
      options.functions = experiment_.training_members;
      options.test_functions = options.own.held_out = experiment_.training_members / 2;
      options.batch = std::min(options.batch, options.functions);
      options.threads = static_cast<int>(jobs_);
      options.evolution.gtol = plan_.gtol;
      options.evolution.max_evaluations = plan_.max_evaluations;
      TrainingResult result;
      const std::size_t before = done_;
      const auto epoch = [&](const EpochReport& report) {
        done_ = before + static_cast<std::size_t>(report.epoch);
        return observe();
      };
      if (Error error = train(options, "", false, epoch, result)) return error;
      if (stopped_) return {};
      weights = result.weights;
      weights.metadata["families_key"] = key;
      weights.metadata["families_kept"] = result.own.kept ? "yes" : "no";
      weights.metadata["families_report"] = text_of(result.own);
      if (Error error = save_weights(weights, path)) return error;
    } else {
      done_ += static_cast<std::size_t>(experiment_.generations);
    }
    if (weights.metadata["families_kept"] == "yes") training.weights = path;
    training.report = weights.metadata["families_report"];
    return {};
  }

  Options options_of(const FamilyTraining& training, std::size_t way) {
    Options options;
    options.gtol = plan_.gtol;
    options.max_iterations = options.max_evaluations = plan_.max_evaluations;
    options.observer = [this](const Progress&) { return observe(); };
    if ((way == kTrained || way == kBoth) && !training.weights.empty()) {
      options.algorithm = "loa";
      options.weights = training.weights;
    }
    return options;
  }

  void make_run(const Sequence& sequence, const FamilyTraining& training, FamilyRun& run) {
    const std::string& spec = plan_.problems[run.problem];
    const std::string key = training_key(spec) + fmt::format("\n{}\n{}\n{}", run.seed, run.way, training.weights);
    ComparedRun kept;  // two rows of the trace for each member: its start and its end
    if (!cache_.find(key, kept)) {
      kept.trace.clear();
      if (!solve_all(sequence, options_of(training, run.way), run.way, kept.trace)) return;
      cache_.keep(key, kept);
    }
    for (std::size_t i = 1; i < kept.trace.size(); i += 2) {
      const TraceRow &start = kept.trace[i - 1], &end = kept.trace[i];
      run.members.push_back({.f_start = start.f,
                             .f = end.f,
                             .grad_inf_norm = end.grad_inf_norm,
                             .evaluations = end.evaluations,
                             .solved = end.step_size == 1.0});
    }
    ++done_;
    observe();
  }

  // Returns false when it was interrupted.
  bool solve_all(const Sequence& sequence, const Options& options, std::size_t way, std::vector<TraceRow>& rows) {
    const bool is_series = way == kSeries || way == kBoth;
    Series series(options);
    Vector next;
    for (Index k = 0; k < count(sequence); ++k) {
      Problem problem = sequence.member(k);
      Objective& f = *problem.objective;
      const double f_start = f.value(problem.start);
      // A series knows the last solution itself; what it cannot know is that variables move on with time.
      const bool is_moved = k > 0 && (way == kWarmX || (is_series && sequence.moves()));
      const Vector& start = is_moved ? next : problem.start;
      const Summary summary = is_series ? series.minimize(f, start) : minimize(f, start, options);
      if (stopped_) return false;
      next = sequence.next_start(summary.x);
      const bool solved = summary.success();
      rows.push_back({.iteration = k, .f = f_start});
      rows.push_back({.iteration = k,
                      .f = summary.f,
                      .grad_inf_norm = summary.grad_inf_norm,
                      .step_size = solved ? 1.0 : 0.0,
                      .evaluations = solved ? summary.evaluations.value : plan_.max_evaluations});
    }
    return true;
  }

  Continue observe() {
    const std::lock_guard lock(mutex_);
    if (!stopped_ && observer_ && observer_(done_, total_) == Continue::kNo) stopped_ = true;
    return stopped_ ? Continue::kNo : Continue::kYes;
  }

  const Experiment& experiment_;
  const ComparisonPlan& plan_;
  const FamilyFolders& folders_;
  const RunCache cache_;
  const std::int64_t jobs_;
  const FamilyObserver& observer_;
  std::vector<std::unique_ptr<Sequence>> sequences_;  // by problem, then seed
  std::size_t total_ = 0;
  std::atomic<std::size_t> done_ = 0;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;  // guards the observer
};

const FamilyRun& run_of(const Experiment& experiment, const FamilyStudy& study, std::size_t problem, std::size_t way,
                        std::size_t seed) {
  const auto seeds = static_cast<std::size_t>(experiment.plan.starts);
  return study.runs[(problem * kNumFamilyWays + way) * seeds + seed];
}

bool is_elsewhere(const FamilyRow& row, const FamilyRow& cold) {
  return row.solved && cold.solved && !(std::abs(row.f - cold.f) <= kSolvedGap * (cold.f_start - cold.f));
}

// What the runs of one way have of members: those of them all, or of the first few.
struct Tally {
  std::int64_t members = 0, evaluations = 0, elsewhere = 0, unsolved = 0;
};

Tally tally(const FamilyRun& run, const FamilyRun& cold, Index members) {
  Tally sum;
  const std::size_t count =
      members > 0 ? std::min(static_cast<std::size_t>(members), run.members.size()) : run.members.size();
  for (std::size_t i = 0; i < count; ++i) {
    const FamilyRow &row = run.members[i], &before = cold.members[i];
    const bool elsewhere = is_elsewhere(row, before);
    ++sum.members;
    sum.evaluations += elsewhere ? std::max(row.evaluations, before.evaluations) : row.evaluations;
    sum.elsewhere += elsewhere;
    sum.unsolved += !row.solved;
  }
  return sum;
}

// Over all seeds.
Tally tally_of(const Experiment& experiment, const FamilyStudy& study, std::size_t problem, std::size_t way,
               Index members) {
  Tally sum;
  for (std::size_t s = 0; s < static_cast<std::size_t>(experiment.plan.starts); ++s) {
    const Tally one =
        tally(run_of(experiment, study, problem, way, s), run_of(experiment, study, problem, kCold, s), members);
    sum.members += one.members;
    sum.evaluations += one.evaluations;
    sum.elsewhere += one.elsewhere;
    sum.unsolved += one.unsolved;
  }
  return sum;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

std::string ratio_text(const Ratio& ratio) {
  return std::isnan(ratio.low) ? fmt::format("{:.3f}", ratio.value)
                               : fmt::format("{:.3f} [{:.3f}, {:.3f}]", ratio.value, ratio.low, ratio.high);
}

// A count for each way but the cold one; a dash where all are 0.
std::string counts_text(const std::vector<std::int64_t>& counts) {
  if (std::ranges::all_of(counts, [](std::int64_t count) { return count == 0; })) return "-";
  std::string text;
  for (const std::int64_t count : counts) text += (text.empty() ? "" : " / ") + std::to_string(count);
  return text;
}

std::vector<std::string> table_row(const Experiment& experiment, const FamilyStudy& study, std::size_t problem,
                                   Index members) {
  const Tally cold = tally_of(experiment, study, problem, kCold, members);
  std::vector<std::string> row = {
      experiment.panel_of(problem) + (members > 0 ? fmt::format(", first {}", members) : ""),
      std::to_string(study.dimensions[problem]),
      fmt::format("{} x {}", experiment.plan.starts, cold.members / experiment.plan.starts),
      fmt::format("{:.1f}", static_cast<double>(cold.evaluations) / static_cast<double>(cold.members))};
  std::vector<std::int64_t> elsewhere, unsolved = {cold.unsolved};
  for (std::size_t way = kWarmX; way < kNumFamilyWays; ++way) {
    row.push_back(ratio_text(geometric_mean(family_logs(experiment, study, problem, way, members), experiment.seed)));
    const Tally sum = tally_of(experiment, study, problem, way, members);
    elsewhere.push_back(sum.elsewhere);
    unsolved.push_back(sum.unsolved);
  }
  row.push_back(counts_text(elsewhere));
  row.push_back(counts_text(unsolved));
  return row;
}

}  // namespace

Error run_families(const Experiment& experiment, const FamilyFolders& folders, std::int64_t jobs,
                   const FamilyObserver& observer, FamilyStudy& study) {
  return Solving(experiment, folders, jobs, observer).run(study);
}

std::vector<double> family_logs(const Experiment& experiment, const FamilyStudy& study, std::size_t problem,
                                std::size_t way, Index members) {
  std::vector<double> logs;
  for (std::size_t s = 0; s < static_cast<std::size_t>(experiment.plan.starts); ++s) {
    const FamilyRun& cold = run_of(experiment, study, problem, kCold, s);
    const Tally sum = tally(run_of(experiment, study, problem, way, s), cold, members);
    logs.push_back(
        std::log(static_cast<double>(sum.evaluations) / static_cast<double>(tally(cold, cold, members).evaluations)));
  }
  return logs;
}

Ratio family_mean(const Experiment& experiment, const FamilyStudy& study, std::size_t way) {
  std::map<std::string, std::vector<std::vector<double>>> families;  // of each problem, the logs of its sequences
  for (std::size_t p = 0; p < experiment.plan.problems.size(); ++p) {
    families[family_of(experiment.plan.problems[p])].push_back(family_logs(experiment, study, p, way));
  }
  // The mean over families of means over problems of means over sequences, as they are or as `draw` resamples them.
  const auto mean = [&](const auto& draw) {
    std::vector<double> of_families;
    for (const auto& [name, problems] : families) {
      std::vector<double> of_problems;
      for (const std::vector<double>& logs : problems) of_problems.push_back(mean_of(draw(logs)));
      of_families.push_back(mean_of(of_problems));
    }
    return mean_of(of_families);
  };
  Ratio ratio;
  if (families.empty()) return ratio;
  ratio.value = std::exp(mean([](const std::vector<double>& logs) { return logs; }));
  if (experiment.plan.starts < 2) return ratio;
  Random random(experiment.seed);
  std::vector<double> means;
  for (int i = 0; i < kResamples; ++i) {
    means.push_back(mean([&](const std::vector<double>& logs) {
      std::vector<double> drawn;
      for (std::size_t k = 0; k < logs.size(); ++k) drawn.push_back(logs[random.below(logs.size())]);
      return drawn;
    }));
  }
  ratio.low = std::exp(quantile(means, 0.025));
  ratio.high = std::exp(quantile(means, 0.975));
  return ratio;
}

ReportTable family_table(const Experiment& experiment, const FamilyStudy& study) {
  ReportTable table;
  table.caption = fmt::format(
      "Evaluations of a sequence to a gradient of {:g}, relative to those of cold runs, in brackets 95 % intervals "
      "over "
      "sequences; elsewhere: members that ended at another f than the cold run, of warm x / series / trained / both",
      experiment.plan.gtol);
  table.header = {"family", "n", "sequences x members", "cold, evaluations a member"};
  for (std::size_t way = kWarmX; way < kNumFamilyWays; ++way) table.header.emplace_back(kFamilyWays[way]);
  table.header.emplace_back("elsewhere");
  table.header.emplace_back("unsolved, cold first");
  for (std::size_t p = 0; p < experiment.plan.problems.size(); ++p) {
    const auto members = static_cast<Index>(run_of(experiment, study, p, kCold, 0).members.size());
    if (study.paths[p] < members) table.rows.push_back(table_row(experiment, study, p, study.paths[p]));
    table.rows.push_back(table_row(experiment, study, p, 0));
  }
  std::vector<std::string> last = {"geometric mean over families", "", "", ""};
  for (std::size_t way = kWarmX; way < kNumFamilyWays; ++way)
    last.push_back(ratio_text(family_mean(experiment, study, way)));
  last.insert(last.end(), {"", ""});
  table.rows.push_back(last);
  return table;
}

std::string family_markdown(const Experiment& experiment, const FamilyStudy& study) {
  return markdown_of(family_table(experiment, study));
}

std::string family_csv(const Experiment& experiment, const FamilyStudy& study) {
  std::string text = "problem,way,seed,member,evaluations,f,gradient,solved,elsewhere\n";
  for (const FamilyRun& run : study.runs) {
    const FamilyRun& cold = run_of(experiment, study, run.problem, kCold, static_cast<std::size_t>(run.seed));
    for (std::size_t i = 0; i < run.members.size(); ++i) {
      const FamilyRow& row = run.members[i];
      text += fmt::format("\"{}\",{},{},{},{},{},{},{},{}\n", experiment.plan.problems[run.problem],
                          kFamilyWays[run.way], run.seed, i, row.evaluations, real_text(row.f),
                          real_text(row.grad_inf_norm), row.solved ? 1 : 0, is_elsewhere(row, cold.members[i]) ? 1 : 0);
    }
  }
  return text;
}

BandFigure family_figure(const Experiment& experiment, const FamilyStudy& study) {
  BandFigure figure;
  figure.name = experiment.id;
  figure.x_label = "member";
  figure.y_label = "evaluations";
  figure.note = "lines: medians; bands: the middle half of the sequences";
  for (std::size_t p = 0; p < experiment.plan.problems.size(); ++p) {
    BandPanel& panel = figure.panels.emplace_back();
    panel.title = experiment.panel_of(p);
    for (const std::size_t way : {kCold, kWarmX, kSeries, kBoth}) {
      BandCurve& curve = panel.curves.emplace_back();
      curve.label = kFamilyWays[way];
      for (std::size_t i = 0; i < run_of(experiment, study, p, way, 0).members.size(); ++i) {
        std::vector<double> values;
        for (std::size_t s = 0; s < static_cast<std::size_t>(experiment.plan.starts); ++s)
          values.push_back(static_cast<double>(run_of(experiment, study, p, way, s).members[i].evaluations));
        curve.x.push_back(static_cast<double>(i + 1));
        curve.median.push_back(median(values));
        curve.low.push_back(quantile(values, 0.25));
        curve.high.push_back(quantile(values, 0.75));
      }
    }
  }
  return figure;
}

}  // namespace loa
