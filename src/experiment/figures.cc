#include "experiment/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/text.h"
#include "experiment/csv.h"
#include "experiment/gnuplot.h"
#include "experiment/palette.h"

namespace loa {
namespace {

constexpr double kLowestGap = 1e-16;  // relative: nothing below it is more than round-off
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

bool is_positive(double value) { return value > 0.0 && std::isfinite(value); }

double power_below(double value) { return std::pow(10.0, std::floor(std::log10(value))); }

void require_same_size(const char* function, const std::string& label, std::size_t expected, std::size_t found) {
  if (expected != found)
    throw std::invalid_argument(fmt::format("{}: {} has {} abscissae and {} values", function, label, expected, found));
}

std::string text_field(const std::string& text) { return csv_field(valid_utf8(printable(text))); }

// A plot command from its elements; an axis alone where there are none.
std::string plot(const std::vector<std::string>& elements) {
  if (elements.empty()) return empty_panel();
  std::string text = "plot \\\n";
  for (std::size_t i = 0; i < elements.size(); ++i)
    text += "  " + elements[i] + (i + 1 < elements.size() ? ", \\\n" : "\n");
  return text;
}

// The CSV of a figure while it grows. Numbers come first: gnuplot misreads a comma behind a doubled quote in a text. An
// element of a plot names its rows by their numbers.
struct Rows {
  std::string file;  // quoted for gnuplot
  std::string text;
  std::size_t count = 0;

