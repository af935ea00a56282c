// Would catch: a script that gnuplot refuses or warns of, a format that is not what its name says, labels that break
// quoting, curves that lose their ends, peaks or holes, and axes without tics.
#include "experiment/figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiment/gnuplot.h"
#include "experiment/landscape_figure.h"
#include "experiment/learning_curve.h"
#include "support/run_program.h"

namespace loa {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

const std::vector<std::string>& odd_labels() {
  static const std::vector<std::string> kLabels = {"it's \"quoted\", twice",
                                                   "loa-bfgs:weights=a_b,c^2",
                                                   "\xC3\xBC \xE2\x88\x87 f",
                                                   "back\\slash {brace} @ & <tag> %d",
                                                   "line\nend",
                                                   "\xFF not UTF-8",
                                                   "",
                                                   "bfgs"};
  return kLabels;
}

class Figures : public testing::Test {
 protected:
  // Draws the figure without a word of gnuplot, and returns its SVG.
  std::string drawn(const std::string& name, const Figure& figure) {
    write_text(folder_ / (name + ".gp"), figure.script);
    write_text(folder_ / (name + ".csv"), figure.csv);
    std::string said;
    const Drawing drawing = draw(folder_.string(), name + ".gp", said);
    if (drawing == Drawing::kNoGnuplot) return "";
    EXPECT_EQ(drawing, Drawing::kDone) << said;
    EXPECT_EQ(said, "");
    EXPECT_EQ(read_text(folder_ / (name + ".pdf")).substr(0, 4), "%PDF");
    const std::string svg = read_text(folder_ / (name + ".svg"));
    EXPECT_THAT(svg, HasSubstr("</svg>"));
    // One panel below the other for a telephone.
    const std::string narrow = read_text(folder_ / (name + "-narrow.svg"));
    EXPECT_THAT(narrow, HasSubstr("</svg>"));
    EXPECT_THAT(narrow, HasSubstr("viewBox=\"0 0 340 "));
    return svg;
  }

  void SetUp() override {
    std::string said;
    write_text(folder_ / "nothing.gp", "");
    if (draw(folder_.string(), "nothing.gp", said) == Drawing::kNoGnuplot) GTEST_SKIP() << "gnuplot was not found";
  }

