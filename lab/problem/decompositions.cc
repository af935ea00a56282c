#include "problem/decompositions.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <memory>

namespace loa {

Vector eigenvalues(const Matrix& A) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

Eigensystem eigensystem(const Matrix& A) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(A);
  return {.values = solver.eigenvalues(), .vectors = solver.eigenvectors()};
}

Vector tridiagonal_eigenvalues(const Vector& diagonal, const Vector& off_diagonal) {
  Eigen::SelfAdjointEigenSolver<Matrix> solver;
  solver.computeFromTridiagonal(diagonal, off_diagonal, Eigen::EigenvaluesOnly);
  return solver.eigenvalues();
}

std::function<Vector(const Vector&)> symmetric_solver(const Matrix& A) {
  const auto factors = std::make_shared<const Eigen::LDLT<Matrix>>(A);
  if (factors->info() != Eigen::Success) return {};
  return [factors](const Vector& b) -> Vector { return factors->solve(b); };
}

Matrix orthonormal(const Matrix& A) {
  const Eigen::HouseholderQR<Matrix> qr(A);
  Matrix Q = qr.householderQ() * Matrix::Identity(A.rows(), A.cols());
  for (Index j = 0; j < A.cols(); ++j)
    if (qr.matrixQR()(j, j) < 0.0) Q.col(j) = -Q.col(j);
  return Q;
}

}  // namespace loa
