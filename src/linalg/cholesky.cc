#include "linalg/cholesky.h"

#include <Eigen/Cholesky>

namespace loa {

bool cholesky_in_place(Eigen::Ref<Matrix> A) { return Eigen::LLT<Eigen::Ref<Matrix>>(A).info() == Eigen::Success; }

void lower_solve_in_place(const Eigen::Ref<const Matrix>& L, Eigen::Ref<Vector> x) {
  L.triangularView<Eigen::Lower>().solveInPlace(x);
}

void cholesky_solve_in_place(const Eigen::Ref<const Matrix>& L, Eigen::Ref<Vector> x) {
  lower_solve_in_place(L, x);
  L.adjoint().triangularView<Eigen::Upper>().solveInPlace(x);
}

}  // namespace loa
