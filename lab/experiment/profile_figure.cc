// Performance and data profiles.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

#include "experiment/csv.h"
#include "experiment/figure_parts.h"
#include "experiment/figures.h"

namespace loa {
namespace {

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
                     csv_field(panel.title), csv_field(curve.label));
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

}  // namespace

Figure make_profile_figure(const ProfileFigure& figure) {
  const std::vector<std::string> labels = labels_of(figure.panels);
  const std::vector<LineStyle> styles = curve_styles(labels);
  Frame frame = {.name = figure.name, .panels = figure.panels.size(), .plot_width = width_of_one(figure.panels.size())};
  frame.legend = legend_of(labels, styles);
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

}  // namespace loa
