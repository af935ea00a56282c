#include "experiment/reproduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "base/file.h"
#include "base/text.h"
#include "experiment/comparison_files.h"
#include "experiment/embedded_experiments.h"
#include "experiment/family_study.h"
#include "experiment/figures.h"
#include "experiment/findings.h"
#include "experiment/headline.h"
#include "experiment/landscape_figure.h"
#include "experiment/learning_curve.h"
#include "experiment/networks.h"
#include "experiment/wall_clock.h"
#include "files/program.h"
#include "loa/principle.h"
#include "loa/train.h"
#include "loa/version.h"

namespace loa {
namespace {

namespace fs = std::filesystem;

class Reproduction {
 public:
  Reproduction(const ReproduceOptions& options, const ReproduceObserver& observer)
      : options_(options), observer_(observer) {}

  Error run(Report& report, bool& interrupted) {
    std::vector<std::vector<std::string>> missing;
    if (Error error = builtin_experiments(options_.folders, experiments_, missing)) return error;
    if (Error error = check_only()) return error;
    std::error_code ignored;
    fs::create_directories(options_.out, ignored);

    for (std::size_t i = 0; i < experiments_.size(); ++i)
      if (is_wanted(experiments_[i].id) && section_of(experiments_[i], missing[i]).skipped.empty()) ++num_to_run_;
    for (std::size_t i = 0; i < experiments_.size() && !stopped_; ++i) {
      if (!is_wanted(experiments_[i].id)) continue;
      current_ = i;
      ReportSection section = section_of(experiments_[i], missing[i]);
      if (section.skipped.empty()) {
        ++num_begun_;
        if (Error error = run_one(experiments_[i], section)) return experiments_[i].id + ": " + error.message();
      }
      if (!stopped_) report_.sections.push_back(std::move(section));
    }
    finish_report();
    interrupted = stopped_;
    std::string html;
    if (Error error = make_report(report_, options_.out, html)) return error;
    if (Error error = write_file((fs::path(options_.out) / "report.html").string(), html)) return error;
    report = std::move(report_);
    return {};
  }

 private:
  Error check_only() const {
    for (const std::string& id : options_.only)
      if (std::ranges::none_of(experiments_, [&](const Experiment& e) { return e.id == id; }))
        return "reproduce: found the experiment " + quote(id) + ", expected one of " + join(experiment_ids());
    return {};
  }

  bool is_wanted(const std::string& id) const {
    return options_.only.empty() || std::ranges::count(options_.only, id) > 0;
  }

  ReportSection section_of(const Experiment& experiment, const std::vector<std::string>& missing) const {
    ReportSection section;
    section.id = experiment.id;
    section.title = experiment.title;
    section.is_of_paper = experiment.is_of_paper();
    section.opens = experiment.kind == Experiment::Kind::kEvaluations;
    if (!section.opens) section.claim = experiment.claim;  // the headline says it in numbers
    section.command = options_.invocation + " --only " + experiment.id;
    const bool needs_problems =
        experiment.kind == Experiment::Kind::kComparison || experiment.kind == Experiment::Kind::kWallClock;
    const std::string get = "get it by tools/get-data and give its folder by --data";
    // The command of what is skipped is one that will not skip it again.
    if (needs_problems && experiment.plan.problems.empty()) {
      section.skipped = "needs the data " + join(missing) + ": " + get;
      section.command += " --data FOLDER";
    } else if (needs_problems && std::ranges::count(subjects(experiment), experiment.subject) == 0) {
      section.skipped = "needs the published weights: give their file by --published";
      section.command += " --published FILE";
    } else if (!missing.empty())
      section.finding = "Without " + join(missing) + ": " + get + ". ";
    return section;
  }

  // The labels of an experiment's algorithms.
  static std::vector<std::string> subjects(const Experiment& experiment) {
    std::vector<std::string> labels;
    for (const std::string& text : experiment.plan.algorithms) {
      Contestant contestant;
      labels.push_back(parse_contestant(text, {}, contestant) ? text : contestant.label);
    }
    return labels;
  }

  Error run_one(const Experiment& experiment, ReportSection& section) {
    switch (experiment.kind) {
      case Experiment::Kind::kComparison:
        return run_comparison_of(experiment, section);
      case Experiment::Kind::kTraining:
        return run_training(experiment, section);
      case Experiment::Kind::kPrincipleCheck:
        return run_principles(experiment, section);
      case Experiment::Kind::kWallClock:
        return run_wall_clock(experiment, section);
      case Experiment::Kind::kNetworks:
        return run_network_study(experiment, section);
      case Experiment::Kind::kEvaluations:
        return run_evaluations(experiment, section);
      case Experiment::Kind::kFamilies:
        return run_family_study(experiment, section);
    }
    return {};
  }

