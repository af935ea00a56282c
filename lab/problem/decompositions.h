// Decompositions of matrices that the laboratory needs. Eigen's templates for them are long to compile, so they are
// instantiated in decompositions.cc alone; Cholesky factors are in linalg/cholesky.h.
#pragma once

#include <functional>

#include "loa/vector.h"

namespace loa {

// The eigenvalues of a symmetric matrix, of which the lower triangle is read, from the smallest to the largest.
Vector eigenvalues(const Matrix& A);

// The same with eigenvectors, the columns of an orthogonal matrix.
struct Eigensystem {
  Vector values;
  Matrix vectors;
};
Eigensystem eigensystem(const Matrix& A);

// The eigenvalues of a symmetric tridiagonal matrix; `off_diagonal` has one entry fewer than `diagonal`.
Vector tridiagonal_eigenvalues(const Vector& diagonal, const Vector& off_diagonal);

// The function b -> A^{-1} b by A = L D L^T, A symmetric; an empty one when there is no such factorization.
std::function<Vector(const Vector&)> symmetric_solver(const Matrix& A);

// The orthogonal Q of A = Q R with R_jj >= 0, A square. For A with entries N(0, 1) it is uniformly distributed.
Matrix orthonormal(const Matrix& A);

}  // namespace loa
