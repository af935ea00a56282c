// Medians and bands of many runs in panels.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <set>

#include "experiment/csv.h"
#include "experiment/figure_parts.h"
#include "experiment/figures.h"

namespace loa {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

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
                     csv_number(point.median), csv_number(point.low), csv_number(point.high), csv_field(panel.title),
                     csv_field(panel.curves[c].label));
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
  frame.legend = legend_of(labels, styles);
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

}  // namespace loa