  // --- comparisons

  // Makes the runs, and writes their tables into OUT/ID.
  Error compare(const Experiment& experiment, Comparison& comparison, ReportSection& section) {
    ComparisonPlan plan = experiment.plan;
    plan.jobs = options_.jobs;
    plan.cache = (fs::path(options_.out) / "runs").string();
    const auto observe = [&](const ComparisonProgress& progress) {
      return report_progress(progress.done, progress.total);
    };
    if (Error error = run_comparison(plan, observe, comparison)) return error;
    if (comparison.interrupted) return {};
    const std::string folder = (fs::path(options_.out) / experiment.id).string();
    std::error_code ignored;
    fs::create_directories(folder, ignored);
    std::vector<std::string> names;
    if (Error error = write_comparison(comparison, folder, names)) return error;
    for (const std::string& name : names) section.files.push_back(experiment.id + "/" + name);
    wrong_optimum_ = wrong_optimum_ || !comparison.below_optimum.empty();
    return {};
  }

  Error run_evaluations(const Experiment& experiment, ReportSection& section) {
    Comparison comparison;
    if (Error error = compare(experiment, comparison, section)) return error;
    if (comparison.interrupted) return {};
    report_.headline = headline(experiment, comparison);
    section.verdict = headline_verdict(experiment, comparison);
    section.tables.push_back(headline_table(experiment, comparison));
    const ProfileFigure figure = headline_figure(experiment, comparison);
    section.shows[figure.name] =
        "The fraction of the runs that are solved within as many evaluations; further to the left is better";
    return draw_figure(figure.name, make_profile_figure(figure), section);
  }

  Error run_comparison_of(const Experiment& experiment, ReportSection& section) {
    Comparison comparison;
    if (Error error = compare(experiment, comparison, section)) return error;
    if (comparison.interrupted) return {};
    if (Error error = draw_bands(experiment, comparison, section)) return error;
    if (Error error = draw_pairs(experiment, comparison, section)) return error;
    std::vector<std::string> losses;
    judge(experiment, comparison, section, losses);
    if (experiment.subject == "loa-bfgs" && section.verdict != ClaimVerdict::kNone) {
      compared_ = true;
      std::ranges::copy(losses, std::back_inserter(losses_));
    }
    section.tables.push_back(gap_table(experiment, comparison));
    section.tables.push_back(optimum_table(experiment, comparison));
    for (const std::string& line : comparison.below_optimum) section.finding += " Wrong optimum: " + line + ".";
    return {};
  }

  static ReportTable optimum_table(const Experiment& experiment, const Comparison& comparison) {
    ReportTable table{
        .caption = "What gaps are measured from", .header = {"problem", "f*", "|g| there", "source"}, .rows = {}};
    constexpr std::size_t kMost = 6;  // of many quadratics the first few say it all
    for (std::size_t p = 0; p < std::min(kMost, comparison.problems.size()); ++p) {
      const ComparedProblem& problem = comparison.problems[p];
      const bool named = experiment.panels.size() == comparison.problems.size();
      table.rows.push_back({named ? experiment.panels[p] : problem.name, fmt::format("{:.12g}", problem.optimum.f),
                            fmt::format("{:.1e}", problem.optimum.grad_inf_norm), problem.optimum.source});
    }
    return table;
  }

  Error draw_bands(const Experiment& experiment, const Comparison& comparison, ReportSection& section) {
    BandFigure figure;
    figure.name = experiment.id;
    figure.x_label = experiment.abscissa == Abscissa::kIterations ? "iterations" : "evaluations";
    figure.log_x = experiment.abscissa == Abscissa::kEvaluations;
    const bool pooled = experiment.panels.size() == 1;
    for (std::size_t p = 0; p < (pooled ? 1 : comparison.problems.size()); ++p) {
      BandPanel& panel = figure.panels.emplace_back();
      panel.title = experiment.panels.empty() ? comparison.problems[p].name : experiment.panels[p];
      if (pooled && comparison.problems.size() > 1)
        panel.title = fmt::format("{} problems", comparison.problems.size());
      for (std::size_t a = 0; a < comparison.labels.size(); ++a) {
        BandCurve& curve = panel.curves.emplace_back(
            gap_band(comparison, runs_of(comparison, pooled ? kAllProblems : p, a), experiment.abscissa));
        if (curve.label != experiment.subject && curve.label != experiment.rival) curve.low = curve.high = {};
      }
    }
    figure.note = fmt::format("lines: medians; bands: the middle half of the runs of {} and {}", experiment.subject,
                              experiment.rival);
    section.shows[figure.name] =
        fmt::format("The relative gap to the minimum over {}, for each algorithm", figure.x_label);
    return draw_figure(figure.name, make_band_figure(figure), section);
  }

