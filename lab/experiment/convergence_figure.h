// The picture of a comparison: one panel a problem, the relative gap over the evaluations.
//
// Layer: experiment. The figure is a gnuplot script that reads convergence.csv beside it, and stays there to be
// changed.
#pragma once

#include <string>

#include "experiment/comparison.h"
#include "experiment/gnuplot.h"

namespace loa {

// What is drawn: evaluations, iteration, gap, problem, algorithm of each iterate of start 0. Numbers come first, unlike
// in traces.csv: gnuplot misreads a comma behind a doubled quote in a text.
std::string convergence_csv(const Comparison& comparison);

// Writes convergence.svg and convergence.png when gnuplot runs it in the folder of convergence.csv. The curves are
// those of start 0; the relative gap is (f - reference)/(f(x_0) - reference) with the lowest f so far.
std::string convergence_script(const Comparison& comparison);

}  // namespace loa
