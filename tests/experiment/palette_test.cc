#include "experiment/palette.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace loa {
namespace {

using Colour = std::array<double, 3>;

Colour linear(std::string_view hex) {
  Colour out = {};
  for (std::size_t i = 0; i < 3; ++i) {
    const double c = std::stoi(std::string(hex.substr(1 + 2 * i, 2)), nullptr, 16) / 255.0;
    out[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  }
  return out;
}

Colour times(const std::array<Colour, 3>& matrix, const Colour& v) {
  Colour out = {};
  for (std::size_t i = 0; i < 3; ++i) out[i] = matrix[i][0] * v[0] + matrix[i][1] * v[1] + matrix[i][2] * v[2];
  return out;
}

// Oklab (Ottosson 2020): Euclidean distances are about what the eye sees, black to white is 1.
Colour oklab(const Colour& rgb) {
  Colour lms = times({{{0.4122214708, 0.5363325363, 0.0514459929},
                       {0.2119034982, 0.6806995451, 0.1073969566},
                       {0.0883024619, 0.2817188376, 0.6299787005}}},
                     rgb);
  for (double& c : lms) c = std::cbrt(std::max(c, 0.0));
  return times({{{0.2104542553, 0.7936177850, -0.0040720468},
                 {1.9779984951, -2.4285922050, 0.4505937099},
                 {0.0259040371, 0.7827717662, -0.8086757660}}},
               lms);
}

// The smallest distance over full colour vision and the three dichromacies as simulated by Machado et al. (2009).
double distance(std::string_view a, std::string_view b) {
  const std::array<std::array<Colour, 3>, 4> kVisions = {
      {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
       {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
       {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
       {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}}};
  double smallest = 1e9;
  for (const auto& vision : kVisions) {
    const Colour u = oklab(times(vision, linear(a))), v = oklab(times(vision, linear(b)));
    smallest = std::min(smallest, std::hypot(u[0] - v[0], u[1] - v[1], u[2] - v[2]));
  }
  return smallest;
}

double luminance(std::string_view hex) {
  const Colour c = linear(hex);
  return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
}

const std::vector<std::string>& labels() {
  static const std::vector<std::string> kLabels = {"gradient-descent",
                                                   "nesterov",
                                                   "heavy-ball",
                                                   "newton",
                                                   "bfgs",
                                                   "sr1",
                                                   "l2l-gd/own",
                                                   "l2l-gd/quadratics",
                                                   "rnnprop/own",
                                                   "rnnprop/quadratics",
                                                   "loa-bfgs",
                                                   "loa-bfgs/paper",
                                                   "loa-bfgs/published"};
  return kLabels;
}

TEST(Palette, EveryAlgorithmHasAMarkOfItsOwn) {
  std::set<int> marks = {kOtherCurve.mark};
  for (const CurveStyle& style : kCurveStyles) EXPECT_TRUE(marks.insert(style.mark).second) << style.algorithm;
}

TEST(Palette, ColoursStayDistinctWithColourBlindness) {
  for (const CurveStyle& a : kCurveStyles) {
    for (const CurveStyle& b : kCurveStyles) {
      if (&a >= &b) continue;
      // Grey and pink are the one weak pair: 0.019 to a deuteranope, told apart by their marks.
      const bool weak = a.algorithm == "gradient-descent" && b.algorithm == "adam";
      EXPECT_GT(distance(a.colour, b.colour), weak ? 0.01 : 0.05) << a.algorithm << " and " << b.algorithm;
    }
  }
}

TEST(Palette, WaysHaveColoursOfAlgorithmsAndDiffer) {
  std::set<std::string_view> colours;
  for (const CurveStyle& way : kWayStyles) {
    const auto same = [&](const CurveStyle& style) { return style.colour == way.colour && style.mark == way.mark; };
    EXPECT_TRUE(std::any_of(std::begin(kCurveStyles), std::end(kCurveStyles), same)) << way.algorithm;
    EXPECT_TRUE(colours.insert(way.colour).second) << way.algorithm;
  }
  EXPECT_EQ(curve_styles({"warm x"})[0].colour, "#E69F00");
}

TEST(Palette, ThirteenCurvesAreAllDifferent) {
  const std::vector<LineStyle> styles = curve_styles(labels());
  ASSERT_EQ(styles.size(), labels().size());
  for (std::size_t i = 0; i < styles.size(); ++i) {
    EXPECT_LT(luminance(styles[i].colour), 0.6) << labels()[i] << " cannot be seen on white";
    for (std::size_t j = 0; j < i; ++j) {
      // A lighter vermilion comes close to orange; then both the dash and the mark are others.
      const bool differ_in_both = styles[i].dash != styles[j].dash && styles[i].mark != styles[j].mark;
      EXPECT_TRUE(distance(styles[i].colour, styles[j].colour) > 0.03 || differ_in_both)
          << labels()[i] << " and " << labels()[j];
      EXPECT_FALSE(styles[i].dash == styles[j].dash && styles[i].mark == styles[j].mark);
    }
  }
}

TEST(Palette, AnAlgorithmLooksTheSameInEveryFigure) {
  const std::vector<LineStyle> all = curve_styles(labels());
  EXPECT_EQ(curve_styles({"loa-bfgs/published", "bfgs"})[0], all[12]);
  EXPECT_EQ(curve_styles({"loa-bfgs/published", "bfgs"})[1], all[4]);
  EXPECT_EQ(curve_styles({"loa-bfgs:weights=loa-bfgs-paper"})[0], all[11]);
  EXPECT_EQ(curve_styles({"l2l-gd/quadratics"})[0], all[7]);
  EXPECT_EQ(curve_styles({"loa-bfgs"})[0].colour, "#D55E00");
}

TEST(Palette, VariantsDifferAlsoWhenTheyWantTheSame) {
  std::vector<std::string> many = {"loa-bfgs/paper", "loa-bfgs:weights=loa-bfgs-paper"};
  for (int i = 0; i < 10; ++i) many.push_back("loa-bfgs/" + std::to_string(i));
  for (int i = 0; i < 4; ++i) many.push_back("unheard-of-" + std::to_string(i));
  const std::vector<LineStyle> styles = curve_styles(many);
  for (std::size_t i = 0; i < styles.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(styles[i] == styles[j]) << many[i] << " and " << many[j];
}

TEST(Palette, LoaIsDrawnOnTop) {
  EXPECT_EQ(drawing_order(curve_styles({"loa-bfgs", "bfgs", "loa-bfgs/paper", "sr1"})),
            (std::vector<std::size_t>{1, 3, 0, 2}));
}

}  // namespace
}  // namespace loa