  Error draw_pairs(const Experiment& experiment, const Comparison& comparison, ReportSection& section) {
    if (experiment.pairs.empty()) return {};
    PairFigure figure;
    figure.name = experiment.id + "-pairs";
    figure.x_label = "relative gap of " + experiment.rival;
    figure.y_label = "relative gap of " + experiment.subject;
    figure.factor = experiment.factor;
    for (const std::int64_t k : experiment.pairs)
      figure.panels.push_back({.title = fmt::format("k = {}", k),
                               .x = gaps_at(comparison, comparison.index_of(experiment.rival), k),
                               .y = gaps_at(comparison, comparison.index_of(experiment.subject), k)});
    section.shows[figure.name] = fmt::format(
        "The relative gaps of {0} and {1} after the same number k of iterations, one dot a problem: below the diagonal "
        "{0} is ahead. {2}",
        experiment.subject, experiment.rival, kPairMarks);
    return draw_figure(figure.name, make_pair_figure(figure), section);
  }

  Error draw_figure(const std::string& name, const Figure& figure, ReportSection& section) {
    const fs::path out = options_.out;
    if (!figure.csv.empty()) {
      if (Error error = write_file((out / (name + ".csv")).string(), figure.csv)) return error;
      section.files.push_back(name + ".csv");
    }
    if (Error error = write_file((out / (name + ".gp")).string(), figure.script)) return error;
    std::string error;
    switch (draw(options_.out, name + ".gp", error)) {
      case Drawing::kDone:
        break;
      case Drawing::kNoGnuplot:
        return "expected gnuplot for the figures, found none";
      case Drawing::kFailed:
        return "gnuplot says: " + error;
    }
    section.figures.push_back(name);
    return {};
  }

  // --- training

  Error run_training(const Experiment& experiment, ReportSection& section) {
    std::vector<LearningCurve> curves;
    std::vector<double> best;
    ReportTable table{.caption = "Mean training loss / test loss after an epoch", .header = {"start"}, .rows = {}};
    for (const std::string& start : experiment.starts) {
      TrainingOptions training = training_preset(experiment.preset);
      training.start = start;
      training.seed = experiment.seed;
      training.threads = static_cast<int>(options_.jobs);
      if (experiment.epochs > 0) training.epochs = experiment.epochs;
      LearningCurve curve{.title = start + " start", .epoch = {}, .train = {}, .test = {}, .lowest = {}, .highest = {}};
      const auto observe = [&](const EpochReport& epoch) {
        curve.epoch.push_back(static_cast<double>(epoch.epoch));
        curve.train.push_back(epoch.train_loss);
        curve.test.push_back(epoch.test_loss);
        curve.lowest.push_back(epoch.lowest_batch);
        curve.highest.push_back(epoch.highest_batch);
        return report_progress(
            static_cast<std::size_t>(training.epochs) * curves.size() + static_cast<std::size_t>(epoch.epoch),
            static_cast<std::size_t>(training.epochs) * experiment.starts.size());
      };
      TrainingResult result;
      if (Error error = train(training, "", false, observe, result)) return error;
      if (stopped_) return {};
      best.push_back(result.last.best_loss);
      std::vector<std::string> row = {start};
      if (table.rows.empty()) {
        for (const double part : {0.0, 0.1, 0.5, 1.0}) table.header.push_back(epoch_name(part, training.epochs));
        table.header.push_back("best");
      }
      for (const double part : {0.0, 0.1, 0.5, 1.0}) {
        const std::size_t at = epoch_index(part, training.epochs);
        row.push_back(fmt::format("{:.3f} / {:.3f}", curve.train[at], curve.test[at]));
      }
      row.push_back(fmt::format("{:.3f}", best.back()));
      table.rows.push_back(row);
      curves.push_back(std::move(curve));
    }
    section.tables.push_back(table);
    const bool learns = best.front()<std::numbers::ln2, random_fails = best.size()> 1 && best[1] > std::numbers::ln2;
    section.verdict = learns && random_fails ? ClaimVerdict::kHolds
                      : learns               ? ClaimVerdict::kHoldsPartly
                                             : ClaimVerdict::kDoesNotHold;
    section.finding +=
        fmt::format("Best mean training loss {:.3f} from the {} start", best.front(), experiment.starts[0]);
    if (best.size() > 1) section.finding += fmt::format(", {:.3f} from the {} one", best[1], experiment.starts[1]);
    section.finding += fmt::format("; log 2 is {:.3f}.", std::numbers::ln2);
    return draw_figure(experiment.id, make_learning_figure(experiment.id, curves), section);
  }

