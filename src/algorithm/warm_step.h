// The first step of a warm start, -B g from x_{-1} with the B of another run, and whether that B is any good here.
//
//   refused  B g is not a direction of descent beyond round-off, or the search needs more than kWarmTrials trials: the
//            run begins cold, at the same point
//   dropped  the step was taken, and the pair (d, dg) that it brought contradicts B: the run goes on from there with
//            the B of a cold one
//   kept     otherwise
//
// A step by B that is right ends after one trial, and a cold first step takes one or more, so a refusal costs
// kWarmTrials evaluations at most. The pair contradicts B if B is further from the secant equation B dg = d than the
// identity is, whatever the scale of either:
//
//   log(<dg, B dg> <d, B^{-1} d>/s^2) > log(<dg,dg> <d,d>/s^2),   s = <d,dg>
//
// (linalg/secant_error.h). B^{-1} d is a multiple of g_{-1}, and s cancels. Everything is a ratio of quantities of the
// same kind, so a warm start is as equivariant as the algorithm.
#pragma once

#include <string>

#include "loa/algorithm.h"
#include "loa/line_search.h"
#include "loa/warm_start.h"

namespace loa {

inline constexpr int kWarmTrials = 3;

// What is wrong with a warm start for this algorithm and start; empty where nothing is.
std::string mistake_in_warm_start(const Algorithm& algorithm, const WarmStart& warm, const Vector& x0);

// Takes the step: x_{-1} and x_0 and S_0 are in the state. False where the step was refused: the state is at x_{-1}
// as before. REQUIRES: x, f and grad are set; options.warm has a B and no mistake.
bool take_warm_step(CountedObjective& f, const Algorithm& algorithm, const LineSearch& line_search,
                    const Options& options, State& state);

}  // namespace loa
