// How self-scaled methods multiply B before an update, and which member of Broyden's family the update is.
//
// With s = <d,dg>, u = B dg, b = <dg,u>, c = <d, B^{-1} d> for the last step d and the B that made the step, and
// v = d/s - u/b, they take
//
//   B_k = (B - u u^T/b + phi b v v^T)/tau + d d^T/s,
//
// that is the member phi of linalg/broyden.h of B/tau. c/s > 1 says that f curves less along d than B believed. The
// published formulas are in b_k = c/s, h_k = b/s, a_k = h_k b_k - 1 = mu - 1 >= 0 and theta, which is phi for the
// inverses, phi = (1 - theta)/(1 + a theta):
//
//   BFGS      theta = 0,  tau = min(1, 1/b_k)
//   Broyden   rho- = min(1, h_k (1 - sqrt(a/(1 + a)))),  theta- = (rho- - 1)/a,  theta+ = 1/rho-,
//             theta = max(theta-, min(theta+, (1 - b_k)/b_k)),  sigma = 1 + a theta,  r = sigma^{-1/(n-1)},
//             tau = min(r min(1, 1/b_k), sigma)    where theta <= 0,
//             tau = min(1, 1/b_k) min(r, 1/theta)  where theta > 0
//   kBroydenLimit: the same with r = 1, which is the limit for many variables, so that n is not in it
//
// (Urban, Stefanou and Pons, J. Comput. Phys. 523 (2025), 113656, Eqs. (11) and (13) to (23); Al-Baali, Comput. Optim.
// Appl. 9 (1998), 191-203, and Al-Baali, Spedicato and Maggioni, Optim. Methods Softw. 29 (2014), 937-954.) tau never
// exceeds 1: B grows, and the update makes smaller what is too large. sigma >= rho- > 0 keeps B_k positive definite.
// theta is in (-1, 1]: where c < s/2 rho- = 1 and theta = 1, DFP. So where s > c, Broyden's tau is r, which tends to 1
// with n, and his member alone makes the difference.
#pragma once

#include "loa/vector.h"

namespace loa {

// 1/tau times B, then the member phi of Broyden's family.
struct SelfScaling {
  double tau = 1.0;
  double phi = 1.0;  // 1: BFGS
};

enum class SelfScalingRule { kBfgs, kBroyden, kBroydenLimit };

struct Curvatures {
  double s, b, c;
};

// Without unit: s, b and c have one unit, and ratios are taken first. No scaling and BFGS where one of them is not
// positive and finite, as c is not in the first iteration. n is the number of variables.
SelfScaling self_scaling(SelfScalingRule rule, const Curvatures& curvatures, Index n);

}  // namespace loa
