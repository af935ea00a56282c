#include "experiment/figure_parts.h"

#include <cmath>
#include <stdexcept>

#include "base/text.h"
#include "experiment/csv.h"

namespace loa {

bool is_positive(double value) { return value > 0.0 && std::isfinite(value); }

double power_below(double value) { return std::pow(10.0, std::floor(std::log10(value))); }

void require_same_size(const char* function, const std::string& label, std::size_t expected, std::size_t found) {
  if (expected != found)
    throw std::invalid_argument(fmt::format("{}: {} has {} abscissae and {} values", function, label, expected, found));
}

std::string plot(const std::vector<std::string>& elements) {
  if (elements.empty()) return empty_panel();
  std::string text = "plot \\\n";
  for (std::size_t i = 0; i < elements.size(); ++i)
    text += "  " + elements[i] + (i + 1 < elements.size() ? ", \\\n" : "\n");
  return text;
}

std::string Rows::range(std::size_t first, std::size_t last, std::size_t every) const {
  return fmt::format("{} skip 1 every {}::{}::{}", file, every, first, last);
}

Rows begin_rows(const std::string& name, const std::string& header) {
  return {.file = gnuplot_path(name + ".csv"), .text = header + "\n"};
}

std::size_t index_of(const std::vector<std::string>& labels, const std::string& label) {
  return static_cast<std::size_t>(std::ranges::find(labels, label) - labels.begin());
}

std::vector<LegendEntry> legend_of(const std::vector<std::string>& labels, const std::vector<LineStyle>& styles) {
  std::vector<LegendEntry> legend;
  for (std::size_t i = 0; i < labels.size(); ++i)
    legend.push_back({.label = labels[i], .line = styles[i].line(), .point = styles[i].points()});
  return legend;
}

double width_of_one(std::size_t panels) {
  const std::size_t columns = grid_of(panels).columns;
  return columns == 1 ? 540 : columns == 2 ? 390 : 292;
}

Numbers numbers(const Frame& frame, std::size_t p) {
  return is_first_in_row(frame, p) ? Numbers::kShown : Numbers::kHidden;
}

}  // namespace loa