  static std::size_t epoch_index(double part, std::int64_t epochs) {
    return static_cast<std::size_t>(std::llround(part * static_cast<double>(epochs - 1)));
  }
  static std::string epoch_name(double part, std::int64_t epochs) {
    return "epoch " + std::to_string(epoch_index(part, epochs) + 1);
  }

  // --- the principles

  Error run_principles(const Experiment& experiment, ReportSection& section) {
    std::vector<CheckedAlgorithm> algorithms;
    for (const std::string& name : experiment.algorithms) algorithms.push_back(checked_algorithm(name));
    PrincipleOptions options;
    options.jobs = static_cast<int>(options_.jobs);
    options.observer = [&](std::size_t done, std::size_t total) { report_progress(done, total); };
    const std::vector<PrincipleRow> rows = check_principles(algorithms, options);
    if (stopped_) return {};
    ReportTable table{.caption = "holds; tuned: holds after re-tuning Gamma; fails, with the deviation",
                      .header = {"algorithm"},
                      .rows = {}};
    for (std::size_t i = 0; i < kNumPrinciples; ++i)
      table.header.push_back(std::string(name(static_cast<Principle>(i))));
    std::size_t as_claimed = 0, cells = 0;
    for (const PrincipleRow& row : rows) {
      std::vector<std::string> texts = {row.algorithm};
      for (const PrincipleCell& cell : row.cells) {
        texts.push_back(cell.verdict == Verdict::kFails ? fmt::format("{} ({:.1e})", name(cell.verdict), cell.deviation)
                                                        : std::string(name(cell.verdict)));
        as_claimed += cell.verdict == cell.claimed;
        ++cells;
      }
      table.rows.push_back(texts);
    }
    section.tables.push_back(table);
    section.verdict = as_claimed == cells ? ClaimVerdict::kHolds : ClaimVerdict::kHoldsPartly;
    section.finding += fmt::format("{} of {} cells are as printed in the paper.", as_claimed, cells);
    return draw_figure("landscape", make_landscape_figure(), section);
  }

  // --- time

  Error run_wall_clock(const Experiment& experiment, ReportSection& section) {
    WallClock clock;
    const auto observe = [&](std::size_t done, std::size_t total) { return report_progress(done, total); };
    if (Error error = measure_wall_clock(experiment, observe, clock)) return error;
    if (stopped_) return {};
    section.tables.push_back(clock.table);
    section.finding += clock.finding;
    section.verdict = clock.verdict;
    return {};
  }

  // --- networks

  Error run_network_study(const Experiment& experiment, ReportSection& section) {
    NetworkStudy study;
    const auto observe = [&](std::size_t done, std::size_t total) { return report_progress(done, total); };
    const std::string cache = (fs::path(options_.out) / "runs").string();
    if (Error error = run_networks(experiment, cache, options_.jobs, observe, study)) return error;
    if (study.interrupted) return {};
    const fs::path folder = fs::path(options_.out) / experiment.id;
    std::error_code ignored;
    fs::create_directories(folder, ignored);
    for (const auto& [name, text] : {std::pair("samples.csv", network_csv(experiment, study)),
                                     std::pair("table.md", network_markdown(experiment, study))}) {
      if (Error error = write_file((folder / name).string(), text)) return error;
      section.files.push_back(experiment.id + "/" + name);
    }
    for (const auto what : {&NetworkRun::loss, &NetworkRun::error}) {
      const BandFigure figure = network_figure(experiment, study, what);
      section.shows[figure.name] = fmt::format("The {} over evaluations, for each algorithm", figure.y_label);
      if (Error error = draw_figure(figure.name, make_band_figure(figure), section)) return error;
    }
    section.tables.push_back(network_table(experiment, study));
    if (!study.missing.empty()) section.finding += "Not in this program: " + join(study.missing) + ". ";
    for (std::size_t a = 0; a < study.labels.size(); ++a) {
      const Ratio ratio = network_ratio(experiment, study, a);
      if (study.labels[a] != experiment.subject || std::isnan(ratio.value)) continue;
      section.verdict = ratio.value <= 1.0 ? ClaimVerdict::kHolds
                        : ratio.low <= 1.0 ? ClaimVerdict::kUndecided
                                           : ClaimVerdict::kDoesNotHold;
      section.finding += fmt::format(
          "Loss of {} after {} evaluations: {:.2g} [{:.2g}, {:.2g}] of the best of {}, geometric mean over {} problems "
          "and {} seeds.",
          experiment.subject, experiment.plan.max_evaluations, ratio.value, ratio.low, ratio.high,
          join(experiment.rivals), experiment.plan.problems.size(), experiment.plan.starts);
    }
    return {};
  }

