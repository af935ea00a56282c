#include "experiment/landscape_figure.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cmath>
#include <filesystem>
#include <iterator>
#include <vector>

#include "base/file.h"
#include "experiment/convergence_figure.h"
#include "experiment/palette.h"
#include "principle/path.h"

namespace loa {
namespace {

// A bent valley: f(u, w) = u^2/4 + 2 (w - u^2/10)^2, minimum 0 at 0.
class Valley final : public Objective {
 public:
  Index dimension() const override { return 2; }
  double value_and_gradient(const Vector& x, Vector& grad) override {
    const double gap = x(1) - 0.1 * x(0) * x(0);
    grad(0) = 0.5 * x(0) - 0.8 * x(0) * gap;
    grad(1) = 4.0 * gap;
    return 0.25 * x(0) * x(0) + 2.0 * gap * gap;
  }
};

struct Panel {
  std::string title;
  Transform transform;
};

std::vector<Panel> make_panels() {
  constexpr double kAngle = -M_PI / 4.0;
  const Matrix rotation{{std::cos(kAngle), -std::sin(kAngle)}, {std::sin(kAngle), std::cos(kAngle)}};
  return {{"no transformation", Transform::translation(Vector::Zero(2))},
          {"translation", Transform::translation(Vector{{0.9, -0.8}})},
          {"rotation", Transform::orthogonal(rotation)}};
}

struct Curve {
  std::string algorithm;
  double gamma;
};

const std::vector<Curve>& curves() {
  static const std::vector<Curve> all = {{"heavy-ball", 0.07}, {"adam", 0.25}};
  return all;
}

constexpr std::int64_t kIterations = 25;
constexpr double kHalfWidth = 3.0;  // of the window

// x_{-1}, x_0, ..., x_K on the transformed problem.
Path transformed_path(const Curve& curve, const Transform& transform) {
  Valley valley;
  TransformedObjective f(valley, transform);
  const Vector start{{-2.4, 1.4}};
  Vector grad(2);
  valley.value_and_gradient(start, grad);
  const FirstPair pair{.x_prev = transform.point(start), .x = transform.point(start - 0.05 * grad)};
  const CheckedMode mode{.line_search = "fixed", .safeguard = Safeguard::kOff};
  const Algorithm algorithm =
      make_algorithm(curve.algorithm, {.step_size = curve.gamma, .momentum = 0.8, .beta2 = 0.95});
  Path path = record_path(algorithm, f, pair, mode, kIterations);
  path.insert(path.begin(), pair.x_prev);
  return path;
}

std::string points(const Path& path) {
  std::string text;
  for (const Vector& x : path) fmt::format_to(std::back_inserter(text), "{:.5f} {:.5f}\n", x(0), x(1));
  return text;
}

// f^ on a grid, for the contours.
std::string grid(const Transform& transform) {
  constexpr int kCells = 90;
  Valley valley;
  TransformedObjective f(valley, transform);
  std::string text;
  for (int i = 0; i <= kCells; ++i) {
    for (int j = 0; j <= kCells; ++j) {
      const Vector x{{kHalfWidth * (2.0 * i / kCells - 1.0), kHalfWidth * (2.0 * j / kCells - 1.0)}};
      fmt::format_to(std::back_inserter(text), "{:.4f} {:.4f} {:.5f}\n", x(0), x(1), f.value(x));
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::string landscape_script(const std::string& file) {
  const std::vector<Panel> panels = make_panels();
  std::string text =
      "# One landscape, moved and rotated, with the iterates of heavy-ball and Adam.\n"
      "set terminal svg size 960,400 font 'DejaVu Sans,14' background rgb 'white'\n";
  fmt::format_to(std::back_inserter(text), "set output {}\n", gnuplot_path(file));
  for (std::size_t p = 0; p < panels.size(); ++p) {
    fmt::format_to(std::back_inserter(text), "$grid{} << EOD\n{}EOD\n", p, grid(panels[p].transform));
    for (std::size_t c = 0; c < curves().size(); ++c) {
      // Where an equivariant algorithm would be: the path of the first panel, transformed.
      Path expected = transformed_path(curves()[c], panels.front().transform);
      for (Vector& x : expected) x = panels[p].transform.point(x);
      fmt::format_to(std::back_inserter(text), "$path{0}{1} << EOD\n{2}EOD\n$expected{0}{1} << EOD\n{3}EOD\n", p, c,
                     points(transformed_path(curves()[c], panels[p].transform)), points(expected));
    }
    fmt::format_to(std::back_inserter(text),
                   "set contour base\nunset surface\nset cntrparam levels discrete 0.05,0.2,0.5,1,2,4,8,16,32\n"
                   "set table $contours{0}\nsplot $grid{0} using 1:2:3 notitle\nunset table\n",
                   p);
  }
  fmt::format_to(std::back_inserter(text),
                 "set multiplot\nset border lw 0.8 lc rgb '#999999'\nunset tics\nunset key\n"
                 "set xrange [{0}:{1}]\nset yrange [{0}:{1}]\n",
                 -kHalfWidth, kHalfWidth);
  for (std::size_t p = 0; p < panels.size(); ++p) {
    const double left = 0.0125 + 0.3292 * static_cast<double>(p);
    fmt::format_to(std::back_inserter(text),
                   "set lmargin at screen {:.4f}\nset rmargin at screen {:.4f}\n"
                   "set bmargin at screen 0.14\nset tmargin at screen 0.91\n"
                   "set title '{}' offset 0,-0.5\nplot $contours{} using 1:2 with lines lc rgb '#c4c4c4' lw 1",
                   left, left + 0.3167, panels[p].title, p);
    for (std::size_t c = 0; c < curves().size(); ++c) {
      const CurveStyle& style = curve_style(curves()[c].algorithm);
      fmt::format_to(std::back_inserter(text),
                     ", \\\n  $path{0}{1} with linespoints lc rgb '{2}' lw 2 pt {3} ps 0.5, \\\n"
                     "  $expected{0}{1} with points lc rgb '#000000' lw 0.9 pt 6 ps 0.9",
                     p, c, style.colour, c == 0 ? 7 : 5);
    }
    // The start, on top of everything.
    fmt::format_to(std::back_inserter(text), ", \\\n  $path{}0 every ::0::0 with points lc rgb '#000000' pt 7 ps 0.9\n",
                   p);
  }
  // A legend with places of its own: a key is laid out anew by each terminal.
  text +=
      "unset title\nunset border\nset lmargin at screen 0\nset rmargin at screen 1\n"
      "set bmargin at screen 0\nset tmargin at screen 0.12\nset xrange [0:1]\nset yrange [0:1]\n"
      "$sample0 << EOD\n0.17 0.5\n0.20 0.5\nEOD\n$sample1 << EOD\n0.37 0.5\n0.40 0.5\nEOD\n"
      "$sample2 << EOD\n0.53 0.5\nEOD\n"
      "set label 'heavy-ball' at 0.21,0.5\nset label 'Adam' at 0.41,0.5\n"
      "set label 'iterates of the first panel, transformed' at 0.545,0.5\n";
  fmt::format_to(std::back_inserter(text),
                 "plot $sample0 with linespoints lc rgb '{}' lw 2 pt 7 ps 0.5, \\\n"
                 "  $sample1 with linespoints lc rgb '{}' lw 2 pt 5 ps 0.5, \\\n"
                 "  $sample2 with points lc rgb '#000000' lw 0.9 pt 6 ps 0.9\nunset multiplot\nset output\n",
                 curve_style("heavy-ball").colour, curve_style("adam").colour);
  return text;
}

Error draw_landscape(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  std::string folder = (fs::temp_directory_path(ignored) / "loa-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return path + ": found no temporary folder, expected one that can be written";
  Error error = write_file((fs::path(folder) / "landscape.gp").string(), landscape_script("landscape.svg"));
  std::string said, svg;
  if (!error) {
    switch (draw(folder, "landscape.gp", said)) {
      case Drawing::kDone:
        error = read_file((fs::path(folder) / "landscape.svg").string(), svg);
        break;
      case Drawing::kNoGnuplot:
        error = path + ": no figure was drawn: expected gnuplot, found none";
        break;
      case Drawing::kFailed:
        error = path + ": no figure was drawn: gnuplot says: " + said;
        break;
    }
  }
  fs::remove_all(folder, ignored);
  return error ? error : write_file(path, svg);
}

}  // namespace loa
