#include "experiment/gnuplot.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "base/text.h"

namespace loa {
namespace {

constexpr double kTop = 34;    // above a row, for the title
constexpr double kRight = 22;  // half of the last label of an abscissa
// The legend: a sample, and about 0.62 em a letter in DejaVu Sans, the widest of the usual fonts.
constexpr double kSampleWidth = 64, kLetterWidth = 8.2, kEntryHeight = 20, kNoteHeight = 20, kAir = 8;

struct Size {
  double width, height, foot, entries_a_line;
};

Size size(const Frame& frame) {
  const auto [columns, rows] = grid_of(frame.panels);
  const auto number = [](std::size_t n) { return static_cast<double>(n); };
  Size out = {};
  out.width = frame.left + number(columns) * (frame.plot_width + frame.between) - frame.between + kRight;
  std::size_t longest = 1;
  for (const Frame::Entry& entry : frame.legend) longest = std::max(longest, letters(entry.label));
  const double fit = std::floor((out.width - kRight) / (kSampleWidth + kLetterWidth * number(longest)));
  // As many lines as needed, evenly filled.
  const double lines = std::ceil(number(frame.legend.size()) / std::max(1.0, fit));
  out.entries_a_line = std::max(1.0, std::ceil(number(frame.legend.size()) / std::max(1.0, lines)));
  out.foot = 2 * kAir + kEntryHeight * lines + (frame.note.empty() ? 0 : kNoteHeight);
  out.height = number(rows) * (kTop + frame.plot_height + frame.below) + out.foot;
  return out;
}

std::string tic(double value, const std::string& label) { return fmt::format("'{}' {:.10g}", label, value); }

}  // namespace

std::string gnuplot_text(const std::string& text) {
  std::string out = "'";
  for (const char c : valid_utf8(printable(text))) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

Grid grid_of(std::size_t panels) {
  const std::size_t columns = panels <= 3 ? std::max<std::size_t>(panels, 1) : panels <= 4 ? 2 : panels <= 9 ? 3 : 4;
  return {columns, std::max<std::size_t>((panels + columns - 1) / columns, 1)};
}

bool is_first_in_row(const Frame& frame, std::size_t p) { return p % grid_of(frame.panels).columns == 0; }

std::string begin_figure(const Frame& frame) {
  const Size s = size(frame);
  // The unit of length of pdfcairo is the inch, its letters and lines are in points.
  return fmt::format(
      "# Reads {0}.csv, writes {0}.svg and {0}.pdf. Run by `gnuplot {0}.gp` in this folder.\n"
      "do for [kind in 'svg pdf'] {{\n"
      "if (kind eq 'svg') {{ set terminal svg size {1},{2} font 'sans-serif,13' background rgb 'white' }}\n"
      "if (kind eq 'pdf') {{ set terminal pdfcairo size {3:.4f}in,{4:.4f}in font 'sans-serif,9.75' fontscale 1 "
      "linewidth 1.5 }}\n"
      "set output {5}.'.'.kind\n"
      "set encoding utf8\n"
      "set datafile separator ','\n"
      "set multiplot\n"
      "unset key\n"
      "set border 3 lc rgb '#444444'\n"
      "set tics nomirror textcolor rgb '#222222'\n"
      "set grid lc rgb '#dddddd' lt 1 lw 0.6\n",
      valid_utf8(printable(frame.name)), s.width, s.height, s.width / 96, s.height / 96, gnuplot_text(frame.name));
}

std::string begin_panel(const Frame& frame, std::size_t p, const PanelText& text) {
  const Size s = size(frame);
  const std::size_t columns = grid_of(frame.panels).columns;
  const double left = frame.left + static_cast<double>(p % columns) * (frame.plot_width + frame.between);
  const double top = s.height - kTop - static_cast<double>(p / columns) * (kTop + frame.plot_height + frame.below);
  return fmt::format(
      "set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\n"
      "set tmargin at screen {:.5f}\nset bmargin at screen {:.5f}\n"
      "set title {} noenhanced offset 0,-0.4\nset xlabel {} noenhanced\nset ylabel {} noenhanced\n",
      left / s.width, (left + frame.plot_width) / s.width, top / s.height, (top - frame.plot_height) / s.height,
      gnuplot_text(text.title), gnuplot_text(text.x_label), gnuplot_text(text.y_label));
}

std::string empty_panel() {
  return "set label 99 'no data' at graph 0.5,0.5 center textcolor rgb '#777777'\n"
         "plot NaN notitle\n"
         "unset label 99\n";
}

std::string end_figure(const Frame& frame) {
  const Size s = size(frame);
  std::string text = fmt::format(
      "unset title\nunset xlabel\nunset ylabel\nunset tics\nunset border\nunset grid\nunset logscale\n"
      "set xrange [0:1]\nset yrange [0:1]\n"
      "set lmargin at screen 0\nset rmargin at screen 1\nset bmargin at screen 0\nset tmargin at screen {:.5f}\n"
      "set key top center horizontal maxcols {} Left reverse noenhanced samplen 3 width 1 textcolor rgb '#222222'\n",
      (s.foot - kAir) / s.height, s.entries_a_line);
  if (!frame.note.empty())
    fmt::format_to(std::back_inserter(text),
                   "set label {} noenhanced at screen 0.5,{:.5f} center font ',11' textcolor rgb '#555555'\n",
                   gnuplot_text(frame.note), (kAir + 0.4 * kNoteHeight) / s.height);
  std::string entries;
  for (const Frame::Entry& entry : frame.legend)
    fmt::format_to(std::back_inserter(entries), "{}NaN {} title {}", entries.empty() ? "" : ", \\\n  ", entry.style,
                   gnuplot_text(entry.label));
  return text + "plot " + (entries.empty() ? "NaN notitle" : entries) + "\nunset multiplot\nset output\nreset\n}\n";
}

std::string linear_axis(char axis, double low, double high, Numbers numbers) {
  // At most five intervals of 1, 2 or 5 times a power of ten.
  const double power = std::pow(10.0, std::floor(std::log10((high - low) / 5)));
  double step = power;
  for (const double factor : {2.0, 5.0, 10.0})
    if ((high - low) / step > 5.0) step = factor * power;
  const bool large = std::max(std::abs(low), std::abs(high)) >= 20000;
  return fmt::format("unset logscale {0}\nset {0}range [{1:.10g}:{2:.10g}]\nset {0}tics {3:.10g} format '{4}'\n", axis,
                     low, high, step,
                     numbers == Numbers::kHidden ? ""
                     : large                     ? "%.0s%c"
                                                 : "%g");
}

std::string logarithmic_axis(char axis, double low, double high, Numbers numbers) {
  constexpr double kSlack = 1e-9;  // a power of ten at the end of the range counts as inside
  const double first = std::log10(low), last = std::log10(high), decades = last - first;
  const bool as_powers = low < 0.01 || high > 20000;
  const int step = decades <= 6 ? 1 : decades <= 12 ? 2 : decades <= 20 ? 4 : static_cast<int>(std::ceil(decades / 5));
  std::vector<double> factors = {1.0};
  if (!as_powers && decades <= 1.6) factors = {1.0, 2.0, 5.0};
  if (!as_powers && decades > 1.6 && decades <= 3.3) factors = {1.0, 3.0};
  std::vector<std::string> tics;
  for (int exponent = static_cast<int>(std::floor(first)); exponent <= static_cast<int>(std::ceil(last)); ++exponent) {
    if (exponent % step != 0) continue;
    for (const double factor : factors) {
      const double place = exponent + std::log10(factor);
      if (!(place >= first - kSlack && place <= last + kSlack)) continue;
      const double value = factor * std::pow(10.0, exponent);
      tics.push_back(tic(value, numbers == Numbers::kHidden ? ""
                                : !as_powers                ? fmt::format("{:.6g}", value)
                                : exponent == 0             ? "1"
                                                            : fmt::format("10^{{{}}}", exponent)));
    }
  }
  if (tics.size() < 2 && numbers == Numbers::kShown)  // a range between two of them
    tics = {tic(low, fmt::format("{:.3g}", low)), tic(high, fmt::format("{:.3g}", high))};
  return fmt::format("set logscale {0}\nset {0}range [{1:.10g}:{2:.10g}]\nset {0}tics ({3}) format '%g'\n", axis, low,
                     high, join(tics));
}

Drawing draw(const std::string& folder, const std::string& name, std::string& error) {
  const auto shell_text = [](const std::string& text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
    return out + "'";
  };
  const std::string command = "cd -- " + shell_text(folder) + " && gnuplot " + shell_text(name) + " 2>&1";
  error.clear();
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) {
    error = "gnuplot could not be started";
    return Drawing::kFailed;
  }
  std::string said;
  std::array<char, 4096> buffer;
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) said.append(buffer.data(), n);
  const int status = pclose(pipe);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return Drawing::kNoGnuplot;
  const std::size_t begin = std::min(said.find_first_not_of(" \r\n"), said.size());
  error = printable(said.substr(begin, said.find('\n', begin) - begin));
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? Drawing::kDone : Drawing::kFailed;
}

}  // namespace loa
