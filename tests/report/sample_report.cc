// Writes a report with every kind of figure into a folder, from real runs where they are quick and from formulas where
// they are not. The check of the report in a browser runs on it; it is also what to look at when figures change.
//
//     loa_sample_report FOLDER
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "base/file.h"
#include "experiment/figures.h"
#include "experiment/gnuplot.h"
#include "experiment/landscape_figure.h"
#include "experiment/learning_curve.h"
#include "experiment/report.h"
#include "experiment/start.h"
#include "loa/lab.h"

namespace loa {
namespace {

constexpr int kStarts = 7;

// gaps[start][iteration], relative to the first one.
using Gaps = std::vector<std::vector<double>>;

Gaps run(const std::string& spec, const std::string& algorithm, const std::string& weights, std::int64_t iterations) {
  Gaps gaps;
  Problem problem;
  if (make_problem(spec, problem)) return gaps;
  double minimum = problem.minimum.value_or(std::numeric_limits<double>::quiet_NaN());
  if (!problem.minimum) minimum = minimize(*problem.objective, problem.start, {.algorithm = "newton", .gtol = 1e-12}).f;
  for (std::uint64_t start = 0; start < kStarts; ++start) {
    const Summary summary = minimize(
        *problem.objective, perturbed_start(problem.start, start),
        {.algorithm = algorithm, .weights = weights, .gtol = 0, .max_iterations = iterations, .keep_trace = true});
    std::vector<double> curve;
    for (const TraceRow& row : summary.trace) curve.push_back((row.f - minimum) / (summary.trace[0].f - minimum));
    curve.resize(static_cast<std::size_t>(iterations) + 1, curve.back());
    gaps.push_back(curve);
  }
  return gaps;
}

// A learned baseline: quick at first, then it stalls.
Gaps stalling(double rate, double floor, std::int64_t iterations) {
  Gaps gaps;
  for (int start = 0; start < kStarts; ++start) {
    std::vector<double> curve;
    for (std::int64_t k = 0; k <= iterations; ++k)
      curve.push_back(std::exp(-rate * static_cast<double>(k) * (1 + 0.1 * start)) +
                      floor * (1 + 0.5 * start) * (1 + 0.3 * std::sin(static_cast<double>(k * (start + 3)))));
    gaps.push_back(curve);
  }
  return gaps;
}

BandCurve band(const std::string& label, const Gaps& gaps) {
  BandCurve curve = {.label = label, .x = {}, .median = {}, .low = {}, .high = {}};
  for (std::size_t k = 0; !gaps.empty() && k < gaps[0].size(); ++k) {
    std::vector<double> values;
    for (const auto& run : gaps) values.push_back(run[k]);
    std::ranges::sort(values);
    curve.x.push_back(static_cast<double>(k));
    curve.low.push_back(values[kStarts / 4]);
    curve.median.push_back(values[kStarts / 2]);
    curve.high.push_back(values[3 * kStarts / 4]);
  }
  return curve;
}

BandPanel panel(const std::string& title, const std::string& spec, std::int64_t iterations) {
  BandPanel out = {title, {}};
  for (const char* name : {"gradient-descent", "nesterov", "heavy-ball", "newton", "bfgs", "sr1"})
    out.curves.push_back(band(name, run(spec, name, "", iterations)));
  out.curves.push_back(band("l2l-gd/own", stalling(0.5, 2e-2, iterations)));
  out.curves.push_back(band("l2l-gd/quadratics", stalling(0.25, 3e-3, iterations)));
  out.curves.push_back(band("rnnprop/own", stalling(0.12, 8e-4, iterations)));
  out.curves.push_back(band("rnnprop/quadratics", stalling(0.09, 1e-4, iterations)));
  out.curves.push_back(band("loa-bfgs", run(spec, "loa-bfgs", "", iterations)));
  out.curves.push_back(band("loa-bfgs/paper", run(spec, "loa-bfgs", "loa-bfgs-paper", iterations)));
  out.curves.push_back(band("loa-bfgs/published", stalling(0.2, 1e-9, iterations)));
  return out;
}

BandFigure few(const BandFigure& all) {
  BandFigure out = all;
  out.name = "evaluations";
  out.x_label = "evaluations";
  out.log_x = true;
  out.panels.resize(1);
  for (BandPanel& p : out.panels) {
    std::erase_if(p.curves,
                  [](const BandCurve& c) { return c.label != "bfgs" && c.label != "sr1" && c.label != "loa-bfgs"; });
    for (BandCurve& curve : p.curves)
      for (double& x : curve.x) x += 2;
  }
  return out;
}

PairFigure pairs() {
  PairFigure figure = {
      .name = "pairs", .x_label = "bfgs: relative gap", .y_label = "loa-bfgs: relative gap", .panels = {}};
  for (const int k : {10, 40, 100}) figure.panels.push_back({fmt::format("k = {}", k), {}, {}});
  for (int seed = 0; seed < 60; ++seed) {
    Problem problem;
    (void)make_problem(fmt::format("quadratic:n=100,seed={}", seed), problem);
    const auto gap = [&](const std::string& name, std::int64_t k) {
      const Summary summary = minimize(*problem.objective, problem.start,
                                       {.algorithm = name, .gtol = 0, .max_iterations = k, .keep_trace = true});
      return (summary.f - *problem.minimum) / (summary.trace[0].f - *problem.minimum);
    };
    for (std::size_t p = 0; p < 3; ++p) {
      const std::int64_t k = p == 0 ? 10 : p == 1 ? 40 : 100;
      figure.panels[p].x.push_back(gap("bfgs", k));
      figure.panels[p].y.push_back(gap("loa-bfgs", k));
    }
  }
  return figure;
}

ProfileFigure profiles() {
  ProfileFigure figure = {.name = "profiles", .panels = {}};
  for (const bool ratio : {true, false}) {
    ProfilePanel out = {
        ratio ? "performance profile" : "data profile", ratio ? "evaluations relative to the best" : "evaluations", {}};
    double factor = 1;
    for (const char* name : {"gradient-descent", "nesterov", "bfgs", "sr1", "conjugate-gradient", "loa-bfgs"}) {
      ProfileCurve curve = {.label = name, .x = {}, .fraction = {}};
      const double scale = (std::string(name) == "gradient-descent" ? 20 : std::string(name) == "nesterov" ? 8 : 1);
      for (int i = 0; i < 40; ++i) {
        curve.x.push_back((ratio ? 1 : 30) * scale * std::pow(1 + 0.03 * factor, i < 8 && scale == 1 && ratio ? 0 : i));
        curve.fraction.push_back((i + 1) / 40.0 * (scale > 1 ? 0.7 : 0.98));
      }
      factor *= 1.15;
      out.curves.push_back(curve);
    }
    figure.panels.push_back(out);
  }
  return figure;
}

std::vector<LearningCurve> learning() {
  std::vector<LearningCurve> curves = {{"BFGS-like start", {}, {}, {}, {}, {}}, {"random start", {}, {}, {}, {}, {}}};
  for (int epoch = 1; epoch <= 120; ++epoch) {
    for (std::size_t c = 0; c < 2; ++c) {
      const double mean = 0.3 + (c == 0 ? 0.39 : 1.1) * std::exp(-epoch / (c == 0 ? 15.0 : 25.0));
      curves[c].epoch.push_back(epoch);
      curves[c].train.push_back(mean + 0.01 * std::sin(2.1 * epoch));
      curves[c].test.push_back(mean + 0.02 + 0.01 * std::cos(1.3 * epoch));
      curves[c].lowest.push_back(mean * 0.8);
      curves[c].highest.push_back(mean * 1.3 + 0.05 * std::sin(0.7 * epoch));
    }
  }
  return curves;
}

// Writes and draws a figure; returns what went wrong.
Error write(const std::filesystem::path& folder, const std::string& name, const Figure& figure) {
  for (const auto& [extension, text] : {std::pair{".csv", figure.csv}, std::pair{".gp", figure.script}})
    if (const Error error = write_file((folder / (name + extension)).string(), text)) return error;
  std::string said;
  if (draw(folder.string(), name + ".gp", said) != Drawing::kDone || !said.empty()) return name + ": gnuplot: " + said;
  return "";
}

Report sample() {
  Report report;
  report.title = "A sample of the report";
  report.summary = {
      "LOA-BFGS with the built-in weights needs fewer iterations than BFGS to a relative gap of 1e-6 on one of three "
      "panels; on `rosenbrock:n=20` it needs more. These are sample data.",
      "Every number comes from `loa reproduce --seed 0`; figures and tables lie beside this page."};
  ReportSection convergence = {.id = "convergence", .title = "Six problems, thirteen algorithms"};
  convergence.claim = "Our LOA always outperforms vanilla BFGS & co. <on \"all\" problems>";
  convergence.command = "loa reproduce --only convergence --data data --out report --seed 0 --starts 20 --jobs 2";
  convergence.verdict = ClaimVerdict::kHoldsPartly;
  convergence.finding = "Median iterations to 1e-6: 31 against 52 on quadratics, 88 against 71 on `rosenbrock:n=20`.";
  convergence.figures = {"convergence", "evaluations"};
  convergence.tables = {
      {"Median iterations and evaluations to a relative gap, with the quartiles in parentheses",
       {"algorithm", "1e-2", "1e-4", "1e-6", "1e-8", "1e-12", "final gap", "fallbacks", "failures"},
       {{"bfgs", "12 (11-13)", "31 (29-33)", "52 (50-55)", "64 (60-67)", "81 (80-83)", "1e-16", "0", "0"},
        {"loa-bfgs", "9 (8-10)", "18 (17-19)", "31 (30-32)", "40 (38-44)", "55 (53-58)", "1e-16", "3", "0"},
        {"l2l-gd/own", "40 (2-90)", "-", "-", "-", "-", "2e-2", "0", "7"}}}};
  convergence.files = {"convergence.gp"};
  ReportSection pair = {.id = "pairs", .title = "Gap of each quadratic at iterations 10, 40, 100"};
  pair.claim = "LOA is better than BFGS on almost every problem.";
  pair.verdict = ClaimVerdict::kHolds;
  pair.finding = "Below the diagonal: 60 of 60 at k = 40.";
  pair.figures = {"pairs"};
  pair.command = "loa reproduce --only pairs --out report";
  ReportSection profile = {.id = "profiles", .title = "Profiles"};
  profile.verdict = ClaimVerdict::kDoesNotHold;
  profile.claim = "The learned algorithm is the fastest one everywhere.";
  profile.finding = "It is not.";
  profile.figures = {"profiles"};
  ReportSection training = {
      .id = "training", .title = "Learning curves", .finding = "Both starts end at 0.30.", .figures = {"learning"}};
  ReportSection skipped = {.id = "w8a", .title = "Logistic regression on w8a"};
  skipped.claim = "Half the iterations.";
  skipped.skipped = "the data set is not there; `tools/get-data w8a --to data` gets it.";
  report.sections = {convergence, pair, profile, training, skipped};
  report.facts = {{"version", "0.1.0"}, {"seed", "0"}, {"sha256 of diabetes.csv", std::string(64, 'a')}};
  return report;
}

Error write_sample(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  BandFigure bands = {.name = "convergence",
                      .panels = {panel("quadratic, n = 100", "quadratic:n=100,seed=1", 120),
                                 panel("logistic", "logistic", 100),
                                 panel("Rosenbrock, n = 20", "rosenbrock:n=20", 300),
                                 panel("quadratic, n = 20", "quadratic:n=20,seed=2", 60),
                                 panel("Wood", "mgh:wood", 120),
                                 {"no data", {}}}};
  const std::pair<std::string, Figure> figures[] = {{"convergence", make_band_figure(bands)},
                                                    {"evaluations", make_band_figure(few(bands))},
                                                    {"pairs", make_pair_figure(pairs())},
                                                    {"profiles", make_profile_figure(profiles())},
                                                    {"learning", make_learning_figure("learning", learning())}};
  for (const auto& [name, figure] : figures)
    if (const Error error = write(folder, name, figure)) return error;
  std::string html;
  if (const Error error = make_report(sample(), folder.string(), html)) return error;
  return write_file((folder / "report.html").string(), html);
}

}  // namespace
}  // namespace loa

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: loa_sample_report FOLDER\n");
    return 2;
  }
  const loa::Error error = loa::write_sample(argv[1]);
  if (error) fmt::print(stderr, "loa_sample_report: {}\n", error.message());
  return error ? 1 : 0;
}
