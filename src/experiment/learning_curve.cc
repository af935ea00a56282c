#include "experiment/learning_curve.h"

#include <fmt/format.h>

#include <filesystem>

namespace loa {
namespace {

struct Words {
  const char *epoch, *loss, *range, *band, *middle, *test, *level;
};

Words words(CurveScale scale) {
  if (scale == CurveScale::kAgainstBfgs)
    return {"generation",
            "mean log(evaluations/evaluations of BFGS)",
            "set autoscale y",
            "samples",
            "median sample",
            "mean, on families left out",
            ", \\\n       0 with lines dt 2 lc rgb '#000000' title '0: BFGS'"};
  const bool around_log_two = scale == CurveScale::kAroundLogTwo;
  return {"epoch",
          "loss",
          around_log_two ? "set yrange [0:1]" : "set logscale y",
          "stochastic loss",
          "mean over the epoch",
          "test loss",
          around_log_two ? ", \\\n       log(2) with lines dt 2 lc rgb '#000000' title 'log 2: BFGS'" : ""};
}

}  // namespace

std::string learning_curve_script(const std::string& out, const std::string& title, CurveScale scale) {
  const Words text = words(scale);
  std::string name = std::filesystem::path(out).filename().string();
  for (std::size_t at = 0; (at = name.find('\'', at)) != std::string::npos; at += 2) name.insert(at, "'");
  return fmt::format(
      R"(# The learning curve, from {0}.csv. Run by `gnuplot {0}.gp` in this folder.
set datafile separator ','
set datafile missing 'inf'
set xlabel '{4}'
set ylabel '{5}'
{2}
set grid lc rgb '#dddddd'
set border 3
set tics nomirror
set key below horizontal
set style fill transparent solid 0.25 noborder
do for [kind in 'svg png'] {{
  if (kind eq 'svg') {{ set terminal svg size 720,420 font 'sans,13' background rgb 'white' }}
  if (kind eq 'png') {{ set terminal pngcairo size 1440,840 font 'sans,22' background rgb 'white' }}
  set output '{0}.'.kind
  plot '{0}.csv' skip 1 using 1:4:5 with filledcurves lc rgb '#0072B2' title '{6} ({1})', \
       '' skip 1 using 1:2 with lines lw 2 lc rgb '#0072B2' title '{7}', \
       '' skip 1 using 1:3 with lines lw 2 lc rgb '#D55E00' title '{8}'{3}
}}
)",
      name, title, text.range, text.level, text.epoch, text.loss, text.band, text.middle, text.test);
}

}  // namespace loa
