// One colour and one dash an algorithm, the same in every figure.
//
// Layer: experiment. The colours are those of Okabe and Ito (2008), which stay distinct with any common colour
// blindness. Curves that may coincide (loa-bfgs at its BFGS-like start, and bfgs) differ in their dashes too.
#pragma once

#include <string_view>

namespace loa {

struct CurveStyle {
  std::string_view algorithm;
  std::string_view colour;
  int dash;      // gnuplot's dashtype: 1 solid, 2 dashes, 3 dots, 4 dash-dot
  double width;  // of the line, relative to the ordinary one
  bool on_top;   // drawn after the others
};

inline constexpr CurveStyle kCurveStyles[] = {
    {"gradient-descent", "#999999", 1, 1.0, false},
    {"heavy-ball", "#E69F00", 4, 1.0, false},
    {"nesterov", "#F0E442", 1, 1.6, false},
    {"adam", "#CC79A7", 1, 1.0, false},
    {"newton", "#000000", 4, 1.0, false},
    {"conjugate-gradient", "#56B4E9", 1, 1.0, false},
    {"bfgs", "#0072B2", 1, 1.6, false},
    {"sr1", "#009E73", 1, 1.0, false},
    {"loa-bfgs", "#D55E00", 2, 1.2, true},
};

// Of an algorithm that has no style of its own.
inline constexpr CurveStyle kOtherCurve = {"", "#000000", 3, 1.0, true};

constexpr const CurveStyle& curve_style(std::string_view algorithm) {
  for (const CurveStyle& style : kCurveStyles)
    if (style.algorithm == algorithm) return style;
  return kOtherCurve;
}

}  // namespace loa