  std::string range(std::size_t first, std::size_t last, std::size_t every = 1) const {
    return fmt::format("{} skip 1 every {}::{}::{}", file, every, first, last);
  }
};

Rows begin_rows(const std::string& name, const std::string& header) {
  return {.file = gnuplot_text(name + ".csv"), .text = header + "\n"};
}

// The different labels of all panels in the order in which they appear.
template <typename Panel>
std::vector<std::string> labels_of(const std::vector<Panel>& panels) {
  std::vector<std::string> labels;
  for (const Panel& panel : panels)
    for (const auto& curve : panel.curves)
      if (std::ranges::find(labels, curve.label) == labels.end()) labels.push_back(curve.label);
  return labels;
}

std::size_t index_of(const std::vector<std::string>& labels, const std::string& label) {
  return static_cast<std::size_t>(std::ranges::find(labels, label) - labels.begin());
}

// The curves of a panel in the order in which they are drawn.
template <typename Panel>
std::vector<std::size_t> order_of(const Panel& panel, const std::vector<std::string>& labels,
                                  const std::vector<LineStyle>& styles) {
  std::vector<LineStyle> own;
  for (const auto& curve : panel.curves) own.push_back(styles[index_of(labels, curve.label)]);
  return drawing_order(own);
}

// Narrower the more of them stand beside each other, so that figures of any shape are about as wide as a page.
double width_of_one(std::size_t panels) {
  const std::size_t columns = grid_of(panels).columns;
  return columns == 1 ? 540 : columns == 2 ? 390 : 292;
}

// Panels in a row have the same ordinate.
Numbers numbers(const Frame& frame, std::size_t p) {
  return is_first_in_row(frame, p) ? Numbers::kShown : Numbers::kHidden;
}

// --- bands -----------------------------------------------------------------------------------------------------------

struct Point {
  double x, median, low, high;
};

std::vector<Point> points_of(const BandCurve& curve, bool log_x) {
  const std::size_t n = curve.x.size();
  require_same_size("make_band_figure", curve.label, n, curve.median.size());
  if (!curve.low.empty()) require_same_size("make_band_figure", curve.label, n, curve.low.size());
  if (!curve.high.empty()) require_same_size("make_band_figure", curve.label, n, curve.high.size());
  std::vector<Point> points;
  for (std::size_t i = 0; i < n; ++i)
    if (std::isfinite(curve.x[i]) && (!log_x || curve.x[i] > 0.0))
      points.push_back({curve.x[i], curve.median[i], curve.low.empty() ? kNaN : curve.low[i],
                        curve.high.empty() ? kNaN : curve.high[i]});
  return points;
}

// At most 4 * 125 points and the last one: of each of 125 equal pieces of the axis, narrower than a line is wide in all
// but the largest figure, the first point, the lowest, the highest, and a hole.
std::vector<Point> thinned(const std::vector<Point>& points, bool log_x) {
  constexpr std::size_t kPieces = 125, kMost = 4 * kPieces;
  if (points.size() <= kMost) return points;
  const auto place = [&](double x) { return log_x ? std::log(x) : x; };
  const double begin = place(points.front().x), length = place(points.back().x) - begin;
  const auto piece = [&](const Point& point) {
    const double at = (place(point.x) - begin) / length * static_cast<double>(kPieces);
    return at > 0.0 ? std::min(static_cast<std::size_t>(at), kPieces - 1) : 0;
  };
  std::vector<Point> out;
  for (std::size_t first = 0, end = 0; first < points.size(); first = end) {
    for (end = first; end < points.size() && piece(points[end]) == piece(points[first]);) ++end;
    std::size_t lowest = first, highest = first, hole = first;
    for (std::size_t i = first; i < end; ++i) {
      if (!std::isfinite(points[i].median)) {
        hole = i;
        continue;
      }
      if (!(points[i].median >= points[lowest].median)) lowest = i;
      if (!(points[i].median <= points[highest].median)) highest = i;
    }
    const std::set<std::size_t> kept = {first, lowest, highest, hole};
    for (const std::size_t i : kept) out.push_back(points[i]);
  }
  if (out.back().x != points.back().x) out.push_back(points.back());
  return out;
}

struct Range {
  double low, high;
};

// From a power of ten below everything positive to a little above the highest curve, but not far above where curves
// begin: one that diverges leaves through the top.
Range gap_range(const std::vector<std::vector<std::vector<Point>>>& panels) {
  constexpr double kAir = 2, kMostAboveStart = 100;
  double lowest = std::numeric_limits<double>::infinity(), highest = 0, start = 0;
  for (const auto& curves : panels) {
    for (const auto& points : curves) {
      bool first = true;
      for (const Point& point : points) {
        for (const double value : {point.median, point.low, point.high}) {
          if (!is_positive(value)) continue;
          lowest = std::min(lowest, value);
          highest = std::max(highest, value);
        }
        if (first && is_positive(point.median)) {
          start = std::max(start, point.median);
          first = false;
        }
      }
    }
  }
  if (!(highest > 0.0)) return {1e-2, 1};
  const double high = std::min(kAir * highest, start > 0.0 ? kMostAboveStart * start : highest);
  return {std::min(power_below(std::max(kLowestGap * std::max(start, 1.0), lowest)), power_below(high / 10)), high};
}

Range abscissa_range(const std::vector<std::vector<Point>>& curves, bool log_x) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const auto& points : curves) {
    if (points.empty()) continue;
    low = std::min(low, points.front().x);
    high = std::max(high, points.back().x);
  }
  if (!(low <= high)) return {1, 10};
  if (log_x) return {low, std::max(high, 2 * low)};
  return {low, high > low ? high : low + std::max(1.0, std::abs(low))};
}

// Medians hide behind many bands unless these are faint.
double opacity(std::size_t curves) { return curves <= 4 ? 0.18 : curves <= 8 ? 0.12 : 0.08; }

// Whether there is a band, a line, or a mark in the rows from `first` on, of which each `every`-th is marked: gnuplot
// warns of elements without any point.
bool has_band(const std::vector<Point>& points) {
  return std::ranges::any_of(
      points, [](const Point& p) { return std::isfinite(p.low) && std::isfinite(p.high) && p.low < p.high; });
}

bool is_above(const Point& point, double low) { return point.median > low && std::isfinite(point.median); }

bool has_line(const std::vector<Point>& points, double low) {
  return std::ranges::any_of(points, [&](const Point& p) { return is_above(p, low); });
}

bool has_mark(const std::vector<Point>& points, double low, std::size_t first, std::size_t every) {
  for (std::size_t i = first; i < points.size(); i += every)
    if (is_above(points[i], low)) return true;
  return false;
}

