#include "experiment/landscape_figure.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cmath>
#include <filesystem>
#include <iterator>
#include <vector>

#include "base/file.h"
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

struct TransformedPanel {
  std::string title;
  Transform transform;
};

std::vector<TransformedPanel> make_panels() {
  constexpr double kAngle = -M_PI / 4.0;
  const Matrix rotation{{std::cos(kAngle), -std::sin(kAngle)}, {std::sin(kAngle), std::cos(kAngle)}};
  return {{"no transformation", Transform::translation(Vector::Zero(2))},
          {"translation", Transform::translation(Vector{{0.9, -0.8}})},
          {"rotation", Transform::orthogonal(rotation)}};
}

struct Curve {
  std::string algorithm, label;
  double gamma;
  int mark;
};

const std::vector<Curve>& curves() {
  static const std::vector<Curve> all = {{"heavy-ball", "heavy-ball", 0.07, 7}, {"adam", "Adam", 0.25, 5}};
  return all;
}

constexpr std::int64_t kIterations = 25;
constexpr double kHalfWidth = 3.0;  // of the window

// As gnuplot wants it.
std::string line(std::size_t c) { return fmt::format("lc rgb '{}' lw 2", curve_style(curves()[c].algorithm).colour); }
std::string mark(std::size_t c) { return fmt::format("pt {} ps 0.5", curves()[c].mark); }
constexpr char kExpected[] = "lc rgb '#000000' lw 0.9 pt 6 ps 0.9";

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

Figure make_landscape_figure(const std::string& formats) {
  const std::vector<TransformedPanel> panels = make_panels();
  // Contours are made before the first panel, and only once.
  std::string data = "set contour base\nunset surface\nset cntrparam levels discrete 0.05,0.2,0.5,1,2,4,8,16,32\n";
  Layout layout = {.name = "landscape", .formats = formats, .plot_width = 300, .plot_height = 300, .left = 22};
  layout.between = layout.below = 12;
  for (std::size_t p = 0; p < panels.size(); ++p) {
    data += fmt::format(
        "$grid{0} << EOD\n{1}EOD\nset table $contours{0}\nsplot $grid{0} using 1:2:3 notitle\nunset table\n", p,
        grid(panels[p].transform));
    std::vector<std::string> elements = {fmt::format("$contours{} using 1:2 with lines lc rgb '#c4c4c4' lw 1", p)};
    for (std::size_t c = 0; c < curves().size(); ++c) {
      // Where an equivariant algorithm would be: the path of the first panel, transformed.
      Path expected = transformed_path(curves()[c], panels.front().transform);
      for (Vector& x : expected) x = panels[p].transform.point(x);
      data += fmt::format("$path{0}{1} << EOD\n{2}EOD\n$expected{0}{1} << EOD\n{3}EOD\n", p, c,
                          points(transformed_path(curves()[c], panels[p].transform)), points(expected));
      elements.push_back(fmt::format("$path{}{} with linespoints {} {}", p, c, line(c), mark(c)));
      elements.push_back(fmt::format("$expected{}{} with points {}", p, c, kExpected));
    }
    // The start, on top of everything.
    elements.push_back(fmt::format("$path{}0 every ::0::0 with points lc rgb '#000000' pt 7 ps 0.9", p));
    const Axis axis = {-kHalfWidth, kHalfWidth};
    layout.panels.push_back(
        {.title = panels[p].title,
         .x = axis,
         .y = axis,
         .plot = "unset tics\nunset grid\nset border 15 lw 0.8 lc rgb '#999999'\n" + plot_command(elements)});
  }
  layout.prologue = "set datafile separator whitespace\n";
  for (std::size_t c = 0; c < curves().size(); ++c)
    layout.legend.push_back({.label = curves()[c].label, .line = line(c), .point = line(c) + " " + mark(c)});
  layout.legend.push_back({.label = "iterates of the first panel, transformed", .point = kExpected});
  return {.script = data + layout_script(layout)};
}

Error draw_landscape(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  std::string folder = (fs::temp_directory_path(ignored) / "loa-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return path + ": found no temporary folder, expected one that can be written";
  Error error = write_file((fs::path(folder) / "landscape.gp").string(), make_landscape_figure("svg").script);
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
