// A quadratic model of f made of secant pairs, as vectors and small matrices: what an operator made of pairs is, laid
// open for those who need the model on some of the coordinates (linalg/box_step.h).
//
// B_k is unit times the inverse Hessian that num BFGS updates make of B_0 = scale D', by the pairs s_j = sum_i C_ij
// d_i, y_j = sum_i C_ij dg_i, oldest first; C is I where pairs are not conjugated.
#pragma once

#include <vector>

#include "loa/vector.h"

namespace loa {

struct PairModel {
  std::vector<const double*> d, delta_g;  // oldest first
  std::vector<double> d_grad;             // <d_j, grad> over all slices
  Matrix C;                               // num x num, in the upper left corner
  Matrix products;                        // (i, j), i <= j: <s_i, y_j> over all slices, those on the diagonal positive
  const double* diagonal = nullptr;       // D'; null: I
  const unsigned char* moved =
      nullptr;  // mask of the coordinates where a d_j is not 0 (linalg/kernels.h); null: all may
  double scale = 1.0, unit = 1.0;

  Index num() const { return static_cast<Index>(d.size()); }

  // All memory for so many pairs is taken here.
  void reserve(Index num) {
    d.reserve(static_cast<std::size_t>(num));
    delta_g.reserve(static_cast<std::size_t>(num));
    d_grad.reserve(static_cast<std::size_t>(num));
    C.resize(num, num);
    products.resize(num, num);
  }
};

}  // namespace loa