  // --- families

  Error run_family_study(const Experiment& experiment, ReportSection& section) {
    FamilyStudy study;
    const auto observe = [&](std::size_t done, std::size_t total) { return report_progress(done, total); };
    const fs::path folder = fs::path(options_.out) / experiment.id;
    std::error_code ignored;
    fs::create_directories(folder, ignored);
    const FamilyFolders folders{.cache = (fs::path(options_.out) / "runs").string(), .weights = folder.string()};
    if (Error error = run_families(experiment, folders, options_.jobs, observe, study)) return error;
    if (study.interrupted) return {};
    std::string trainings;
    for (std::size_t p = 0; p < study.trainings.size(); ++p)
      if (!study.trainings[p].report.empty())
        trainings += experiment.plan.problems[p] + "\n" + study.trainings[p].report + "\n";
    for (const auto& [name, text] :
         {std::pair("runs.csv", family_csv(experiment, study)),
          std::pair("table.md", family_markdown(experiment, study)), std::pair("trainings.txt", trainings)}) {
      if (Error error = write_file((folder / name).string(), text)) return error;
      section.files.push_back(experiment.id + "/" + name);
    }
    const BandFigure figure = family_figure(experiment, study);
    if (Error error = draw_figure(figure.name, make_band_figure(figure), section)) return error;
    section.tables.push_back(family_table(experiment, study));
    const Ratio both = family_mean(experiment, study, kBoth);
    section.verdict = both.value <= experiment.factor ? ClaimVerdict::kHolds : ClaimVerdict::kDoesNotHold;
    section.finding += fmt::format(
        "A series with trained weights takes {:.3f} [{:.3f}, {:.3f}] of the evaluations of cold "
        "runs, a series alone {:.3f}, trained weights alone {:.3f}.",
        both.value, both.low, both.high, family_mean(experiment, study, kSeries).value,
        family_mean(experiment, study, kTrained).value);
    return {};
  }

  // --- the report

  Continue report_progress(std::size_t done, std::size_t total) {
    if (!stopped_ && observer_ &&
        observer_({num_begun_, num_to_run_, experiments_[current_].id, done, total}) == Continue::kNo)
      stopped_ = true;
    return stopped_ ? Continue::kNo : Continue::kYes;
  }

  void finish_report() {
    report_.title = "loa, and the paper it comes from";
    if (wrong_optimum_) report_.summary.push_back("A run found less than the optimum it is measured from: see below.");
    if (compared_)
      report_.summary.push_back(losses_.empty()
                                    ? "LOA-BFGS, the paper's method, is ahead of BFGS on every panel that was run."
                                    : "LOA-BFGS, the paper's method, does not beat BFGS on: " + join(losses_) + ".");
    std::vector<std::string> skipped;
    for (const ReportSection& section : report_.sections)
      if (!section.skipped.empty()) skipped.push_back(section.id);
    if (!skipped.empty()) report_.summary.push_back("Not run: " + join(skipped) + ".");
    if (options_.folders.quick)
      report_.summary.push_back("This is the quick version: fewer problems, starts and iterations, and no data files.");
    if (stopped_) report_.summary.push_back("Interrupted: the same command goes on where it stopped.");
    report_.facts = {{"loa", LOA_VERSION}, {"program", program_identity()}, {"compiler", __VERSION__}};
  }

  const ReproduceOptions& options_;
  const ReproduceObserver& observer_;
  std::vector<Experiment> experiments_;
  std::size_t current_ = 0;
  std::size_t num_to_run_ = 0, num_begun_ = 0;  // without those that are skipped
  Report report_;
  std::vector<std::string> losses_;
  bool compared_ = false;  // whether loa-bfgs was compared with BFGS at all
  bool wrong_optimum_ = false;
  bool stopped_ = false;
};

}  // namespace

std::vector<std::string> experiment_ids() {
  std::vector<std::string> ids;
  for (const EmbeddedFile& file : embedded_experiments()) ids.emplace_back(file.name);
  return ids;
}

Error reproduce(const ReproduceOptions& options, const ReproduceObserver& observer, Report& report, bool& interrupted) {
  return Reproduction(options, observer).run(report, interrupted);
}

}  // namespace loa
