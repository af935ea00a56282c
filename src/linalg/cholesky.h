// Cholesky factors A = L L^T of positive definite matrices, the only decomposition that the core needs. Eigen's
// templates for them are long to compile, so they are instantiated in cholesky.cc alone.
#pragma once

#include "loa/vector.h"

namespace loa {

// L into the lower triangle of A; what is above the diagonal stays. Returns false, with A half done, when A is not
// positive definite to working precision. A NaN is no reason for that: look at the result. Allocates nothing.
bool cholesky_in_place(Eigen::Ref<Matrix> A);

// x = L^{-1} x and x = A^{-1} x with L as cholesky_in_place() left it.
void lower_solve_in_place(const Eigen::Ref<const Matrix>& L, Eigen::Ref<Vector> x);
void cholesky_solve_in_place(const Eigen::Ref<const Matrix>& L, Eigen::Ref<Vector> x);

}  // namespace loa
