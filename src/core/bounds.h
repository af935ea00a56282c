// The bounds of a run on all coordinates of a slice: linalg/bounds.h has the words.
#pragma once

#include <cstdint>

#include "linalg/bounds.h"
#include "loa/reduction.h"
#include "loa/state.h"

namespace loa {

// Moves x inside and returns how many coordinates of this slice moved. NaN stays.
std::int64_t project(const Bounds& bounds, Vector& x);

// What the gradient says at a point, over this slice, in one pass.
struct Judgement {
  double grad_inf_norm = 0.0;                 // ||x - P(x - g)||_inf; NaN when a coordinate of g is
  double num_held = 0.0, free_squares = 0.0;  // see StateValues
};
Judgement judge(const Bounds& bounds, const Vector& x, const Vector& grad, HeldMask& held);
Judgement judge(const Bounds& bounds, const Vector& x, const Vector& grad);

// ||x - P(x - g)||_inf over this slice, and ||g||_inf without bounds (null). NaN when a coordinate of g is.
double projected_inf_norm(const Bounds* bounds, const Vector& x, const Vector& grad);

// How many coordinates of x_k are held, over all slices: those of the state, or counted. REQUIRES: bounds.
double num_held(const State& state);

// The free gradient of the state into out.
void free_gradient(const State& state, Vector& out);

// Its norm over all slices; without bounds that of g.
double free_gradient_norm(const State& state);

}  // namespace loa
