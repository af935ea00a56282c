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

#include "experiment/palette.h"

namespace loa {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kLowestGap = 1e-16;  // relative: nothing below it is more than round-off

struct Interval {
  double low, high;
};

bool is_positive(double value) { return value > 0.0 && std::isfinite(value); }

double power_below(double value) { return std::pow(10.0, std::floor(std::log10(value))); }

void require_same_size(const char* function, const std::string& label, std::size_t expected, std::size_t found) {
  if (expected != found)
    throw std::invalid_argument(fmt::format("{}: {} has {} abscissae and {} values", function, label, expected, found));
}

// The different labels of all panels in the order in which they appear, and the style of each.
struct Styles {
  std::vector<std::string> labels = {};
  std::vector<LineStyle> styles = {};

  template <typename Panels>
  explicit Styles(const Panels& panels) {
    for (const auto& panel : panels)
      for (const auto& curve : panel.curves)
        if (std::ranges::find(labels, curve.label) == labels.end()) labels.push_back(curve.label);
    styles = curve_styles(labels);
  }

  const LineStyle& of(const std::string& label) const {
    return styles[static_cast<std::size_t>(std::ranges::find(labels, label) - labels.begin())];
  }

  // The curves of a panel in the order in which they are drawn.
  template <typename Curve>
  std::vector<std::size_t> order(const std::vector<Curve>& curves) const {
    std::vector<LineStyle> own;
    for (const Curve& curve : curves) own.push_back(of(curve.label));
    return drawing_order(own);
  }