std::string band_panel(const BandPanel& panel, const std::vector<std::vector<Point>>& curves, double low,
                       const std::vector<std::string>& labels, const std::vector<LineStyle>& styles, Rows& rows) {
  constexpr std::size_t kMarks = 6;  // a curve
  std::vector<std::string> bands, lines;
  for (const std::size_t c : order_of(panel, labels, styles)) {
    const std::vector<Point>& points = curves[c];
    if (points.empty()) continue;
    const std::size_t first = rows.count, last = first + points.size() - 1;
    for (const Point& point : points)
      fmt::format_to(std::back_inserter(rows.text), "{},{},{},{},{},{}\n", csv_number(point.x),
                     csv_number(point.median), csv_number(point.low), csv_number(point.high), text_field(panel.title),
                     text_field(panel.curves[c].label));
    rows.count += points.size();
    const LineStyle& style = styles[index_of(labels, panel.curves[c].label)];
    if (has_band(points))
      bands.push_back(fmt::format("{} using 1:(inside($3)):(inside($4)) with filledcurves lc rgb '{}' notitle",
                                  rows.range(first, last), style.colour));
    if (has_line(points, low))
      lines.push_back(
          fmt::format("{} using 1:(falling($2)) with lines {} notitle", rows.range(first, last), style.line()));
    // Marks of different curves stand at different places.
    const std::size_t every = std::max<std::size_t>(1, points.size() / kMarks);
    const std::size_t offset = every * (c + 1) / (curves.size() + 1);
    if (has_mark(points, low, offset, every))
      lines.push_back(fmt::format("{} using 1:(above($2)) with points {} notitle",
                                  rows.range(first + offset, last, every), style.points()));
  }
  bands.insert(bands.end(), lines.begin(), lines.end());
  return fmt::format("set style fill transparent solid {} noborder\n", opacity(panel.curves.size())) + plot(bands);
}

// --- pairs -----------------------------------------------------------------------------------------------------------

// All but outliers: far above the median, or far below nineteen of twenty.
Range pair_range(const PairPanel& panel) {
  constexpr double kMostAboveMedian = 1e6, kMostBelowMost = 1e-2;
  std::vector<double> values;
  for (const std::vector<double>* side : {&panel.x, &panel.y})
    std::ranges::copy_if(*side, std::back_inserter(values), is_positive);
  if (values.empty()) return {1e-2, 1};
  std::ranges::sort(values);
  const double high = std::min(values.back(), kMostAboveMedian * values[values.size() / 2]);
  const double low = std::max({values.front(), kMostBelowMost * values[values.size() / 20], kLowestGap * high});
  return {power_below(low), 10 * power_below(high)};
}

std::string pair_panel(const PairPanel& panel, const std::string& colour, Rows& rows) {
  const auto failed_is_infinite = [](double v) {
    return std::isfinite(v) ? v : std::numeric_limits<double>::infinity();
  };
  const std::size_t first = rows.count;
  std::size_t below = 0;
  for (std::size_t i = 0; i < panel.x.size(); ++i) {
    const double x = failed_is_infinite(panel.x[i]), y = failed_is_infinite(panel.y[i]);
    if (y < x) ++below;
    fmt::format_to(std::back_inserter(rows.text), "{},{},{}\n", csv_number(x), csv_number(y), text_field(panel.title));
    ++rows.count;
  }
  if (rows.count == first) return plot({});
  const Range range = pair_range(panel);
  return fmt::format(
      "low = {0:.10g}\nhigh = {1:.10g}\n"
      "set arrow 1 from low,low to high,high nohead lc rgb '#444444' lw 1\n"
      "set label 1 '{2} of {3} below' at graph 0.97,0.07 right font ',12' textcolor rgb '#222222'\n"
      "plot {4} using (inside($1)):(inside($2)) with points pt 7 ps 0.45 lc rgb '#50{5}' notitle\n"
      "unset arrow 1\nunset label 1\n",
      range.low, range.high, below, rows.count - first, rows.range(first, rows.count - 1), colour.substr(1));
}

// --- profiles --------------------------------------------------------------------------------------------------------

Range profile_range(const ProfilePanel& panel) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const ProfileCurve& curve : panel.curves) {
    for (const double x : curve.x) {
      if (!is_positive(x)) continue;
      low = std::min(low, x);
      high = std::max(high, x);
    }
  }
  if (!(low <= high)) return {1, 10};
  return {low, std::max(1.05 * high, 2 * low)};
}

