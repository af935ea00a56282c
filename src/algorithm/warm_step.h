// The first step of a warm start, -B g from x_{-1} with the B of another run, and whether that B is any good here.
//
//   refused  B g is not a direction of descent beyond round-off, or the search does not accept the unit step
//   dropped  the step was taken, and what it has found contradicts B
//   kept     otherwise
//
// After a refusal or a drop the run begins at the user's x0 as if it were cold, three evaluations later at most; where
// that is the point of the warm start, after a refusal there, one evaluation later, and after a drop at the end of the
// step with the B that a cold run makes of the pair, no evaluation later.
//
// B promises that the unit step leads to a minimizer, where the gradient vanishes, and that d is B dg. With
// s = <d,dg> it is contradicted if one of the following is not true.
//
//   <g_0, B g_0> <= kLeft <g_{-1}, B g_{-1}>             at most half of the decrement of Newton's method is left
//   log(<dg, B dg> <d, B^{-1} d>/s^2) <= kLeft log(<dg,dg> <d,d>/s^2)     at most half of the error of the identity
//
// The second one is the error of linalg/secant_error.h, which is 0 where B dg is a multiple of d; B^{-1} d is a
// multiple of g_{-1}. Both are ratios without unit, so a warm start is as equivariant as the algorithm. Neither is
// about the scale of B, which the search judges.
//
// With bounds the step is the one to the minimizer of the model inside them (linalg/box_step.h), in both tests: the
// decrement is -<g,p> with that step p, which without bounds is <g,Bg>, and -<g_{-1},p> stands for <d, B^{-1} d>, which
// it is where no coordinate comes to a bound; otherwise it is more, and B has to be that much better.
//
// Measured (bench/series, docs/warm-starts.md): on paths of regressions B is kept in all solves; there the first ratio
// is 0.03 to 0.35 and the second one 0.02 to 0.43. On unrelated problems it is refused or dropped in most of them.
#pragma once

#include <string>

#include "loa/algorithm.h"
#include "loa/line_search.h"
#include "loa/warm_start.h"

namespace loa {

// What is wrong with a warm start for this algorithm and start; empty where nothing is.
std::string mistake_in_warm_start(const Algorithm& algorithm, const WarmStart& warm, const Vector& x0);

enum class WarmStep { kKept, kDropped, kRefused };

// Takes the step and counts what is not kept. kKept: x_{-1}, x_0 and S_0 are in the state. kDropped: x_{-1} and x_0
// are, S_0 is not. kRefused: the state is at x_{-1} as before. REQUIRES: x, f and grad are set; options.warm has a B
// and no mistake.
WarmStep take_warm_step(CountedObjective& f, const Algorithm& algorithm, const LineSearch& line_search,
                        const Options& options, State& state);

// Whether B, in the first kProbation iterations of a warm run, is clearly further from the newest pair than the
// identity. Called when I_k is known; the run then restarts without what B knew. False in every other run, and after a
// step on which a coordinate came to a bound.
bool misleads(const Input& input, const State& state);

// The lowest point that `other` has seen becomes the best one of the state, if it is lower than f there.
void remember_lower(const State& other, State& state);

}  // namespace loa
