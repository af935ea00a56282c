#include "experiment/convergence_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "experiment/csv.h"
#include "experiment/palette.h"

namespace loa {
namespace {

constexpr double kLowestGap = 1e-16;  // relative: nothing below it is more than round-off

// The spec on a title of one line: without the folder of a data file, and cut where it is still too long.
std::string title(std::string name) {
  constexpr std::size_t kLongest = 32;
  if (const std::size_t path = name.find("data="); path != std::string::npos) {
    const std::size_t slash = name.rfind('/', name.find(',', path));
    if (slash != std::string::npos && slash > path) name.erase(path + 5, slash - path - 4);
  }
  return name.size() <= kLongest ? name : name.substr(0, kLongest - 3) + "...";
}

bool is_drawn(const ComparedRun& run) { return run.start == 0 && !run.trace.empty(); }

bool has_unknown_minimum(const Comparison& comparison) {
  return !std::ranges::all_of(comparison.problems, &ComparedProblem::reference_is_known);
}

// One curve: the lowest gap so far in the rows of convergence.csv that belong to the run. At a known minimum it goes
// down to the axis; a gap of zero to the lowest f reached says nothing, so there it ends.
std::string curve(const ComparedRun& run, const std::string& style_text, std::size_t first_row, const char* function) {
  return fmt::format(
      "  'convergence.csv' skip 1 every ::{}::{} using 1:({}(best = lower($2, $3))) with lines {} notitle", first_row,
      first_row + run.trace.size() - 1, function, style_text);
}

// The plot command of one panel. All its runs begin at the same x_0, whose gap is the scale.
std::string panel(const Comparison& comparison, std::size_t p) {
  const std::vector<LineStyle> styles = curve_styles(comparison.labels);
  const ComparedProblem& problem = comparison.problems[p];
  std::vector<std::string> curves(styles.size());
  double scale = 0.0;
  std::size_t row = 0;
  for (const ComparedRun& run : comparison.runs) {
    if (!is_drawn(run)) continue;
    if (run.problem == p) {
      scale = run.trace.front().f - problem.reference;
      if (scale > 0.0 && std::isfinite(scale))
        curves[run.algorithm] = curve(run, styles[run.algorithm].line(), row,
                                      problem.reference_is_known ? "to_the_axis" : "where_positive");
    }
    row += run.trace.size();
  }
  std::string text;
  for (const std::size_t a : drawing_order(styles))
    if (!curves[a].empty()) text += (text.empty() ? "" : ", \\\n") + curves[a];
  if (text.empty()) text = "  [1:10] NaN notitle";
  return fmt::format("scale = {:.17g}\nplot \\\n{}\n", scale, text);
}

// The smallest positive relative gap on any curve, as a power of ten that leaves some air below.
double lowest_gap(const Comparison& comparison) {
  double lowest = 1e-2;
  for (const ComparedRun& run : comparison.runs) {
    if (!is_drawn(run)) continue;
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
  const std::vector<LineStyle> styles = curve_styles(algorithms);
  std::string text;
  for (std::size_t a = 0; a < algorithms.size(); ++a)
    text += (text.empty() ? "" : ", ") +
            fmt::format("NaN with lines {} title {}", styles[a].line(), gnuplot_text(algorithms[a]));
  return text;
}

}  // namespace

std::string convergence_csv(const Comparison& comparison) {
  std::string text = "evaluations,iteration,gap,problem,algorithm\n";
  for (const ComparedRun& run : comparison.runs) {
    if (!is_drawn(run)) continue;
    const ComparedProblem& problem = comparison.problems[run.problem];
    const std::string names = csv_field(problem.name) + "," + csv_field(comparison.labels[run.algorithm]);
    for (const TraceRow& row : run.trace)
      fmt::format_to(std::back_inserter(text), "{},{},{},{}\n", row.evaluations, row.iteration,
                     csv_number(row.f - problem.reference), names);
  }
  return text;
}

std::string convergence_script(const Comparison& comparison) {
  const auto [columns, rows] = grid_of(comparison.problems.size());
  // In pixels of the SVG; the PNG has twice as many. Fixed margins give all panels one size.
  constexpr double kPanelWidth = 330, kPanelHeight = 250, kLeft = 84, kGap = 62, kTop = 38, kAxis = 30, kLabel = 26;
  constexpr double kRight = 24;
  const double width = kLeft + static_cast<double>(columns) * kPanelWidth - kGap + kRight;
  // The legend: as many names beside each other as fit, then the note.
  constexpr double kSampleWidth = 90, kLetterWidth = 9.5, kNameHeight = 24, kNoteHeight = 20;
  const auto longest = std::ranges::max(comparison.labels, {}, &std::string::size).size();
  const double per_line =
      std::max(1.0, std::floor(width / (kSampleWidth + kLetterWidth * static_cast<double>(longest))));
  const double lines = std::ceil(static_cast<double>(comparison.labels.size()) / per_line);
  const double foot = 18 + kNameHeight * lines + (has_unknown_minimum(comparison) ? kNoteHeight : 0);
  const double height = foot + kLabel + static_cast<double>(rows) * kPanelHeight;
  std::string text = fmt::format(
      "# One panel a problem: lowest relative gap so far over evaluations, from convergence.csv. Run by `gnuplot "
      "convergence.gp`.\n"
      "lowest = {:.0e}\n"
      "lower(iteration, gap) = iteration == 0 || gap < best ? gap : best\n"
      "to_the_axis(gap) = gap/scale > lowest ? gap/scale : lowest\n"
      "where_positive(gap) = gap > 0 ? to_the_axis(gap) : NaN\n"
      "best = NaN\n"
      "do for [output in 'svg png'] {{\n"
      "if (output eq 'svg') {{ set terminal svg size {},{} font 'DejaVu Sans,14' background rgb 'white' }}\n"
      "if (output eq 'png') {{ set terminal pngcairo size {},{} font 'DejaVu Sans,14' fontscale 1.5 linewidth 1.8 }}\n"
      "set output 'convergence.'.output\n",
      lowest_gap(comparison), width, height, 2 * width, 2 * height);
  text +=
      "set datafile separator ','\n"
      "set multiplot\n"
      "unset key\n"
      "set border 3 lc rgb '#444444'\n"
      "set tics nomirror textcolor rgb '#222222'\n"
      "set grid lc rgb '#dddddd' lt 1 lw 0.6\n"
      "set logscale xy\n"
      "set xrange [*:*] noextend\n"
      "set yrange [lowest:3]\n"
      "set xtics (1, 3, 10, 30, 100, 300, 1000, 3000, 1e4, 3e4, 1e5, 3e5, 1e6)\n"
      "set ytics lowest < 1e-10 ? 1e4 : lowest < 1e-4 ? 1e2 : 10 format '10^{%L}'\n"
      "set mytics 1\n";
  for (std::size_t p = 0; p < comparison.problems.size(); ++p) {
    const std::size_t column = p % columns, row = p / columns;
    const bool bottom = p + columns >= comparison.problems.size();
    const ComparedProblem& problem = comparison.problems[p];
    const double left = kLeft + static_cast<double>(column) * kPanelWidth;
    const double top = height - static_cast<double>(row) * kPanelHeight;
    fmt::format_to(std::back_inserter(text),
                   "set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\n"
                   "set tmargin at screen {:.5f}\nset bmargin at screen {:.5f}\n"
                   "set title {} noenhanced offset 0,-0.4 font ',13'\nset xlabel {}\nset ylabel {}\n{}",
                   left / width, (left + kPanelWidth - kGap) / width, (top - kTop) / height,
                   (top - kPanelHeight + kAxis) / height,
                   gnuplot_text(title(problem.name) + (problem.reference_is_known ? "" : " *")),
                   bottom ? "'evaluations'" : "''", column == 0 ? "'relative gap'" : "''", panel(comparison, p));
  }
  fmt::format_to(std::back_inserter(text),
                 "unset title\nunset xlabel\nunset ylabel\nunset tics\nunset border\nunset grid\nunset logscale\n"
                 "set xrange [0:1]\nset yrange [0:1]\n"
                 "set lmargin at screen 0\nset rmargin at screen 1\n"
                 "set bmargin at screen 0\nset tmargin at screen {:.5f}\n"
                 "set key top center horizontal maxcols {} Left reverse noenhanced samplen 3 width 1 textcolor "
                 "rgb '#222222'\n",
                 (foot - 10) / height, per_line);
  if (has_unknown_minimum(comparison))
    fmt::format_to(std::back_inserter(text),
                   "set label '* minimum not known: gap to the lowest f reached' at screen 0.5,{:.5f} "
                   "center font ',11' textcolor rgb '#555555'\n",
                   14 / height);
  fmt::format_to(std::back_inserter(text), "plot {}\nunset multiplot\nset output\nreset\n}}\n",
                 legend(comparison.labels));
  return text;
}

}  // namespace loa
