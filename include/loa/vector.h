// The vector and matrix types of the whole library.
//
// Layer: linalg. A Vector is the local slice of a vector of R^n; in a serial run the slice is the whole vector.
#pragma once

#include <Eigen/Core>

namespace loa {

// Eigen's, so that users bring and get what they know.
using Index = Eigen::Index;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

}  // namespace loa