  std::vector<LegendEntry> legend() const {
    std::vector<LegendEntry> entries;
    for (std::size_t i = 0; i < labels.size(); ++i)
      entries.push_back({.label = labels[i], .line = styles[i].line(), .point = styles[i].points()});
    return entries;
  }
};

// --- medians and bands of many runs ----------------------------------------------------------------------------------

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
Interval gap_range(const std::vector<std::vector<std::vector<Point>>>& panels) {
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

Interval abscissa_range(const std::vector<std::vector<Point>>& curves, bool log_x) {
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

std::string band_plot(const BandPanel& panel, const std::vector<std::vector<Point>>& curves, double low,
                      const Styles& styles, Rows& rows) {
  constexpr std::size_t kMarks = 6;  // on a curve
  constexpr double kOpacity = 0.18;  // two bands over each other leave the lines of both legible
  std::vector<std::string> bands, lines;
  for (const std::size_t c : styles.order(panel.curves)) {
    const std::vector<Point>& points = curves[c];
    const std::string& label = panel.curves[c].label;
    const std::size_t first = rows.count();
    for (const Point& point : points) rows.add({point.x, point.median, point.low, point.high}, {panel.title, label});
    const LineStyle& style = styles.of(label);
    if (has_band(points)) {
      bands.push_back(fmt::format("{} using 1:(inside($3)):(inside($4)) with filledcurves lc rgb '{}' notitle",
                                  rows.since(first), style.colour));
      for (const int edge : {3, 4})
        bands.push_back(fmt::format("{} using 1:(inside(${})) with lines lc rgb '#90{}' lw 0.8 notitle",
                                    rows.since(first), edge, style.colour.substr(1)));
    }
    if (has_line(points, low))
      lines.push_back(fmt::format("{} using 1:(falling($2)) with lines {} notitle", rows.since(first), style.line()));
    // Marks of different curves stand at different places.
    const std::size_t every = std::max<std::size_t>(1, points.size() / kMarks);
    const std::size_t offset = every * (c + 1) / (curves.size() + 1);
    if (has_mark(points, low, offset, every))
      lines.push_back(fmt::format("{} using 1:(above($2)) with points {} notitle", rows.since(first + offset, every),
                                  style.points()));
  }
  if (bands.empty() && lines.empty()) return "";
  bands.insert(bands.end(), lines.begin(), lines.end());
  return fmt::format("set style fill transparent solid {} noborder\n", kOpacity) + plot_command(bands);
}

// --- one algorithm against another -----------------------------------------------------------------------------------

// All but outliers: far above the median, or far below nineteen of twenty.
Interval pair_range(const PairPanel& panel) {
  constexpr double kMostAboveMedian = 1e6, kMostBelowMost = 1e-2, kAir = 2;  // no dot in a corner
  std::vector<double> values;
  for (const std::vector<double>* side : {&panel.x, &panel.y})
    std::ranges::copy_if(*side, std::back_inserter(values), is_positive);
  if (values.empty()) return {1e-2, 1};
  std::ranges::sort(values);
  const double high = std::min(values.back(), kMostAboveMedian * values[values.size() / 2]);
  const double low = std::max({values.front(), kMostBelowMost * values[values.size() / 20], kLowestGap * high});
  return {power_below(low / kAir), 10 * power_below(kAir * high)};
}

std::string pair_plot(const PairPanel& panel, const PairCount& count, const Interval& range, const std::string& colour,
                      Rows& rows) {
  const auto failed_is_infinite = [](double v) {
    return std::isfinite(v) ? v : std::numeric_limits<double>::infinity();
  };
  if (panel.x.empty()) return "";
  // Those that count, then the others.
  std::vector<std::string> marks;
  for (const bool counted : {true, false}) {
    const std::size_t first = rows.count();
    for (std::size_t i = 0; i < panel.x.size(); ++i)
      if (is_counted(panel.y[i], panel.x[i]) == counted)
        rows.add({failed_is_infinite(panel.x[i]), failed_is_infinite(panel.y[i])}, {panel.title});
    if (rows.count() > first)
      marks.push_back(fmt::format(
          "{} using (inside($1)):(inside($2)) with points {} notitle", rows.since(first),
          counted ? fmt::format("pt 7 ps 0.45 lc rgb '#50{}'", colour.substr(1)) : "pt 6 ps 0.6 lc rgb '#777777'"));
  }
  const std::size_t others = panel.x.size() - count.counted;
  return fmt::format(
      "low = {0:.10g}\nhigh = {1:.10g}\n"
      "set arrow 1 from low,low to high,high nohead lc rgb '#444444' lw 1\n"
      "set label 1 '{2} of {3} below{4}' at graph 0.97,0.07 right font ',12' textcolor rgb '#222222'\n"
      "{5}"
      "unset arrow 1\nunset label 1\n",
      range.low, range.high, count.ahead, count.counted, others > 0 ? fmt::format(", {} at round-off", others) : "",
      plot_command(marks));
}

// --- performance and data profiles -----------------------------------------------------------------------------------

Interval profile_range(const ProfilePanel& panel) {
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
std::vector<std::pair<double, double>> steps(const ProfileCurve& curve, const Interval& range) {
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

std::string profile_plot(const ProfilePanel& panel, const Interval& range, const Styles& styles, Rows& rows) {
  std::vector<std::string> lines;
  for (const std::size_t c : styles.order(panel.curves)) {
    const ProfileCurve& curve = panel.curves[c];
    const std::size_t first = rows.count();
    for (const auto& [x, fraction] : steps(curve, range)) rows.add({x, fraction}, {panel.title, curve.label});
    const LineStyle& style = styles.of(curve.label);
    lines.push_back(fmt::format("{} using 1:2 with steps {} notitle", rows.since(first), style.line()));
    const std::size_t every = std::max<std::size_t>(1, (rows.count() - first) / 5);
    const std::size_t offset = 1 + every * c / (panel.curves.size() + 1);
    lines.push_back(
        fmt::format("{} using 1:2 with points {} notitle", rows.since(first + offset, every), style.points()));
  }
  return plot_command(lines);
}

}  // namespace

Figure make_band_figure(const BandFigure& figure) {
  const Styles styles(figure.panels);
  std::vector<std::vector<std::vector<Point>>> points;
  for (const BandPanel& panel : figure.panels) {
    points.emplace_back();
    for (const BandCurve& curve : panel.curves)
      points.back().push_back(thinned(points_of(curve, figure.log_x), figure.log_x));
  }
  const Interval range = gap_range(points);
  Layout layout = {.name = figure.name, .formats = figure.formats, .legend = styles.legend(), .note = figure.note};
  // A line falls to the axis and ends there; marks stand above it only.
  layout.prologue = fmt::format(
      "low = {:.10g}\n"
      "above(v) = v > low && v < 1e300 ? v : NaN\n"
      "inside(v) = v <= low ? low : above(v)\n"
      "falling(v) = (before = now, now = v, before <= low && now <= low ? NaN : inside(v))\n"
      "now = NaN\n",
      range.low);
  Rows rows(figure.name, "x,median,low,high,panel,curve");
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    const Interval x = abscissa_range(points[p], figure.log_x);
    layout.panels.push_back({.title = figure.panels[p].title,
                             .x_label = figure.x_label,
                             .y_label = figure.y_label,
                             .x = {x.low, x.high, figure.log_x},
                             .y = {range.low, range.high, true},
                             .plot = band_plot(figure.panels[p], points[p], range.low, styles, rows)});
  }
  return {layout_script(layout), rows.text()};
}

bool is_counted(double gap, double of_rival) {
  constexpr double kSmallestGap = 1e-13;  // smaller gaps are round-off
  return !(gap <= kSmallestGap && of_rival <= kSmallestGap);
}

PairCount count_pairs(const std::vector<double>& gaps, const std::vector<double>& of_rival, double factor) {
  PairCount count;
  for (std::size_t i = 0; i < std::min(gaps.size(), of_rival.size()); ++i) {
    if (!is_counted(gaps[i], of_rival[i])) continue;
    ++count.counted;
    const bool rival_failed = !std::isfinite(of_rival[i]);
    count.ahead += std::isfinite(gaps[i]) && (rival_failed || gaps[i] <= factor * of_rival[i]);
  }
  return count;
}

Figure make_pair_figure(const PairFigure& figure) {
  constexpr double kSide = 230;
  Layout layout = {.name = figure.name, .formats = figure.formats, .plot_width = kSide, .plot_height = kSide};
  layout.between = 72;
  layout.shares_ordinate = false;
  layout.prologue = "inside(v) = v > low ? (v < high ? v : high) : low\n";
  const CurveStyle& style = curve_style(figure.y_label);
  const std::string colour(&style == &kOtherCurve ? "#0072B2" : style.colour);
  Rows rows(figure.name, "x,y,panel");
  for (const PairPanel& panel : figure.panels) {
    require_same_size("make_pair_figure", panel.title, panel.x.size(), panel.y.size());
    const Interval range = pair_range(panel);
    const Axis axis = {range.low, range.high, true};
    layout.panels.push_back({panel.title, figure.x_label, figure.y_label, axis, axis,
                             pair_plot(panel, count_pairs(panel.y, panel.x, figure.factor), range, colour, rows)});
  }
  return {layout_script(layout), rows.text()};
}

Figure make_profile_figure(const ProfileFigure& figure) {
  const Styles styles(figure.panels);
  Layout layout = {.name = figure.name, .formats = figure.formats, .legend = styles.legend(), .note = figure.note};
  Rows rows(figure.name, "x,fraction,panel,curve");
  for (const ProfilePanel& panel : figure.panels) {
    const Interval range = profile_range(panel);
    layout.panels.push_back({.title = panel.title,
                             .x_label = panel.x_label,
                             .y_label = "fraction solved",
                             .x = {range.low, range.high, true},
                             .y = {0, 1.02},
                             .plot = profile_plot(panel, range, styles, rows)});
  }
  return {layout_script(layout), rows.text()};
}

}  // namespace loa
