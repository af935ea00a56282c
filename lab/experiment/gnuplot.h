// What the scripts of all figures share: quoting, the grid of panels with one legend below, axes, and running gnuplot.
//
// Layer: experiment.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace loa {

// A string of gnuplot, on one line and in valid UTF-8. To be shown `noenhanced`.
std::string gnuplot_text(const std::string& text);

// The name of a file beside the script as a string of gnuplot, whatever bytes it has. Without its first two letters,
// ./, gnuplot would take "|x" and "<x" for commands to run, "-" for data in the script and "~" for another folder.
std::string gnuplot_path(const std::string& path);

struct Grid {
  std::size_t columns, rows;
};

// Up to three panels stand beside each other, four in a square, more in rows of three, and of four from ten on.
Grid grid_of(std::size_t panels);

// One line of a legend.
struct LegendEntry {
  std::string label;
  std::string line = {};   // the style of gnuplot: "lc ... dt ... lw ..."; empty: no line
  std::string point = {};  // "lc ... pt ... ps ..."; empty: no mark
  std::string band = {};   // "lc ...": a faint box; empty: none
};

// The geometry of a figure, in pixels of the SVG (1/96 inch). Fixed margins give all panels one size, and the same
// picture on both terminals.
struct Frame {
  std::string name;  // of the files, without extension
  std::size_t panels = 1;
  double plot_width = 300, plot_height = 220;  // of the area inside the axes
  double left = 70;                            // from the edge to the first ordinate
  double between = 34;                         // two panels beside each other
  std::vector<LegendEntry> legend = {};
  std::string note = {};  // a small line below the legend
};

// The script up to the first panel: one loop over the two terminals. Whatever is between this and end_figure() is
// executed twice.
std::string begin_figure(const Frame& frame);

struct PanelText {
  std::string title = {}, x_label = {}, y_label = {};
};

// Places panel `p` and writes on it. `plot` follows.
std::string begin_panel(const Frame& frame, std::size_t p, const PanelText& text);

// The plot command of a panel without data.
std::string empty_panel();

// The legend, and the end of the loop.
std::string end_figure(const Frame& frame);

// Whether panel `p` has no other to its left, or none below.
bool is_first_in_row(const Frame& frame, std::size_t p);
bool is_last_in_column(const Frame& frame, std::size_t p);

// Range and tics of one axis, 'x' or 'y'. REQUIRES: low < high, and 0 < low where it is logarithmic. On a logarithmic
// axis tics stand at powers of ten, and at 2 and 5 or at 3 times these where the range is short. Hidden: tics without
// numbers, where the panel to the left has the same axis.
enum class Numbers { kShown, kHidden };
std::string linear_axis(char axis, double low, double high, Numbers numbers = Numbers::kShown);
std::string logarithmic_axis(char axis, double low, double high, Numbers numbers = Numbers::kShown);

enum class Drawing { kDone, kNoGnuplot, kFailed };

// Runs the file `script` in the folder `where` (empty: the current one) by gnuplot. `error` becomes the first line of
// what gnuplot said: on kFailed the reason, on kDone a warning or, as it should be, nothing.
Drawing draw(const std::string& where, const std::string& script, std::string& error);

}  // namespace loa
