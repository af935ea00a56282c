// The one layout of all figures: panels of equal size in a grid with one legend below, as a script for gnuplot.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

namespace loa {

// A string of gnuplot, on one line and in valid UTF-8. To be shown `noenhanced`.
std::string gnuplot_text(const std::string& text);

// The name of a file beside the script as a string of gnuplot, whatever bytes it has. Without its first two letters,
// ./, gnuplot would take "|x" and "<x" for commands to run, "-" for data in the script and "~" for another folder.
std::string gnuplot_path(const std::string& path);

// A script and what it draws. Whoever calls writes both into one folder and runs draw() there.
struct Figure {
  std::string script = {};  // NAME.gp
  std::string csv = {};     // NAME.csv, tidy: one row for each point; empty where the script has its data inside
};

// The CSV of a figure while it grows. Numbers come first: gnuplot misreads a comma behind a doubled quote in a text. An
// element of a plot names its rows by their numbers.
class Rows {
 public:
  Rows(const std::string& figure, const std::string& header);
  void add(std::initializer_list<double> numbers, std::initializer_list<std::string> texts);
  std::size_t count() const { return count_; }
  const std::string& text() const { return text_; }
  // The rows from `first` to the last one, each `every`-th, as an element of a plot begins.
  std::string since(std::size_t first, std::size_t every = 1) const;

 private:
  std::string file_, text_;
  std::size_t count_ = 0;
};

// One line of a legend.
struct LegendEntry {
  std::string label;
  std::string line = {};   // the style of gnuplot: "lc ... dt ... lw ..."; empty: no line
  std::string point = {};  // "lc ... pt ... ps ..."; empty: no mark
  std::string band = {};   // "lc ...": a faint box; empty: none
};

// REQUIRES: low <= high, and 0 < low where it is logarithmic. Where low = high, gnuplot chooses the range. On a
// logarithmic axis tics stand at powers of ten, and at 2 and 5 or at 3 times these where the range is short.
struct Axis {
  double low = 0, high = 0;
  bool is_logarithmic = false;
};

struct LayoutPanel {
  std::string title = {}, x_label = {}, y_label = {};
  Axis x = {}, y = {};
  std::string plot = {};  // commands; empty: the panel says that there is no data
};

// Lengths are in pixels of the SVG (1/96 inch). Fixed margins give all panels one size, and the same picture on all
// terminals.
struct Layout {
  std::string name = {};                     // of the files, without extension
  std::string formats = "svg pdf";           // of the pictures: svg, pdf, png, and narrow, see below
  double plot_width = 0, plot_height = 220;  // inside the axes; width 0: a page divided by the panels in a row
  double left = 70;                          // from the edge to the first ordinate
  double between = 34;                       // two panels beside each other
  double below = 46;                         // a row of panels, for numbers and label of the abscissa
  bool shares_ordinate = true;               // one y axis for a row of panels: only the first has numbers
  std::vector<LegendEntry> legend = {};
  std::string note = {};      // a small line below the legend
  std::string prologue = {};  // commands before the first panel: functions, data
  std::vector<LayoutPanel> panels = {};
};

// Up to three panels stand beside each other, four in a square, more in rows of three, and of four from ten on. The
// format narrow is the SVG of NAME-narrow.svg, for a telephone: one panel below the other, kNarrowWidth pixels wide.
std::string layout_script(const Layout& layout);
inline constexpr double kNarrowWidth = 340;

// A plot command from its elements; empty where there are none.
std::string plot_command(const std::vector<std::string>& elements);

// Range and tics of one axis, 'x' or 'y'. Hidden: tics without numbers.
enum class Numbers { kShown, kHidden };
std::string axis_commands(char name, const Axis& axis, Numbers numbers = Numbers::kShown);

enum class Drawing { kDone, kNoGnuplot, kFailed };

// Runs the file `script` in the folder `where` (empty: the current one) by gnuplot. `error` becomes the first line of
// what gnuplot said: on kFailed the reason, on kDone a warning or, as it should be, nothing.
Drawing draw(const std::string& where, const std::string& script, std::string& error);

}  // namespace loa