// From 0 at the left end of the axis over the jumps to its right end.
std::vector<std::pair<double, double>> steps(const ProfileCurve& curve, const Range& range) {
  require_same_size("make_profile_figure", curve.label, curve.x.size(), curve.fraction.size());
  std::vector<std::pair<double, double>> out = {{range.low, 0.0}};
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (!(curve.x[i] <= range.high && std::isfinite(curve.fraction[i]))) continue;
    const double x = std::max(curve.x[i], range.low);
    if (out.size() > 1 && out.back().first == x) out.pop_back();  // several jumps at one place
    out.emplace_back(x, curve.fraction[i]);
  }
  out.emplace_back(range.high, out.back().second);
  return out;
}

std::string profile_panel(const ProfilePanel& panel, const std::vector<std::string>& labels,
                          const std::vector<LineStyle>& styles, Rows& rows) {
  const Range range = profile_range(panel);
  std::vector<std::string> lines;
  for (const std::size_t c : order_of(panel, labels, styles)) {
    const ProfileCurve& curve = panel.curves[c];
    const std::size_t first = rows.count;
    for (const auto& [x, fraction] : steps(curve, range)) {
      fmt::format_to(std::back_inserter(rows.text), "{},{},{},{}\n", csv_number(x), csv_number(fraction),
                     text_field(panel.title), text_field(curve.label));
      ++rows.count;
    }
    const LineStyle& style = styles[index_of(labels, curve.label)];
    lines.push_back(fmt::format("{} using 1:2 with steps {} notitle", rows.range(first, rows.count - 1), style.line()));
    const std::size_t every = std::max<std::size_t>(1, (rows.count - first) / 5);
    const std::size_t offset = 1 + every * c / (panel.curves.size() + 1);
    lines.push_back(fmt::format("{} using 1:2 with points {} notitle",
                                rows.range(first + offset, rows.count - 1, every), style.points()));
  }
  return logarithmic_axis('x', range.low, range.high) + plot(lines);
}

// --- learning curves -------------------------------------------------------------------------------------------------

constexpr char kTrainColour[] = "rgb '#0072B2'", kTrainLine[] = "lc rgb '#0072B2' dt 1 lw 2";
constexpr char kTestLine[] = "lc rgb '#D55E00' dt 1 lw 2", kBfgsLine[] = "lc rgb '#000000' dt 2 lw 1.5";

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
                   csv_number(curve.highest[i]), text_field(curve.title));
    if (curve.epoch[i] > last_epoch && std::isfinite(curve.epoch[i])) last_epoch = curve.epoch[i];
    ++rows.count;
  }
  const std::string axis = linear_axis('x', 0, last_epoch);
  if (n == 0) return axis + plot({});
  const std::string range = rows.range(first, rows.count - 1);
  const auto is_finite = [](double v) { return std::isfinite(v); };
  std::vector<std::string> elements = {fmt::format("log(2) with lines {} notitle", kBfgsLine)};
  bool band = false;
  for (std::size_t i = 0; i < n; ++i)
    band = band || (std::isfinite(curve.lowest[i]) && std::isfinite(curve.highest[i]));
  if (band)
    elements.push_back(
        fmt::format("{} using 1:(loss($4)):(loss($5)) with filledcurves lc {} notitle", range, kTrainColour));
  if (std::ranges::any_of(curve.train, is_finite))
    elements.push_back(fmt::format("{} using 1:(loss($2)) with lines {} notitle", range, kTrainLine));
  if (std::ranges::any_of(curve.test, is_finite))
    elements.push_back(fmt::format("{} using 1:(loss($3)) with lines {} notitle", range, kTestLine));
  return axis + plot(elements);
}

}  // namespace

