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
#include "experiment/csv.h"

namespace loa {
namespace {

// In pixels: above a row for its title, and to the right half of the last number.
constexpr double kTop = 34, kRight = 22;
// In the legend: a sample, and about 0.6 em a letter as in DejaVu Sans, the widest of the usual fonts.
constexpr double kSample = 40, kLetter = 7.9, kColumnGap = 18, kLineHeight = 19, kNoteHeight = 20, kAir = 8;
constexpr double kNoteLetter = kLetter * 11 / 13;

double number(std::size_t n) { return static_cast<double>(n); }

// A note as lines of at most `width` pixels; a word is never cut.
std::vector<std::string> wrapped(const std::string& text, double width) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!lines.empty() && kNoteLetter * number(letters(lines.back()) + 1 + letters(word)) <= width)
      lines.back() += " " + word;
    else
      lines.push_back(word);
    at = end + 1;
  }
  return lines;
}

// The sizes that follow from a layout, in pixels.
struct Geometry {
  std::size_t columns, rows;  // of panels
  double plot_width;
  std::size_t legend_lines = 0;
  std::vector<double> legend_left = {};  // of each column of the legend, from the first; each as wide as its labels
  double legend_width = 0;
  double head = 0;  // for the legend above panels that stand below each other, so that nobody has to look for it
  double width, foot, height;
  std::vector<std::string> note = {};  // its lines

  Geometry(const Layout& layout, bool is_narrow) {
    const std::size_t panels = std::max<std::size_t>(layout.panels.size(), 1);
    columns = is_narrow || panels == 1 ? 1 : panels <= 3 ? panels : panels <= 4 ? 2 : panels <= 9 ? 3 : 4;
    rows = (panels + columns - 1) / columns;
    // Narrower the more of them stand beside each other, so that figures of any shape are about as wide as a page.
    plot_width = is_narrow               ? kNarrowWidth - layout.left - kRight
                 : layout.plot_width > 0 ? layout.plot_width
                 : columns == 1          ? 540
                 : columns == 2          ? 390
                                         : 292;
    width = layout.left + number(columns) * plot_width + number(columns - 1) * layout.between + kRight;
    note = wrapped(layout.note, width - 2 * kAir);
    const std::vector<LegendEntry>& legend = layout.legend;
    // As few lines as fit into the width.
    do place_legend(legend, ++legend_lines);
    while (legend_lines < legend.size() && legend_width > width - 2 * kAir);
    const double legend_height = legend.empty() ? 0 : kLineHeight * number(legend_lines);
    head = is_narrow && rows > 1 ? legend_height + kAir : 0;
    foot = 2 * kAir + (head > 0 ? 0 : legend_height) + kNoteHeight * number(note.size());
    height = head + number(rows) * (kTop + layout.plot_height + layout.below) + foot;
  }

  void place_legend(const std::vector<LegendEntry>& legend, std::size_t lines) {
    legend_left.clear();
    legend_width = 0;
    for (std::size_t first = 0; first < legend.size(); first += lines) {
      std::size_t longest = 0;
      for (std::size_t i = first; i < std::min(first + lines, legend.size()); ++i)
        longest = std::max(longest, letters(legend[i].label));
      legend_left.push_back(legend_width + (first > 0 ? kColumnGap : 0));
      legend_width = legend_left.back() + kSample + kAir + kLetter * number(longest);
    }
  }

  // A place counted from the left and from the bottom.
  std::string at(double x, double y) const { return fmt::format("screen {:.5f},{:.5f}", x / width, y / height); }
};

// Arrows, boxes and labels; `tag` is the number of the first label.
std::string legend_entry(const LegendEntry& entry, double x, double y, std::size_t tag, const Geometry& geometry) {
  const auto at = [&](double dx, double dy) { return geometry.at(x + dx, y + dy); };
  std::string text;
  if (!entry.band.empty())
    text += fmt::format("set object {} rectangle from {} to {} fs transparent solid 0.2 noborder fc {}\n", tag,
                        at(0, -5), at(kSample, 5), entry.band);
  if (!entry.line.empty())
    text += fmt::format("set arrow {} from {} to {} nohead {}\n", tag, at(0, 0), at(kSample, 0), entry.line);
  if (!entry.point.empty())
    text += fmt::format("set label {} '' at {} point {}\n", tag, at(kSample / 2, 0), entry.point);
  return text + fmt::format("set label {} {} noenhanced at {} left textcolor rgb '#222222'\n", tag + 1,
                            gnuplot_text(entry.label), at(kSample + kAir, 0));
}

