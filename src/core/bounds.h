// The bounds of a run on all coordinates of a slice: linalg/bounds.h has the words.
#pragma once

#include <cstdint>
#include <string>

#include "linalg/bounds.h"
#include "loa/reduction.h"
#include "loa/state.h"

namespace loa {

// What is wrong with bounds on n variables, for a message that begins with what was called; empty: nothing.
std::string mistake_in_bounds(Index n, const Vector& lower, const Vector& upper);

// Whether one of them is finite.
bool has_bound(const Vector& lower, const Vector& upper);

// Moves x inside and returns how many coordinates of this slice moved. NaN stays.
std::int64_t project(const Bounds& bounds, Vector& x);

// What the gradient says at a point, over this slice, in one pass.
struct Judgement {
  // ||x - P(x - g)||_inf. NaN when a coordinate of g is, or where one is infinite that no bound holds.
  double grad_inf_norm = 0.0;
  double num_held = 0.0, free_squares = 0.0;  // see StateValues
};
Judgement judge(const Bounds& bounds, const Vector& x, const Vector& grad, HeldMask& held);
Judgement judge(const Bounds& bounds, const Vector& x, const Vector& grad);

// The first of these, and ||g||_inf without bounds (null).
double projected_inf_norm(const Bounds* bounds, const Vector& x, const Vector& grad);

// How many coordinates of x_k are held, over all slices: those of the state, or counted. REQUIRES: bounds.
double num_held(const State& state);

// v_i = 0 where a bound holds x_i. Without bounds v stays as it is.
void set_held_to_zero(const State& state, Vector& v);

// The free gradient of the state into out.
void free_gradient(const State& state, Vector& out);

// Its norm over all slices; without bounds that of g.
double free_gradient_norm(const State& state);

// Whether a coordinate came to a bound by the last step, on any slice. REQUIRES: x_prev is set.
bool has_arrived(const State& state);

}  // namespace loa
