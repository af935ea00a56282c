// The scale of the first inverse Hessian (Section 5.2, "Initialization of B_{-1}").
//
//   B_{-1} = 0.8 gamma_BB I,   gamma_BB = <dg, d>/||dg||^2   (Barzilai and Borwein 1988)
//
// It needs no knowledge of f and scales like an inverse Hessian, so Principles 4 and 5 hold from the start.
#pragma once

#include "loa/reduction.h"

namespace loa {

// 0.8 gamma_BB. Not positive or not finite where the pair has no positive curvature: that is for the caller to handle.
double initial_scale(const Vector& d, const Vector& delta_g, const Reduction& reduction = Reduction::serial());

// The same from <dg, d> and ||dg||.
double initial_scale(double delta_g_d, double delta_g_norm);

}  // namespace loa
