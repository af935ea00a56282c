// One colour, one dash and one mark an algorithm, the same in every figure.
//
// The colours are those of Okabe and Ito (2008), which stay distinct with any common colour blindness, but for yellow,
// which is darker here to be seen on white; purple and wine were added for the learned baselines, ultramarine and
// magenta for limited memory and self-scaling. Marks tell apart what colours do not: grey from pink, orange from
// yellow. Curves that may coincide (loa-bfgs at its BFGS-like start, and bfgs) differ in their dashes too.
//
// A label may name a variant of an algorithm: `loa-bfgs/paper`, `loa-bfgs:weights=loa-bfgs-paper`. Its curve has the
// hue of the algorithm in another lightness, with another dash and, every other one, a hollow mark.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace loa {

struct CurveStyle {
  std::string_view algorithm;
  std::string_view colour;
  int dash;      // gnuplot's dashtype: 1 solid, 2 dashes, 3 dots, 4 dash-dot, 5 dash-dot-dot
  double width;  // of the line, relative to the ordinary one
  bool on_top;   // drawn after the others
  int mark;      // gnuplot's pointtype: 1 +, 2 x, 3 *, then hollow and filled box, circle, triangle, and so on
};

inline constexpr CurveStyle kCurveStyles[] = {
    {"gradient-descent", "#999999", 1, 1.0, false, 1},
    {"heavy-ball", "#E69F00", 4, 1.0, false, 2},
    {"nesterov", "#D4C400", 1, 1.3, false, 3},
    {"adam", "#CC79A7", 1, 1.0, false, 4},
    {"newton", "#6B4A2B", 4, 1.0, false, 11},
    {"conjugate-gradient", "#56B4E9", 1, 1.0, false, 10},
    {"bfgs", "#0072B2", 1, 1.6, false, 5},
    {"sr1", "#009E73", 1, 1.0, false, 9},
    {"l-bfgs", "#2233EE", 1, 1.0, false, 14},
    {"ss-broyden", "#DD22CC", 1, 1.0, false, 12},
    {"l2l-gd", "#5B2A86", 1, 1.0, false, 13},
    {"rnnprop", "#882255", 1, 1.0, false, 15},
    {"loa-bfgs", "#D55E00", 2, 1.2, true, 7},
    {"loa", "#000000", 1, 1.6, true, 6},
};

// The ways of the experiment `families`, which no figure has beside algorithms: their colours and marks are from above.
inline constexpr CurveStyle kWayStyles[] = {
    {"cold", "#999999", 1, 1.3, false, 1},   {"warm", "#E69F00", 4, 1.0, false, 2},
    {"series", "#0072B2", 1, 1.3, false, 5}, {"trained", "#009E73", 2, 1.0, false, 9},
    {"both", "#D55E00", 2, 1.2, true, 7},
};

// Of an algorithm that has no style of its own.
inline constexpr CurveStyle kOtherCurve = {"", "#000000", 3, 1.0, true, 8};

// The algorithm in a label: what stands before the first ':', '/' or blank.
constexpr std::string_view algorithm_of(std::string_view label) { return label.substr(0, label.find_first_of(":/ ")); }

// The algorithm whose style a label takes. The default of the library, by its name or as auto, and the default under a
// controller are one family in black.
constexpr std::string_view styled_as(std::string_view label) {
  const std::string_view algorithm = algorithm_of(label);
  return algorithm == "auto" || algorithm == "bfgs+d" || algorithm == "l-bfgs+d" ? "loa" : algorithm;
}

constexpr const CurveStyle& curve_style(std::string_view label) {
  for (const CurveStyle& style : kCurveStyles)
    if (style.algorithm == styled_as(label)) return style;
  for (const CurveStyle& style : kWayStyles)
    if (style.algorithm == algorithm_of(label)) return style;
  return kOtherCurve;
}

// The style of one curve among others.
struct LineStyle {
  std::string colour;
  int dash = 1;
  double width = 1.0;
  bool on_top = false;
  int mark = 1;

  bool operator==(const LineStyle&) const = default;
  // As gnuplot wants it, `lc rgb ... dt ... lw ...`. The ordinary width is 2 pixels.
  std::string line() const;
  std::string points() const;  // `lc rgb ... pt ... ps ...`
};

// One a label. Variants of one algorithm differ from each other; one without a suffix has the algorithm's own style,
// and those called after paper, published or quadratics have the same style in every figure unless two want the same.
std::vector<LineStyle> curve_styles(const std::vector<std::string>& labels);

// The curves in the order in which they are drawn.
std::vector<std::size_t> drawing_order(const std::vector<LineStyle>& styles);

}  // namespace loa
