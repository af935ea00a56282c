// The rank-two term of the general secant update (Eq. (6), eq::genBFGSupdate), forward and adjoint.
//
//   B_k = B_{k-1} + u z^T + z u^T,   z = y/<dg,y>,   u = r - <dg,r>/2 z,   r = d - B_{k-1} dg
//
// All vectors have length n.
#pragma once

#include "loa/inverse_hessian.h"

namespace loa {

struct SecantTerm {
  Vector u, z;
};

void make_secant_term(const SecantPair& pair, SecantTerm& term);
void make_secant_term(const SecantPair& pair, Eigen::Ref<Vector> u, Eigen::Ref<Vector> z);

// The derivatives of a loss by the four vectors of a SecantPair.
struct SecantPairAdjoint {
  Vector d, delta_g, B_delta_g, y;
};

// Sets `adjoint` from d_term, the loss's derivatives by u and z. REQUIRES: term = make_secant_term(pair).
void secant_term_pullback(const SecantPair& pair, const SecantTerm& term, const SecantTerm& d_term,
                          SecantPairAdjoint& adjoint);

// out += (u z^T + z u^T) v.
void add_term_product(const SecantTerm& term, const Vector& v, Vector& out);

// Adds to d_term and d_v what d_out, the derivative by the product, says about them.
void term_product_pullback(const SecantTerm& term, const Vector& v, const Vector& d_out, SecantTerm& d_term,
                           Vector& d_v);

}  // namespace loa
