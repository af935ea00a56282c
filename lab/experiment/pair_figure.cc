// One algorithm against another, a dot a problem.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>

#include "experiment/csv.h"
#include "experiment/figure_parts.h"
#include "experiment/figures.h"

namespace loa {
namespace {

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
    fmt::format_to(std::back_inserter(rows.text), "{},{},{}\n", csv_number(x), csv_number(y), csv_field(panel.title));
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

}  // namespace

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

}  // namespace loa
