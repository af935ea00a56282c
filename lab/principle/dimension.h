// Principle 1: the algorithm does not depend on n.
//
// Layer: principle. For every n, theta has the same size p and the input the same number n_i of features. In addition
// n/2 copies of a problem in two unknowns, f(x) = sum_i b(x_{2i-1}, x_{2i}), are one problem in n unknowns, and every
// copy must go the way of the original: a sum where a mean belongs, or any other use of n, shows.
#pragma once

#include "loa/principle.h"

namespace loa {

PrincipleCell check_dimension(const CheckedAlgorithm& algorithm, const PrincipleOptions& options);

}  // namespace loa