// The legend, and the end of the loop over the formats.
std::string end_figure(const Layout& layout, const Geometry& geometry) {
  std::string text =
      "unset title\nunset xlabel\nunset ylabel\nunset tics\nunset border\nunset grid\nunset logscale\n"
      "set xrange [0:1]\nset yrange [0:1]\n";
  for (std::size_t i = 0; i < layout.legend.size(); ++i) {
    const double x = (geometry.width - geometry.legend_width) / 2 + geometry.legend_left[i / geometry.legend_lines];
    const double top = geometry.head > 0 ? geometry.height : geometry.foot;
    const double y = top - kAir - kLineHeight * (number(i % geometry.legend_lines) + 0.5);
    text += legend_entry(layout.legend[i], x, y, 2 * i + 1, geometry);
  }
  for (std::size_t i = 0; i < geometry.note.size(); ++i)
    text += fmt::format("set label {} {} noenhanced at {} center font ',11' textcolor rgb '#555555'\n",
                        2 * layout.legend.size() + 1 + i, gnuplot_text(geometry.note[i]),
                        geometry.at(geometry.width / 2, kAir + (number(geometry.note.size() - i) - 0.6) * kNoteHeight));
  return text + "plot NaN notitle\nunset multiplot\nset output\nreset\n}\n";
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

std::string linear_axis(char name, const Axis& axis, Numbers numbers) {
  // At most five whole intervals of 1, 2 or 5 times a power of ten.
  const double length = axis.high - axis.low, power = std::pow(10.0, std::floor(std::log10(length / 5)));
  double step = power;
  for (const double factor : {2.0, 5.0, 10.0})
    if (length / step >= 6.0) step = factor * power;
  const bool large = std::max(std::abs(axis.low), std::abs(axis.high)) >= 20000;
  const char* const format = numbers == Numbers::kHidden ? "" : large ? "%.0s%c" : "%g";
  return fmt::format("set {0}tics {1:.10g} format '{2}'\n", name, step, format);
}

std::string logarithmic_axis(char name, const Axis& axis, Numbers numbers) {
  constexpr double kSlack = 1e-9;  // a power of ten at the end of the range counts as inside
  const double first = std::log10(axis.low), last = std::log10(axis.high), decades = last - first;
  const bool as_powers = axis.low < 0.01 || axis.high > 20000;
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
    tics = {tic(axis.low, fmt::format("{:.3g}", axis.low)), tic(axis.high, fmt::format("{:.3g}", axis.high))};
  return fmt::format("set logscale {0}\nset {0}tics ({1}) format '%g'\n", name, join(tics));
}

}  // namespace

std::string gnuplot_text(const std::string& text) {
  const std::string shown = valid_utf8(printable(text));
  const bool plain = shown.find_first_of("'\"\\`@{}") == std::string::npos;
  return plain ? "'" + shown + "'" : in_double_quotes(shown);
}

std::string gnuplot_path(const std::string& path) { return in_double_quotes("./" + path); }

Rows::Rows(const std::string& figure, const std::string& header)
    : file_(gnuplot_path(figure + ".csv")), text_(header + "\n") {}

void Rows::add(std::initializer_list<double> numbers, std::initializer_list<std::string> texts) {
  std::string line;
  for (const double value : numbers) line += "," + csv_number(value);
  for (const std::string& text : texts) line += "," + csv_field(text);
  text_ += line.substr(1) + "\n";
  ++count_;
}

std::string Rows::since(std::size_t first, std::size_t every) const {
  return fmt::format("{} skip 1 every {}::{}::{}", file_, every, first, count_ - 1);
}