Figure make_band_figure(const BandFigure& figure) {
  const std::vector<std::string> labels = labels_of(figure.panels);
  const std::vector<LineStyle> styles = curve_styles(labels);
  std::vector<std::vector<std::vector<Point>>> points;
  for (const BandPanel& panel : figure.panels) {
    points.emplace_back();
    for (const BandCurve& curve : panel.curves)
      points.back().push_back(thinned(points_of(curve, figure.log_x), figure.log_x));
  }
  Frame frame = {.name = figure.name, .panels = figure.panels.size(), .plot_width = width_of_one(figure.panels.size())};
  for (std::size_t i = 0; i < labels.size(); ++i)
    frame.legend.push_back({.label = labels[i], .line = styles[i].line(), .point = styles[i].points()});
  frame.note = figure.note;
  const Range range = gap_range(points);
  Rows rows = begin_rows(figure.name, "x,median,low,high,panel,curve");
  std::string script = begin_figure(frame);
  // A line falls to the axis and ends there; marks stand above it only.
  fmt::format_to(std::back_inserter(script),
                 "low = {:.10g}\n"
                 "above(v) = v > low && v < 1e300 ? v : NaN\n"
                 "inside(v) = v <= low ? low : above(v)\n"
                 "falling(v) = (before = now, now = v, before <= low && now <= low ? NaN : inside(v))\n"
                 "now = NaN\n",
                 range.low);
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    const Range x = abscissa_range(points[p], figure.log_x);
    const bool first = is_first_in_row(frame, p);
    script += begin_panel(
        frame, p,
        {figure.panels[p].title, is_last_in_column(frame, p) ? figure.x_label : "", first ? figure.y_label : ""});
    script += logarithmic_axis('y', range.low, range.high, numbers(frame, p));
    script += figure.log_x ? logarithmic_axis('x', x.low, x.high) : linear_axis('x', x.low, x.high);
    script += band_panel(figure.panels[p], points[p], range.low, labels, styles, rows);
  }
  return {script + end_figure(frame), rows.text};
}

Figure make_pair_figure(const PairFigure& figure) {
  constexpr double kSide = 230;
  const Frame frame = {
      .name = figure.name, .panels = figure.panels.size(), .plot_width = kSide, .plot_height = kSide, .between = 72};
  const CurveStyle& style = curve_style(figure.y_label);
  const std::string colour(&style == &kOtherCurve ? "#0072B2" : style.colour);
  Rows rows = begin_rows(figure.name, "x,y,panel");
  std::string script = begin_figure(frame) + "inside(v) = v > low ? (v < high ? v : high) : low\n";
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    const PairPanel& panel = figure.panels[p];
    require_same_size("make_pair_figure", panel.title, panel.x.size(), panel.y.size());
    const Range range = pair_range(panel);
    script += begin_panel(frame, p, {panel.title, figure.x_label, is_first_in_row(frame, p) ? figure.y_label : ""});
    script += logarithmic_axis('x', range.low, range.high) + logarithmic_axis('y', range.low, range.high);
    script += pair_panel(panel, colour, rows);
  }
  return {script + end_figure(frame), rows.text};
}

Figure make_profile_figure(const ProfileFigure& figure) {
  const std::vector<std::string> labels = labels_of(figure.panels);
  const std::vector<LineStyle> styles = curve_styles(labels);
  Frame frame = {.name = figure.name, .panels = figure.panels.size(), .plot_width = width_of_one(figure.panels.size())};
  for (std::size_t i = 0; i < labels.size(); ++i)
    frame.legend.push_back({.label = labels[i], .line = styles[i].line(), .point = styles[i].points()});
  Rows rows = begin_rows(figure.name, "x,fraction,panel,curve");
  std::string script = begin_figure(frame);
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    const ProfilePanel& panel = figure.panels[p];
    const bool first = is_first_in_row(frame, p);
    script += begin_panel(frame, p, {panel.title, panel.x_label, first ? "fraction solved" : ""});
    script += linear_axis('y', 0, 1.02, numbers(frame, p));
    script += profile_panel(panel, labels, styles, rows);
  }
  return {script + end_figure(frame), rows.text};
}

Figure make_learning_figure(const std::string& name, const std::vector<LearningCurve>& curves) {
  Frame frame = {.name = name, .panels = curves.size(), .plot_width = width_of_one(curves.size())};
  frame.legend = {{.label = "stochastic loss, lowest to highest batch", .band = kTrainColour},
                  {.label = "mean over the epoch", .line = kTrainLine},
                  {.label = "test loss", .line = kTestLine},
                  {.label = "log 2: BFGS", .line = kBfgsLine}};
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
