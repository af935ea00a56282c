// What the figures of figures.h have in common: the rows of their CSV, the plot command, labels and styles.
//
// Layer: experiment.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "experiment/gnuplot.h"
#include "experiment/palette.h"

namespace loa {

inline constexpr double kLowestGap = 1e-16;  // relative: nothing below it is more than round-off

struct Range {
  double low, high;
};

bool is_positive(double value);  // and finite
double power_below(double value);

// Throws std::invalid_argument where the sizes differ.
void require_same_size(const char* function, const std::string& label, std::size_t expected, std::size_t found);

// A plot command from its elements; an axis alone where there are none.
std::string plot(const std::vector<std::string>& elements);

// The CSV of a figure while it grows. Numbers come first: gnuplot misreads a comma behind a doubled quote in a text. An
// element of a plot names its rows by their numbers.
struct Rows {
  std::string file;  // quoted for gnuplot
  std::string text;
  std::size_t count = 0;

  std::string range(std::size_t first, std::size_t last, std::size_t every = 1) const;
};

Rows begin_rows(const std::string& name, const std::string& header);

// The different labels of all panels in the order in which they appear.
template <typename Panel>
std::vector<std::string> labels_of(const std::vector<Panel>& panels) {
  std::vector<std::string> labels;
  for (const Panel& panel : panels)
    for (const auto& curve : panel.curves)
      if (std::ranges::find(labels, curve.label) == labels.end()) labels.push_back(curve.label);
  return labels;
}

std::size_t index_of(const std::vector<std::string>& labels, const std::string& label);

// The curves of a panel in the order in which they are drawn.
template <typename Panel>
std::vector<std::size_t> order_of(const Panel& panel, const std::vector<std::string>& labels,
                                  const std::vector<LineStyle>& styles) {
  std::vector<LineStyle> own;
  for (const auto& curve : panel.curves) own.push_back(styles[index_of(labels, curve.label)]);
  return drawing_order(own);
}

std::vector<LegendEntry> legend_of(const std::vector<std::string>& labels, const std::vector<LineStyle>& styles);

// Narrower the more of them stand beside each other, so that figures of any shape are about as wide as a page.
double width_of_one(std::size_t panels);

// Panels in a row have the same ordinate.
Numbers numbers(const Frame& frame, std::size_t p);

}  // namespace loa
