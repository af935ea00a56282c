// The figures of experiments: gnuplot scripts that read a CSV file beside them, all in the layout of gnuplot.h.
//
// An algorithm has the same colour, dash and mark in every figure (palette.h). Vectors of a curve that differ in length
// are a mistake of the program: std::invalid_argument.
#pragma once

#include <string>
#include <vector>

#include "experiment/gnuplot.h"

namespace loa {

// Quantiles over many runs at common abscissae, which increase. A value that is not finite is a hole in the curve; one
// that is zero or negative (the optimum itself, and round-off around it) lies on the lower end of the axis. On a
// logarithmic abscissa points with x <= 0 are left out. A long curve is thinned to about 500 points, in the CSV too.
struct BandCurve {
  std::string label = {};  // as in the legend; the style is that of the algorithm before the first ':', '/' or blank
  std::vector<double> x = {};                            // iterations or evaluations
  std::vector<double> median = {}, low = {}, high = {};  // low and high may be empty: no band
};

struct BandPanel {
  std::string title = {};
  std::vector<BandCurve> curves = {};
};

struct BandFigure {
  std::string name = {};  // of the files, without extension
  std::string x_label = "iterations";
  std::string y_label = "relative gap";
  bool log_x = false;
  std::vector<BandPanel> panels = {};
  std::string note = "lines: medians; bands: the middle half of the runs";  // below the legend; empty: none
  std::string formats = "svg pdf narrow";
};

// One panel beside the other, a logarithmic ordinate down to where anything was measured (at least 1e-16), medians as
// lines and quantiles as bands with thin edges, one legend for all panels below. More than two bands in a panel mix to
// a grey that says nothing: give low and high to the two curves that a reader compares.
Figure make_band_figure(const BandFigure& figure);

// How often the gap of an algorithm is at most `factor` times that of its rival. Where both are at round-off nobody is
// ahead, and the problem does not count. A gap that is not finite is a failure, and no failure is ahead of another.
struct PairCount {
  std::size_t ahead = 0, counted = 0;
};

// Whether one of the two gaps is above round-off.
bool is_counted(double gap, double of_rival);

// REQUIRES: as many gaps of the one as of the other.
PairCount count_pairs(const std::vector<double>& gaps, const std::vector<double>& of_rival, double factor = 1.0);

// The gap of one algorithm against that of another, one dot a problem, both axes logarithmic with the same range, with
// the diagonal: dots below it are won by the algorithm of the ordinate, and each panel says how many count and are won.
// A gap of zero lies on the lower end of the axis, one that is not finite on the upper end. Pairs that do not count are
// grey rings, and the panel says how many there are.
inline constexpr const char* kPairMarks =
    "A grey ring is a problem that both have solved to round-off, which does not count; what would lie outside of a "
    "panel is drawn on its frame";

struct PairPanel {
  std::string title = {};              // "k = 40"
  std::vector<double> x = {}, y = {};  // one number for each problem
};

struct PairFigure {
  std::string name = {};
  std::string x_label = {}, y_label = {};  // the colour is that of the algorithm with which y_label begins
  std::vector<PairPanel> panels = {};
  double factor = 1;  // of count_pairs()
  std::string formats = "svg pdf narrow";
};

Figure make_pair_figure(const PairFigure& figure);

// Step curves: the fraction of runs solved (ordinate, 0 to 1) within a factor tau of the best (performance profile) or
// within a budget (data profile). The abscissa is logarithmic; jumps at infinity are left out.
struct ProfileCurve {
  std::string label = {};
  std::vector<double> x = {}, fraction = {};  // the curve jumps to fraction[i] at x[i]
};

struct ProfilePanel {
  std::string title = {}, x_label = {};
  std::vector<ProfileCurve> curves = {};
};

struct ProfileFigure {
  std::string name = {};
  std::vector<ProfilePanel> panels = {};
  std::string note = {};  // below the legend; empty: none
  std::string formats = "svg pdf narrow";
};

Figure make_profile_figure(const ProfileFigure& figure);

}  // namespace loa
