#include "experiment/learning_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <iterator>

#include "base/text.h"
#include "experiment/csv.h"
#include "experiment/figure_parts.h"
#include "experiment/figures.h"

namespace loa {
namespace {

// Of the losses in both kinds of figure.
constexpr char kTrainColour[] = "#0072B2", kTestColour[] = "#D55E00", kBfgsColour[] = "#000000";

// --- one training, beside its weights --------------------------------------------------------------------------------

struct Words {
  const char *epoch, *loss, *range, *band, *middle, *test;
  std::string level;  // of BFGS
};

std::string level(const char* value, const char* title) {
  return fmt::format(", \\\n       {} with lines dt 2 lc rgb '{}' title '{}'", value, kBfgsColour, title);
}

Words words(CurveScale scale) {
  if (scale == CurveScale::kAgainstBfgs)
    return {"generation",         "mean log(evaluations/evaluations of BFGS)",
            "set autoscale y",    "samples",
            "median sample",      "mean, on families left out",
            level("0", "0: BFGS")};
  const bool around_log_two = scale == CurveScale::kAroundLogTwo;
  return {"epoch",
          "loss",
          around_log_two ? "set yrange [0:1]" : "set logscale y",
          "stochastic loss",
          "mean over the epoch",
          "test loss",
          around_log_two ? level("log(2)", "log 2: BFGS") : ""};
}

// --- several, in panels ----------------------------------------------------------------------------------------------

std::string line(const char* colour, int dash, double width) {
  return fmt::format("lc rgb '{}' dt {} lw {}", colour, dash, width);
}

// From 0 to a little above the losses, and in any case above log 2.
double highest_loss(const std::vector<LearningCurve>& curves) {
  constexpr double kLeast = 0.8, kMost = 2.0;  // a loss of 2: a gap of 6.4 times that of BFGS
  double highest = 0;
  for (const LearningCurve& curve : curves)
    for (const auto* losses : {&curve.train, &curve.test, &curve.highest})
      for (const double loss : *losses)
        if (std::isfinite(loss)) highest = std::max(highest, loss);
  return std::clamp(1.05 * highest, kLeast, kMost);
}

std::string learning_panel(const LearningCurve& curve, Rows& rows) {
  const std::size_t first = rows.count, n = curve.epoch.size();
  for (const auto* losses : {&curve.train, &curve.test, &curve.lowest, &curve.highest})
    require_same_size("make_learning_figure", curve.title, n, losses->size());
  double last_epoch = 1;
  for (std::size_t i = 0; i < n; ++i) {
    fmt::format_to(std::back_inserter(rows.text), "{},{},{},{},{},{}\n", csv_number(curve.epoch[i]),
                   csv_number(curve.train[i]), csv_number(curve.test[i]), csv_number(curve.lowest[i]),
                   csv_number(curve.highest[i]), csv_field(curve.title));
    if (curve.epoch[i] > last_epoch && std::isfinite(curve.epoch[i])) last_epoch = curve.epoch[i];
    ++rows.count;
  }
  const std::string axis = linear_axis('x', 0, last_epoch);
  if (n == 0) return axis + plot({});
  const std::string range = rows.range(first, rows.count - 1);
  const auto is_finite = [](double v) { return std::isfinite(v); };
  std::vector<std::string> elements = {fmt::format("log(2) with lines {} notitle", line(kBfgsColour, 2, 1.5))};
  bool band = false;
  for (std::size_t i = 0; i < n; ++i)
    band = band || (std::isfinite(curve.lowest[i]) && std::isfinite(curve.highest[i]));
  if (band)
    elements.push_back(
        fmt::format("{} using 1:(loss($4)):(loss($5)) with filledcurves lc rgb '{}' notitle", range, kTrainColour));
  if (std::ranges::any_of(curve.train, is_finite))
    elements.push_back(fmt::format("{} using 1:(loss($2)) with lines {} notitle", range, line(kTrainColour, 1, 2)));
  if (std::ranges::any_of(curve.test, is_finite))
    elements.push_back(fmt::format("{} using 1:(loss($3)) with lines {} notitle", range, line(kTestColour, 1, 2)));
  return axis + plot(elements);
}

}  // namespace

std::string learning_curve_script(const std::string& out, const std::string& title, CurveScale scale) {
  const Words text = words(scale);
  const std::string name = std::filesystem::path(out).filename().string();
  return fmt::format(
      R"(# The learning curve, from {0}.csv. Run by `gnuplot {0}.gp` in this folder.
set datafile separator ','
set datafile missing 'inf'
set xlabel '{4}'
set ylabel '{5}'
{2}
set grid lc rgb '#dddddd'
set border 3
set tics nomirror
set key below horizontal noenhanced
set style fill transparent solid 0.25 noborder
do for [kind in 'svg png'] {{
  if (kind eq 'svg') {{ set terminal svg size 720,420 font 'sans,13' background rgb 'white' }}
  if (kind eq 'png') {{ set terminal pngcairo size 1440,840 font 'sans,22' background rgb 'white' }}
  set output {11}.kind
  plot {12} skip 1 using 1:4:5 with filledcurves lc rgb '{9}' title {1}, \
       '' skip 1 using 1:2 with lines lw 2 lc rgb '{9}' title '{7}', \
       '' skip 1 using 1:3 with lines lw 2 lc rgb '{10}' title '{8}'{3}
}}
)",
      valid_utf8(printable(name)), gnuplot_text(fmt::format("{} ({})", text.band, title)), text.range, text.level,
      text.epoch, text.loss, text.band, text.middle, text.test, kTrainColour, kTestColour, gnuplot_path(name + "."),
      gnuplot_path(name + ".csv"));
}

Figure make_learning_figure(const std::string& name, const std::vector<LearningCurve>& curves) {
  Frame frame = {.name = name, .panels = curves.size(), .plot_width = width_of_one(curves.size())};
  frame.legend = {{.label = "stochastic loss, lowest to highest batch", .band = fmt::format("rgb '{}'", kTrainColour)},
                  {.label = "mean over the epoch", .line = line(kTrainColour, 1, 2)},
                  {.label = "test loss", .line = line(kTestColour, 1, 2)},
                  {.label = "log 2: BFGS", .line = line(kBfgsColour, 2, 1.5)}};
  Rows rows = begin_rows(name, "epoch,train,test,lowest,highest,panel");
  std::string script =
      begin_figure(frame) + "loss(v) = abs(v) < 1e300 ? v : NaN\nset style fill transparent solid 0.2 noborder\n";
  for (std::size_t p = 0; p < curves.size(); ++p) {
    const bool first = is_first_in_row(frame, p);
    script += begin_panel(frame, p, {curves[p].title, "epoch", first ? "loss" : ""});
    script += linear_axis('y', 0, highest_loss(curves), numbers(frame, p));
    script += learning_panel(curves[p], rows);
  }
  return {script + end_figure(frame), rows.text};
}

}  // namespace loa
