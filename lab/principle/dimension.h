// Principle 1: the algorithm does not depend on n.
//
// For every n, theta has the same size p and the input the same number n_i of features. In addition n/2 copies of a
// problem in two unknowns, f(x) = sum_i b(x_{2i-1}, x_{2i}), are one problem in n unknowns. Each copy must follow the
// same path as the original; an algorithm that sums where it should average is caught by this.
#pragma once

#include "loa/principle.h"

namespace loa {

// Whether one of them has bounds.
bool have_bounds(const std::vector<CheckedProblem>& problems);

PrincipleCell check_dimension(const CheckedAlgorithm& algorithm, const PrincipleOptions& options);

}  // namespace loa
