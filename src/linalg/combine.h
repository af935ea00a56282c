// The second verb of a pass: a linear combination of vectors on a block of coordinates.
//
// On the way of the default algorithms all work on vectors is inner products, linear combinations and a maximum:
// products, combine and max_abs of linalg/kernels.h. A backend for vectors that live elsewhere is a table of these
// three.
#pragma once

#include <array>
#include <initializer_list>

#include "linalg/kernels.h"
#include "linalg/pass.h"

namespace loa {

// A coefficient and the coordinates of a vector, from the first one of a block on: block.at(v).
struct Term {
  double coefficient;
  const double* v;
};

// out <- c_0 v_0 + c_1 v_1 + ..., added in this order, for `size` coordinates. `out` may be v_0, but none of the
// others. REQUIRES: 1 to 4 terms.
inline void combine(Index size, std::initializer_list<Term> terms, double* out) {
  const Term* const first = terms.begin();
  // A call of the kernel takes as long as this many coordinates (n = 10: an iteration of bfgs takes 0.8 of the time).
  constexpr Index kSmall = 16;
  if (size <= kSmall) {
    for (Index i = 0; i < size; ++i) {
      double sum = first->coefficient * first->v[i];
      for (const Term* term = first + 1; term != terms.end(); ++term) sum += term->coefficient * term->v[i];
      out[i] = sum;
    }
    return;
  }
  constexpr std::size_t kMost = 3;
  std::array<const double*, kMost> columns;
  std::array<double, kMost> coefficients;
  Index num = 0;
  for (const Term* term = first + 1; term != terms.end(); ++term, ++num) {
    columns[static_cast<std::size_t>(num)] = term->v;
    coefficients[static_cast<std::size_t>(num)] = term->coefficient;
  }
  const double* const of_columns = coefficients.data();
  kernels().combine(columns.data(), num, &of_columns, &first->coefficient, &first->v, 1, 0, size, &out);
}

}  // namespace loa