  TemporaryFolder folder_;
};

std::size_t lines(const std::string& text) { return static_cast<std::size_t>(std::ranges::count(text, '\n')); }

TEST_F(Figures, DrawBandsOfOddCurves) {
  BandFigure figure = {.name = "odd"};
  BandPanel odd = {"it's_{odd} \xC3\xBC", {}};
  for (const std::string& label : odd_labels())
    odd.curves.push_back({label, {0, 1, 2, 3}, {1, 0.1, 0.01, 0.001}, {0.5, 0.05, 0, -1}, {2, 0.2, 0.02, kInf}});
  figure.panels = {{"no curve", {}},
                   {"no point", {{"bfgs", {}, {}, {}, {}}}},
                   {"one point", {{"bfgs", {5}, {0.5}, {0.25}, {0.75}}}},
                   {"nothing finite", {{"bfgs", {0, 1, 2}, {kNaN, kInf, -kInf}, {kNaN, kNaN, 0}, {kInf, 1, 0}}}},
                   {"zeros", {{"bfgs", {0, 1, 2}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}}},
                   odd};
  for (const bool log_x : {false, true}) {
    figure.log_x = log_x;
    const std::string svg = drawn("odd", make_band_figure(figure));
    EXPECT_THAT(svg, HasSubstr("loa-bfgs:weights=a_b,c^2"));
    EXPECT_THAT(svg, HasSubstr("no data"));
    EXPECT_THAT(svg, HasSubstr("it's_{odd} \xC3\xBC"));
    EXPECT_THAT(svg, Not(HasSubstr("\xFF")));
  }
}

TEST_F(Figures, DrawNothingAtAll) {
  drawn("a", make_band_figure({.name = "a"}));
  drawn("b", make_pair_figure({.name = "b", .panels = {{"empty", {}, {}}}}));
  drawn("c", make_pair_figure({.name = "c"}));
  drawn("d", make_profile_figure({.name = "d"}));
  drawn("e", make_profile_figure({.name = "e", .panels = {{"empty", "x", {}}, {"empty", "x", {{"bfgs", {}, {}}}}}}));
  drawn("f", make_learning_figure("f", {}));
  drawn("g", make_learning_figure("g", {{.title = "empty"}}));
}

// A machine without a locale: gnuplot by itself would warn of a degree sign.
TEST_F(Figures, NeedNoLocaleOfTheUser) {
  const char* before = std::getenv("LC_ALL");
  const std::string kept = before == nullptr ? "" : before;
  setenv("LC_ALL", "C", 1);
  const std::string svg = drawn("plain", make_band_figure({.name = "plain", .panels = {{"\xC3\xBC", {}}}}));
  if (before == nullptr)
    unsetenv("LC_ALL");
  else
    setenv("LC_ALL", kept.c_str(), 1);
  EXPECT_THAT(svg, HasSubstr("\xC3\xBC"));
}

TEST_F(Figures, NameMayHaveAQuoteAndABlank) {
  drawn("it's 1", make_band_figure({.name = "it's 1", .panels = {{"p", {{"bfgs", {0, 1}, {1, 0.1}, {}, {}}}}}}));
}

TEST_F(Figures, DrawValuesOfAnySize) {
  drawn("huge", make_band_figure({.name = "huge",
                                  .log_x = true,
                                  .panels = {{"p", {{"bfgs", {1e-8, 1, 1e8}, {1e300, 1e-300, 1e12}, {}, {}}}},
                                             {"q", {{"sr1", {7, 7.5}, {3, 2.9}, {}, {}}}},
                                             {"r", {{"sr1", {30000, 40000}, {1e-17, 1e-18}, {}, {}}}}}}));
  drawn("far", make_band_figure({.name = "far", .panels = {{"p", {{"bfgs", {1e6, 2e6}, {1e20, 1e19}, {}, {}}}}}}));
}

TEST_F(Figures, LongCurvesAreThinnedButKeepTheirEndsAndPeaks) {
  BandCurve curve = {.label = "bfgs"};
  for (int i = 0; i <= 100000; ++i) {
    curve.x.push_back(i);
    curve.median.push_back(i == 77777 ? 50.0 : i == 33333 ? 1e-9 : std::exp(-1e-4 * i));
  }
  curve.median[50000] = kNaN;
  for (const bool log_x : {false, true}) {
    const Figure figure = make_band_figure({.name = "long", .log_x = log_x, .panels = {{"p", {curve}}}});
    EXPECT_LE(lines(figure.csv), 502u);
    EXPECT_GE(lines(figure.csv), 120u);
    for (const char* row : {"\n33333,1.0", "\n77777,50,", "\n100000,", "\n50000,nan,"})
      EXPECT_THAT(figure.csv, HasSubstr(row)) << log_x;
    EXPECT_THAT(figure.csv, HasSubstr(log_x ? "\n1,0.999" : "\n0,1,"));
    drawn("long", figure);
  }
}

TEST_F(Figures, ZeroFallsToTheAxisAndAHoleDoesNot) {
  // Strokes in the colour of BFGS: the sample in the legend, and the curve if it leads anywhere.
  const auto is_line = [&](double value) {
    const std::string svg =
        drawn("zero", make_band_figure({.name = "zero", .panels = {{"p", {{"bfgs", {0, 1}, {1, value}, {}, {}}}}}}));
    int num_strokes = 0;
    const std::string path = "<path stroke='rgb(  0, 114, 178)'";
    for (std::size_t at = 0; (at = svg.find(path, at)) != std::string::npos; at += path.size()) {
      const std::size_t first = svg.find("d='M", at) + 3;
      num_strokes += svg.substr(first, svg.find('\'', first) - first).find('L') != std::string::npos;
    }
    return num_strokes == 2;
  };
  EXPECT_TRUE(is_line(0.5));
  EXPECT_TRUE(is_line(0.0));
  EXPECT_TRUE(is_line(-1e-17));
  EXPECT_FALSE(is_line(kInf));
  EXPECT_FALSE(is_line(kNaN));
}

TEST_F(Figures, PairsCountWhoWinsAndKeepFailures) {
  const Figure figure = make_pair_figure({.name = "pairs",
                                          .x_label = "bfgs",
                                          .y_label = "loa-bfgs",
                                          .panels = {{"k = 10", {1, 1, kNaN, 1, 0}, {0.1, kNaN, 0.2, 2, 0}}}});
  EXPECT_THAT(figure.script, HasSubstr("'2 of 4 below, 1 at round-off'"));
  EXPECT_THAT(figure.csv, HasSubstr("1,inf,k = 10\n"));
  EXPECT_THAT(figure.script, HasSubstr("D55E00"));
  const std::string svg = drawn("pairs", figure);
  EXPECT_THAT(svg, HasSubstr("2 of 4 below"));
  // As many dots as count, though a value is not finite, and a ring for each that does not.
  const auto marks = [&](const std::string& kind) {
    std::size_t num = 0;
    for (std::size_t at = 0; (at = svg.find("<use xlink:href='#gpPt" + kind + "' transform", at)) != std::string::npos;
         ++at)
      ++num;
    return num;
  };
  EXPECT_EQ(marks("6"), 4u);
  EXPECT_EQ(marks("5"), 1u);
}

// gnuplot warns of elements without any point.
TEST_F(Figures, PairsOfOneKindAreDrawnAlone) {
  const auto figure_of = [](std::vector<double> x, std::vector<double> y) {
    return make_pair_figure(
        {.name = "alone", .y_label = "loa-bfgs", .panels = {{"k = 10", std::move(x), std::move(y)}}});
  };
  EXPECT_THAT(drawn("alone", figure_of({1, 2}, {1, 1})), HasSubstr("2 of 2 below"));
  EXPECT_THAT(drawn("alone", figure_of({0, 1e-14}, {0, 0})), HasSubstr("0 of 0 below, 2 at round-off"));
}

// The text of a section and its figure count by this.
TEST(PairCounts, LeaveOutWhatBothHaveSolved) {
  const PairCount count = count_pairs({1e-14, 1e-14, 0.5, kNaN, 2, kInf, 1}, {0, 1e-12, kNaN, 0.5, 1, kInf, 1});
  EXPECT_EQ(count.counted, 6u);
  EXPECT_EQ(count.ahead, 3u);
  EXPECT_EQ(count_pairs({1.5}, {1}, 2.0).ahead, 1u);
}

// A training that diverges shows its curve, and one that does not keeps its range.
TEST(LearningFigure, EachPanelShowsItsLines) {
  const std::vector<double> epoch = {1, 2, 3};
  const Figure figure =
      make_learning_figure("x", {{"good", epoch, {0.6, 0.5, 0.4}, {0.6, 0.5, 0.4}, {0.5, 0.4, 0.3}, {0.7, 0.6, 0.5}},
                                 {"bad", epoch, {3, 3, 3}, {3, 3, 3}, {1, 1, 1}, {900, 900, 900}}});
  EXPECT_THAT(figure.script, HasSubstr("set yrange [0:0.8]"));
  EXPECT_THAT(figure.script, HasSubstr("set yrange [0:6]"));
}

TEST_F(Figures, ProfilesJumpWhereTheySay) {
  const Figure figure = make_profile_figure(
      {.name = "profile",
       .panels = {{"p", "tau", {{"bfgs", {1, 1, 2, kInf}, {0.25, 0.5, 0.75, 1}}, {"sr1", {4}, {1}}}}}});
  EXPECT_EQ(figure.csv,
            "x,fraction,panel,curve\n1,0,p,bfgs\n1,0.5,p,bfgs\n2,0.75,p,bfgs\n4.2000000000000002,0.75,p,bfgs\n"
            "1,0,p,sr1\n4,1,p,sr1\n4.2000000000000002,1,p,sr1\n");
  drawn("profile", figure);
}

TEST_F(Figures, DrawLearningCurvesWithHoles) {
  const std::vector<double> epoch = {1, 2, 3}, holes = {kNaN, kInf, 0.5};
  const std::string svg = drawn(
      "learning", make_learning_figure(
                      "learning", {{"a 'start'", epoch, holes, holes, holes, holes}, {"b", {1}, {1}, {1}, {1}, {1}}}));
  EXPECT_THAT(svg, HasSubstr("log 2: BFGS"));
  EXPECT_THAT(svg, HasSubstr("a 'start'"));
}

// The landscape and the curve of one training have the layout of the others, and each format is what its name says.
TEST_F(Figures, DrawTheLandscapeInBothFormats) {
  const std::string svg = drawn("landscape", make_landscape_figure());
  EXPECT_THAT(svg, HasSubstr("iterates of the first panel, transformed"));
}

TEST_F(Figures, DrawOneTrainingFromItsLog) {
  for (const CurveScale scale : {CurveScale::kAroundLogTwo, CurveScale::kLogarithmic, CurveScale::kAgainstBfgs}) {
    const std::string log = std::string(kLearningCurveHeader) +
                            "1,0.7,0.6,0.5,0.9,0.7,1,0,1\n2,inf,0.5,0.3,inf,0.7,1,1,2\n" +
                            "3,0.4,0.3,0.2,0.6,0.4,3,0,3\n";
    write_text(folder_ / "w.csv", log);
    write_text(folder_ / "w.gp", learning_curve_script("elsewhere/w", "a 'preset'", scale));
    std::string said;
    EXPECT_EQ(draw(folder_.string(), "w.gp", said), Drawing::kDone) << said;
    EXPECT_EQ(said, "");
    EXPECT_THAT(read_text(folder_ / "w.svg"), HasSubstr("a 'preset'"));
    EXPECT_EQ(read_text(folder_ / "w.png").rfind("\x89PNG", 0), 0u);
  }
}

TEST_F(Figures, AScriptThatFailsIsReported) {
  write_text(folder_ / "wrong.gp", "set nonsense\n");
  std::string said;
  EXPECT_EQ(draw(folder_.string(), "wrong.gp", said), Drawing::kFailed);
  EXPECT_NE(said, "");
}

TEST(FiguresOfDifferentLengths, AreRefused) {
  EXPECT_THROW(make_band_figure({.name = "x", .panels = {{"p", {{"bfgs", {1, 2}, {1}, {}, {}}}}}}),
               std::invalid_argument);
  EXPECT_THROW(make_pair_figure({.name = "x", .panels = {{"p", {1, 2}, {1}}}}), std::invalid_argument);
  EXPECT_THROW(make_profile_figure({.name = "x", .panels = {{"p", "x", {{"bfgs", {1, 2}, {1}}}}}}),
               std::invalid_argument);
  EXPECT_THROW(make_learning_figure("x", {{.title = "t", .epoch = {1}}}), std::invalid_argument);
}

TEST(FigureCsv, IsTidy) {
  const Figure figure = make_band_figure({.name = "x", .panels = {{"p, q", {{"bfgs", {1, 2}, {1, 0.5}, {}, {}}}}}});
  EXPECT_EQ(figure.csv, "x,median,low,high,panel,curve\n1,1,nan,nan,\"p, q\",bfgs\n2,0.5,nan,nan,\"p, q\",bfgs\n");
}

TEST(Axes, HaveTicsInEveryRange) {
  for (const double low : {1e-16, 1e-3, 0.3, 1.0, 2.1, 30.0, 3e4})
    for (const double factor : {2.0, 9.0, 50.0, 1e3, 1e7, 1e16, 1e40})
      EXPECT_THAT(axis_commands('x', {low, factor * low, true}), HasSubstr(", '")) << low << " " << factor;
  EXPECT_THAT(axis_commands('x', {0, 120}), HasSubstr("set xtics 50 "));
  EXPECT_THAT(axis_commands('y', {0, 1}), HasSubstr("set ytics 0.2 "));
}

}  // namespace
}  // namespace loa
