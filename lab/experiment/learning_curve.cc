#include "experiment/learning_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <vector>

#include "experiment/statistics.h"

namespace loa {
namespace {

constexpr char kTrainColour[] = "#0072B2", kTestColour[] = "#D55E00", kBfgsColour[] = "#000000";

// What stands on a figure.
struct Words {
  const char *epoch = "epoch", *loss = "loss";
  const char *band = "stochastic loss, lowest to highest batch", *middle = "mean over the epoch", *test = "test loss";
  const char *level = "log(2)", *level_name = "log 2: BFGS";  // the loss of BFGS; empty: not shown
};

Words words(CurveScale scale) {
  switch (scale) {
    case CurveScale::kAgainstBfgs:
      return {.epoch = "generation",
              .loss = "mean log(evaluations/evaluations of BFGS)",
              .band = "samples",
              .middle = "median sample",
              .test = "mean, on families left out",
              .level = "0",
              .level_name = "0: BFGS"};
    case CurveScale::kLogarithmic:
      return {.level = ""};
    case CurveScale::kAroundLogTwo:
      break;
  }
  return {};
}

std::string line(const char* colour, int dash, double width) {
  return fmt::format("lc rgb '{}' dt {} lw {}", colour, dash, width);
}

Layout layout_with(const std::string& name, const Words& text) {
  Layout layout = {.name = name, .formats = "svg pdf narrow"};
  layout.prologue = "loss(v) = abs(v) < 1e300 ? v : NaN\nset style fill transparent solid 0.2 noborder\n";
  layout.legend = {{.label = text.band, .band = fmt::format("rgb '{}'", kTrainColour)},
                   {.label = text.middle, .line = line(kTrainColour, 1, 2)},
                   {.label = text.test, .line = line(kTestColour, 1, 2)}};
  if (*text.level != '\0') layout.legend.push_back({.label = text.level_name, .line = line(kBfgsColour, 2, 1.5)});
  return layout;
}

// Which columns have a number at all: gnuplot warns of elements without any point.
struct Drawn {
  bool band = true, train = true, test = true;
};

// `rows` begin with the columns epoch, train, test, lowest, highest.
std::string learning_plot(const std::string& rows, const Words& text, const Drawn& drawn) {
  std::vector<std::string> elements;
  if (*text.level != '\0')
    elements.push_back(fmt::format("{} with lines {} notitle", text.level, line(kBfgsColour, 2, 1.5)));
  if (drawn.band)
    elements.push_back(
        fmt::format("{} using 1:(loss($4)):(loss($5)) with filledcurves lc rgb '{}' notitle", rows, kTrainColour));
  if (drawn.train)
    elements.push_back(fmt::format("{} using 1:(loss($2)) with lines {} notitle", rows, line(kTrainColour, 1, 2)));
  if (drawn.test)
    elements.push_back(fmt::format("{} using 1:(loss($3)) with lines {} notitle", rows, line(kTestColour, 1, 2)));
  return plot_command(elements);
}

// From 0 to a little above the losses, and in any case above log 2. A training that diverges leaves through the top,
// but half of what its lines show is inside.
double highest_loss(const LearningCurve& curve) {
  constexpr double kLeast = 0.8, kMost = 2.0;  // a loss of 2: a gap of 6.4 times that of BFGS
  double highest = 0;
  std::vector<double> lines;
  for (const auto* losses : {&curve.train, &curve.test, &curve.highest})
    for (const double loss : *losses) {
      if (!std::isfinite(loss)) continue;
      highest = std::max(highest, loss);
      if (losses != &curve.highest) lines.push_back(loss);
    }
  const double most = lines.empty() ? kMost : std::max(kMost, 2.0 * median(lines));
  return std::clamp(1.05 * highest, kLeast, most);
}

}  // namespace

std::string learning_curve_script(const std::string& out, const std::string& title, CurveScale scale) {
  const Words text = words(scale);
  const std::string name = std::filesystem::path(out).filename().string();
  Layout layout = layout_with(name, text);
  layout.formats = "svg png";
  layout.panels = {
      {.title = title,
       .x_label = text.epoch,
       .y_label = text.loss,
       .y = scale == CurveScale::kAroundLogTwo ? Axis{0, 1} : Axis{.is_logarithmic = scale == CurveScale::kLogarithmic},
       .plot = learning_plot(gnuplot_path(name + ".csv") + " skip 1", text, {})}};
  return layout_script(layout);
}

Figure make_learning_figure(const std::string& name, const std::vector<LearningCurve>& curves) {
  const Words text;
  Layout layout = layout_with(name, text);
  layout.shares_ordinate = false;
  layout.between = 60;
  Rows rows(name, "epoch,train,test,lowest,highest,panel");
  for (const LearningCurve& curve : curves) {
    const std::size_t first = rows.count(), n = curve.epoch.size();
    for (const auto* losses : {&curve.train, &curve.test, &curve.lowest, &curve.highest})
      if (losses->size() != n)
        throw std::invalid_argument(
            fmt::format("make_learning_figure: {} has {} epochs and {} losses", curve.title, n, losses->size()));
    double last_epoch = 1;
    Drawn drawn = {false, false, false};
    for (std::size_t i = 0; i < n; ++i) {
      rows.add({curve.epoch[i], curve.train[i], curve.test[i], curve.lowest[i], curve.highest[i]}, {curve.title});
      if (std::isfinite(curve.epoch[i])) last_epoch = std::max(last_epoch, curve.epoch[i]);
      drawn.band = drawn.band || (std::isfinite(curve.lowest[i]) && std::isfinite(curve.highest[i]));
      drawn.train = drawn.train || std::isfinite(curve.train[i]);
      drawn.test = drawn.test || std::isfinite(curve.test[i]);
    }
    layout.panels.push_back({.title = curve.title,
                             .x_label = text.epoch,
                             .y_label = text.loss,
                             .x = {0, last_epoch},
                             .y = {0, highest_loss(curve)},
                             .plot = n == 0 ? "" : learning_plot(rows.since(first), text, drawn)});
  }
  return {layout_script(layout), rows.text()};
}

}  // namespace loa