namespace {

// The loop that draws the figure in some formats. `suffix` stands behind the name of the figure.
std::string drawing_loop(const Layout& layout, const Geometry& geometry, const std::string& formats,
                         const std::string& suffix) {
  const double width = geometry.width, height = geometry.height;
  // The scales make letters, lines and marks of PDF and PNG as large, relative to the figure, as those of the SVG.
  std::string text = fmt::format(
      "do for [kind in '{6}'] {{\n"
      "if (kind eq 'svg') {{ set terminal svg size {0},{1} font 'sans-serif,13' background rgb 'white' }}\n"
      "if (kind eq 'pdf') {{ set terminal pdfcairo size {2:.4f}in,{3:.4f}in font 'sans-serif,13' fontscale 0.65 "
      "linewidth 1.5 pointscale 1.2 }}\n"
      "if (kind eq 'png') {{ set terminal pngcairo size {4},{5} font 'sans-serif,13' fontscale 1.5 linewidth 1.8 "
      "pointscale 1.8 background rgb 'white' }}\n"
      "set output {7}.kind\n"
      "set encoding utf8\n"
      "set datafile separator ','\n"
      "set multiplot\n"
      "unset key\n"
      "set border 3 lc rgb '#444444'\n"
      "set tics nomirror scale 0.5 textcolor rgb '#222222'\n"
      "set grid lc rgb '#dddddd' lt 1 lw 0.6\n"
      "{8}",
      width, height, width / 96, height / 96, 2 * width, 2 * height, formats, gnuplot_path(layout.name + suffix + "."),
      layout.prologue);
  for (std::size_t p = 0; p < layout.panels.size(); ++p) {
    const LayoutPanel& panel = layout.panels[p];
    const std::size_t column = p % geometry.columns, row = p / geometry.columns;
    const bool is_lowest = p + geometry.columns >= layout.panels.size();
    const double left = layout.left + number(column) * (geometry.plot_width + layout.between);
    const double top = height - geometry.head - kTop - number(row) * (kTop + layout.plot_height + layout.below);
    text += fmt::format(
        "set lmargin at screen {:.5f}\nset rmargin at screen {:.5f}\n"
        "set tmargin at screen {:.5f}\nset bmargin at screen {:.5f}\n"
        "set title {} noenhanced offset 0,-0.4\nset xlabel {} noenhanced offset 0,0.5\n"
        "set ylabel {} noenhanced offset 1,0\n",
        left / width, (left + geometry.plot_width) / width, top / height, (top - layout.plot_height) / height,
        gnuplot_text(panel.title), gnuplot_text(is_lowest ? panel.x_label : ""),
        gnuplot_text(column == 0 ? panel.y_label : ""));
    text += axis_commands('x', panel.x);
    text += axis_commands('y', panel.y, column > 0 && layout.shares_ordinate ? Numbers::kHidden : Numbers::kShown);
    text += !panel.plot.empty() ? panel.plot
                                : "set label 99 'no data' at graph 0.5,0.5 center textcolor rgb '#666666'\n"
                                  "plot NaN notitle\n"
                                  "unset label 99\n";
  }
  return text + end_figure(layout, geometry);
}

}  // namespace

std::string layout_script(const Layout& layout) {
  constexpr std::string_view kNarrow = "narrow";
  std::string formats = layout.formats;
  const std::size_t narrow = formats.find(kNarrow);
  if (narrow != std::string::npos) formats.erase(narrow > 0 ? narrow - 1 : narrow, kNarrow.size() + 1);
  std::string text = fmt::format("# Writes the figure {0} as {1}. Run by `gnuplot {0}.gp` in this folder.\n",
                                 valid_utf8(printable(layout.name)), layout.formats) +
                     drawing_loop(layout, Geometry(layout, false), formats, "");
  if (narrow != std::string::npos) text += drawing_loop(layout, Geometry(layout, true), "svg", "-narrow");
  return text;
}

std::string plot_command(const std::vector<std::string>& elements) {
  std::string text;
  for (const std::string& element : elements) text += (text.empty() ? "plot \\\n  " : ", \\\n  ") + element;
  return text.empty() ? text : text + "\n";
}

std::string axis_commands(char name, const Axis& axis, Numbers numbers) {
  if (axis.low == axis.high)
    return fmt::format("{1} logscale {0}\nset {0}range [*:*] noextend\nset {0}tics autofreq format '%g'\n", name,
                       axis.is_logarithmic ? "set" : "unset");
  return fmt::format("unset logscale {0}\nset {0}range [{1:.10g}:{2:.10g}]\n", name, axis.low, axis.high) +
         (axis.is_logarithmic ? logarithmic_axis(name, axis, numbers) : linear_axis(name, axis, numbers));
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
