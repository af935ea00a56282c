// The vector and matrix types of the whole library.
//
// Layer: linalg. A Vector is the local slice of a vector of R^n; in a serial run the slice is the whole vector.
#pragma once

// One alignment on both sides of the interface. Eigen derives it from the flags of each compiler (-march, sanitizers),
// so that a program compiled for AVX would free what a library compiled without it has allocated.
#ifndef EIGEN_MAX_ALIGN_BYTES
#define EIGEN_MAX_ALIGN_BYTES 64
#endif
#include <Eigen/Core>
#if EIGEN_MAX_ALIGN_BYTES != 64
#error "include loa before Eigen, or compile with -DEIGEN_MAX_ALIGN_BYTES=64 as loa::loa and pkg-config do"
#endif

namespace loa {

// Eigen's, so that users bring and get what they know.
using Index = Eigen::Index;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

}  // namespace loa
