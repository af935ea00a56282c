#include "experiment/convergence_figure.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "base/text.h"
#include "experiment/palette.h"

namespace loa {
namespace {

constexpr double kLowestGap = 1e-16;  // relative: nothing below it is more than round-off

// A string of gnuplot: in single quotes only the quote itself is special.
std::string gnuplot_text(const std::string& text) {
  std::string out = "'";
  for (const char c : printable(text)) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

// The spec on a title of one line: a long path loses its front.
std::string title(const std::string& name) {
  constexpr std::size_t kLongest = 44;
  return name.size() <= kLongest ? name : "..." + name.substr(name.size() - kLongest);
}

struct Layout {
  std::size_t columns, rows;
};

Layout layout(std::size_t panels) {
  const std::size_t columns = panels <= 3 ? std::max<std::size_t>(panels, 1) : panels <= 4 ? 2 : panels <= 9 ? 3 : 4;
  return {columns, (panels + columns - 1) / columns};
}

// The algorithms in the order in which they are drawn.
std::vector<std::size_t> drawing_order(const std::vector<std::string>& algorithms) {
  std::vector<std::size_t> order(algorithms.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return curve_style(algorithms[i]).on_top; });
  return order;
}

std::string style(const std::string& algorithm) {
  const CurveStyle& curve = curve_style(algorithm);
  return fmt::format("lc rgb '{}' dt {} lw {:.1f}", curve.colour, curve.dash, 2.0 * curve.width);
}

// One curve: the rows of traces.csv that belong to the run.
std::string curve(const ComparedRun& run, const std::string& algorithm, std::size_t first_row, double scale) {
  return fmt::format("  'traces.csv' skip 1 every ::{}::{} using 5:(relative($7, {:.17g})) with lines {} notitle",
                     first_row, first_row + run.trace.size() - 1, scale, style(algorithm));
}

std::string panel(const Comparison& comparison, std::size_t p) {
  const std::vector<std::string>& algorithms = comparison.plan.algorithms;
  std::vector<std::string> curves(algorithms.size());
  std::size_t row = 0;
  for (const ComparedRun& run : comparison.runs) {
    if (run.problem == p && run.start == 0 && !run.trace.empty()) {
      const double scale = run.trace.front().f - comparison.problems[p].reference;
      if (scale > 0.0 && std::isfinite(scale))
        curves[run.algorithm] = curve(run, algorithms[run.algorithm], row, scale);
    }
    row += run.trace.size();
  }
  std::string text;
  for (const std::size_t a : drawing_order(algorithms))
    if (!curves[a].empty()) text += (text.empty() ? "" : ", \\\n") + curves[a];
  return text.empty() ? "  NaN notitle" : text;
}

// The smallest positive relative gap on any curve, as a power of ten that leaves some air below.
double lowest_gap(const Comparison& comparison) {
  double lowest = 1e-2;
  for (const ComparedRun& run : comparison.runs) {
    if (run.start != 0 || run.trace.empty()) continue;
    const double reference = comparison.problems[run.problem].reference;
    const double scale = run.trace.front().f - reference;
    for (const TraceRow& row : run.trace) {
      const double gap = (row.f - reference) / scale;
      if (gap > 0.0 && gap < lowest) lowest = gap;
    }
  }
  return std::max(kLowestGap, std::pow(10.0, std::floor(std::log10(lowest))));
}

std::string legend(const std::vector<std::string>& algorithms) {
  std::string text;
  for (const std::string& algorithm : algorithms)
    text += (text.empty() ? "" : ", ") +
            fmt::format("NaN with lines {} title {}", style(algorithm), gnuplot_text(algorithm));
  return text;
}

}  // namespace

std::string convergence_script(const Comparison& comparison) {
  const auto [columns, rows] = layout(comparison.problems.size());
  const std::size_t width = 120 + 340 * columns, height = 110 + 270 * rows;
  const double legend_height = 44.0 / static_cast<double>(height);
  std::string text = fmt::format(
      "# One panel a problem: relative gap over evaluations, from traces.csv. Run by `gnuplot convergence.gp`.\n"
      "set datafile separator ','\n"
      "lowest = {:.0e}\n"
      "relative(gap, scale) = gap/scale > lowest ? gap/scale : lowest\n"
      "do for [output in 'svg png'] {{\n"
      "if (output eq 'svg') {{ set terminal svg size {},{} font 'DejaVu Sans,14' background rgb 'white' }}\n"
      "if (output eq 'png') {{ set terminal pngcairo size {},{} font 'DejaVu Sans,14' fontscale 1.5 linewidth 1.6 }}\n"
      "set output 'convergence.'.output\n"
      "set multiplot\n",
      lowest_gap(comparison), width, height, 2 * width, 2 * height);
  text +=
      "unset key\n"
      "set border 3 lc rgb '#444444'\n"
      "set tics nomirror textcolor rgb '#222222'\n"
      "set grid lc rgb '#dddddd' lt 1 lw 0.6\n"
      "set logscale xy\n"
      "set format x '10^{%L}'\n"
      "set format y '10^{%L}'\n"
      "set xtics 10\n"
      "set yrange [lowest:3]\n";
  for (std::size_t p = 0; p < comparison.problems.size(); ++p) {
    const std::size_t column = p % columns, row = p / columns;
    const bool bottom = p + columns >= comparison.problems.size();
    const double panel_height = (1.0 - legend_height) / static_cast<double>(rows);
    fmt::format_to(std::back_inserter(text),
                   "set origin {:.5f},{:.5f}\nset size {:.5f},{:.5f}\n"
                   "set title {} noenhanced offset 0,-0.5\nset xlabel {}\nset ylabel {}\nplot \\\n{}\n",
                   static_cast<double>(column) / static_cast<double>(columns),
                   legend_height + panel_height * static_cast<double>(rows - 1 - row),
                   1.0 / static_cast<double>(columns), panel_height, gnuplot_text(title(comparison.problems[p].name)),
                   bottom ? "'evaluations'" : "''", column == 0 ? "'relative gap'" : "''", panel(comparison, p));
  }
  fmt::format_to(std::back_inserter(text),
                 "set origin 0,0\nset size 1,{:.5f}\n"
                 "unset title\nunset xlabel\nunset ylabel\nunset tics\nunset border\nunset grid\n"
                 "unset logscale\nset xrange [0:1]\nset yrange [0:1]\n"
                 "set lmargin 0\nset rmargin 0\nset tmargin 0\nset bmargin 0\n"
                 "set key center center horizontal noenhanced samplen 3 width 2 textcolor rgb '#222222'\n"
                 "plot {}\n"
                 "unset multiplot\nset output\nreset\nset datafile separator ','\n}}\n",
                 legend_height, legend(comparison.plan.algorithms));
  return text;
}

Drawing draw(const std::string& folder, const std::string& name, std::string& error) {
  const auto shell_text = [](const std::string& text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
    return out + "'";
  };
  const std::string command = "cd -- " + shell_text(folder) + " && gnuplot " + shell_text(name) + " 2>&1";
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) {
    error = "gnuplot could not be started";
    return Drawing::kFailed;
  }
  std::string said;
  std::array<char, 4096> buffer;
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) said.append(buffer.data(), n);
  const int status = pclose(pipe);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return Drawing::kDone;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return Drawing::kNoGnuplot;
  const std::size_t begin = std::min(said.find_first_not_of(" \r\n"), said.size());
  error = printable(said.substr(begin, said.find('\n', begin) - begin));
  return Drawing::kFailed;
}

}  // namespace loa
