// The picture of a comparison: one panel a problem, the relative gap over the evaluations.
//
// Layer: experiment. The figure is a gnuplot script that reads traces.csv beside it, and stays there to be changed.
#pragma once

#include <string>

#include "experiment/comparison.h"
#include "experiment/gnuplot.h"

namespace loa {

// Writes convergence.svg and convergence.png when gnuplot runs it in the folder of traces.csv. The curves are those of
// start 0; the relative gap is (f - reference)/(f(x_0) - reference) with the lowest f so far.
std::string convergence_script(const Comparison& comparison);

}  // namespace loa
