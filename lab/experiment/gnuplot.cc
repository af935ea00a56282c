#include "experiment/gnuplot.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "base/text.h"

namespace loa {
namespace {

// In pixels: above a row for its title, below it for the abscissa, and to the right half of the last number.
constexpr double kTop = 34, kBelow = 46, kRight = 22;
// In the legend: a sample, and about 0.6 em a letter as in DejaVu Sans, the widest of the usual fonts.
constexpr double kSample = 40, kLetter = 7.9, kColumnGap = 18, kLineHeight = 19, kNoteHeight = 20, kAir = 8;

double number(std::size_t n) { return static_cast<double>(n); }

double figure_width(const Frame& frame) {
  const double columns = number(grid_of(frame.panels).columns);
  return frame.left + columns * frame.plot_width + (columns - 1) * frame.between + kRight;
}

// The legend in columns, each as wide as its longest label, filled one after the other.
struct LegendColumns {
  std::size_t lines = 0;
  std::vector<double> left = {};  // of each column, from that of the first
  double width = 0;
};

LegendColumns in_lines(const Frame& frame, std::size_t lines) {
  LegendColumns out = {.lines = lines};
  for (std::size_t first = 0; first < frame.legend.size(); first += lines) {
    std::size_t longest = 0;
    for (std::size_t i = first; i < std::min(first + lines, frame.legend.size()); ++i)
      longest = std::max(longest, letters(frame.legend[i].label));
    out.left.push_back(out.width + (first > 0 ? kColumnGap : 0));
    out.width = out.left.back() + kSample + kAir + kLetter * number(longest);
  }
  return out;
}

// As few lines as fit into the width.
LegendColumns legend_columns(const Frame& frame) {
  if (frame.legend.empty()) return {};
  std::size_t lines = 1;
  while (lines < frame.legend.size() && in_lines(frame, lines).width > figure_width(frame) - 2 * kAir) ++lines;
  return in_lines(frame, lines);
}

double foot_height(const Frame& frame) {
  const double lines = number(legend_columns(frame).lines);
  return 2 * kAir + kLineHeight * lines + (frame.note.empty() ? 0 : kNoteHeight);
}

double figure_height(const Frame& frame) {
  return number(grid_of(frame.panels).rows) * (kTop + frame.plot_height + kBelow) + foot_height(frame);
}

// Arrows, boxes and labels at pixels counted from the left and from the bottom; `tag` is the number of the first label.
std::string legend_entry(const LegendEntry& entry, double x, double y, std::size_t tag, const Frame& frame) {
  const double width = figure_width(frame), height = figure_height(frame);
  const auto at = [&](double px, double py) { return fmt::format("screen {:.5f},{:.5f}", px / width, py / height); };
  std::string text;
  if (!entry.band.empty())
    fmt::format_to(std::back_inserter(text),
                   "set object {} rectangle from {} to {} fs transparent solid 0.2 noborder fc {}\n", tag, at(x, y - 5),
                   at(x + kSample, y + 5), entry.band);
  if (!entry.line.empty())
    fmt::format_to(std::back_inserter(text), "set arrow {} from {} to {} nohead {}\n", tag, at(x, y),
                   at(x + kSample, y), entry.line);
  if (!entry.point.empty())
    fmt::format_to(std::back_inserter(text), "set label {} '' at {} point {}\n", tag, at(x + kSample / 2, y),
                   entry.point);
  fmt::format_to(std::back_inserter(text), "set label {} {} noenhanced at {} left textcolor rgb '#222222'\n", tag + 1,
                 gnuplot_text(entry.label), at(x + kSample + kAir, y));
  return text;
}

// A string of gnuplot, whatever bytes `text` has. Single quotes would not do: gnuplot 5.4 takes the doubled apostrophe
// at the beginning of a string for its end, and what follows for commands. In double quotes it would replace `commands`
// and @macros, so all but plain letters are written as numbers.
std::string in_double_quotes(const std::string& text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ._-+=,:/()*|<>";
  std::string out = "\"";
  for (const char c : text) {
    const bool plain = kPlain.find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("\\{:03o}", static_cast<unsigned char>(c));
  }
  return out + "\"";
}

std::string tic(double value, const std::string& label) { return fmt::format("'{}' {:.10g}", label, value); }

}  // namespace

std::string gnuplot_text(const std::string& text) {
  const std::string shown = valid_utf8(printable(text));
  const bool plain = shown.find_first_of("'\"\\`@{}") == std::string::npos;
  return plain ? "'" + shown + "'" : in_double_quotes(shown);
}

std::string gnuplot_path(const std::string& path) { return in_double_quotes("./" + path); }

Grid grid_of(std::size_t panels) {
  const std::size_t columns = panels <= 3 ? std::max<std::size_t>(panels, 1) : panels <= 4 ? 2 : panels <= 9 ? 3 : 4;
  return {columns, std::max<std::size_t>((panels + columns - 1) / columns, 1)};
}

bool is_first_in_row(const Frame& frame, std::size_t p) { return p % grid_of(frame.panels).columns == 0; }

bool is_last_in_column(const Frame& frame, std::size_t p) { return p + grid_of(frame.panels).columns >= frame.panels; }

std::string begin_figure(const Frame& frame) {
  const double width = figure_width(frame), height = figure_height(frame);
  // The scales make letters, lines and marks of the PDF as large, relative to the figure, as those of the SVG.
  return fmt::format(
      "# Reads {0}.csv, writes {0}.svg and {0}.pdf. Run by `gnuplot {0}.gp` in this folder.\n"
      "do for [kind in 'svg pdf'] {{\n"
      "if (kind eq 'svg') {{ set terminal svg size {1},{2} font 'sans-serif,13' background rgb 'white' }}\n"
      "if (kind eq 'pdf') {{ set terminal pdfcairo size {3:.4f}in,{4:.4f}in font 'sans-serif,13' fontscale 0.65 "
      "linewidth 1.5 pointscale 1.2 }}\n"
      "set output {5}.kind\n"
      "set encoding utf8\n"
      "set datafile separator ','\n"
      "set multiplot\n"
      "unset key\n"
      "set border 3 lc rgb '#444444'\n"
      "set tics nomirror scale 0.5 textcolor rgb '#222222'\n"
      "set grid lc rgb '#dddddd' lt 1 lw 0.6\n",
      valid_utf8(printable(frame.name)), width, height, width / 96, height / 96, gnuplot_path(frame.name + "."));
}

std::string begin_panel(const Frame& frame, std::size_t p, const PanelText& text) {
  const double width = figure_width(frame), height = figure_height(frame);
  const std::size_t columns = grid_of(frame.panels).columns;
  const double left = frame.left + number(p % columns) * (frame.plot_width + frame.between);
  const double top = height - kTop - number(p / columns) * (kTop + frame.plot_height + kBelow);
  return fmt::format(
      "set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\n"
      "set tmargin at screen {:.5f}\nset bmargin at screen {:.5f}\n"
      "set title {} noenhanced offset 0,-0.4\nset xlabel {} noenhanced offset 0,0.5\n"
      "set ylabel {} noenhanced offset 1,0\n",
      left / width, (left + frame.plot_width) / width, top / height, (top - frame.plot_height) / height,
      gnuplot_text(text.title), gnuplot_text(text.x_label), gnuplot_text(text.y_label));
}

std::string empty_panel() {
  return "set label 99 'no data' at graph 0.5,0.5 center textcolor rgb '#666666'\n"
         "plot NaN notitle\n"
         "unset label 99\n";
}

std::string end_figure(const Frame& frame) {
  const double width = figure_width(frame), height = figure_height(frame);
  std::string text =
      "unset title\nunset xlabel\nunset ylabel\nunset tics\nunset border\nunset grid\nunset logscale\n"
      "set xrange [0:1]\nset yrange [0:1]\n";
  const LegendColumns columns = legend_columns(frame);
  for (std::size_t i = 0; i < frame.legend.size(); ++i) {
    const double x = (width - columns.width) / 2 + columns.left[i / columns.lines];
    const double y = foot_height(frame) - kAir - kLineHeight * (number(i % columns.lines) + 0.5);
    text += legend_entry(frame.legend[i], x, y, 2 * i + 1, frame);
  }
  if (!frame.note.empty())
    fmt::format_to(std::back_inserter(text),
                   "set label {} {} noenhanced at screen 0.5,{:.5f} center font ',11' textcolor rgb '#555555'\n",
                   2 * frame.legend.size() + 1, gnuplot_text(frame.note), (kAir + 0.4 * kNoteHeight) / height);
  return text + "plot NaN notitle\nunset multiplot\nset output\nreset\n}\n";
}

std::string linear_axis(char axis, double low, double high, Numbers numbers) {
  // At most five whole intervals of 1, 2 or 5 times a power of ten.
  const double power = std::pow(10.0, std::floor(std::log10((high - low) / 5)));
  double step = power;
  for (const double factor : {2.0, 5.0, 10.0})
    if ((high - low) / step >= 6.0) step = factor * power;
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

Drawing draw(const std::string& where, const std::string& script, std::string& error) {
  // Whole paths, because a shell takes the folder "-" for the one before, and gnuplot the file "-x" for an option.
  std::error_code unknown;
  const std::filesystem::path whole = std::filesystem::absolute(where.empty() ? "." : where, unknown);
  const std::string folder = unknown ? "./" + where : whole.string(), name = "./" + script;
  const auto shell_text = [](const std::string& text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
    return out + "'";
  };
  // Without a locale gnuplot complains that it cannot convert its degree sign into ASCII. The scripts are in UTF-8, and
  // numbers have points; C.UTF-8 needs no package on Debian, and where it does not exist gnuplot runs as without a
  // locale.
  const std::string command =
      "cd -- " + shell_text(folder) + " && LC_ALL=C.UTF-8 gnuplot " + shell_text(name) + " 2>&1";
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
