// The inner loops over matrices and long vectors, compiled for several instruction sets (base/instruction_set.h).
//
// They know arrays of doubles and nothing else. Every set gives the same bits.
#pragma once

#include <cstddef>

namespace loa {

enum class InstructionSet;

// The number of rows in a panel of a symmetric matrix (linalg/dense_inverse_hessian.h).
inline constexpr std::ptrdiff_t kPanel = 8;

struct Kernels {
  using Size = std::ptrdiff_t;

  // For the panels [first, last) of a symmetric matrix B, the first of which is at `panels`:
  //   B <- B + u z^T + z u^T  (unless u is null),   then   out <- out + (what these panels hold of B) v.
  // u, z, v and out have kPanel * last values.
  void (*sweep)(double* panels, Size first, Size last, const double* u, const double* z, const double* v, double* out);

  // sums[i * num_v + j] += <columns[i], v[j]> over the coordinates [first, last), for num_v = 1 or 2.
  void (*products)(const double* const* columns, Size num_columns, const double* const* v, Size num_v, Size first,
                   Size last, double* sums);

  // out[j] <- start[j] v[j] + sum_i coefficients[j][i] columns[i] over the coordinates [first, last), for num_v = 1 or
  // 2. out[j] may be v[j], but no column.
  void (*combine)(const double* const* columns, Size num_columns, const double* const* coefficients,
                  const double* start, const double* const* v, Size num_v, Size first, Size last, double* const* out);

  // out_i <- <row i, x> for the rows of a dense matrix that lie one after the other, `cols` numbers each.
  void (*multiply_rows)(const double* a, Size rows, Size cols, const double* x, double* out);

  // out <- out + sum_i c_i (row i) for such a matrix.
  void (*add_rows)(const double* a, Size rows, Size cols, const double* c, double* out);

  // out <- ((a + offset)/(b + offset))^exponent, coordinate by coordinate over [first, last), to 1e-13.
  // REQUIRES: the quotients are positive and normal, |exponent| <= 1. What is NaN stays NaN.
  void (*ratio_powers)(const double* a, const double* b, double offset, double exponent, Size first, Size last,
                       double* out);

  // out[i stride + k] <- factors[k] columns[i][k] for k < size.
  void (*scale_columns)(const double* const* columns, Size num_columns, const double* factors, Size size, double* out,
                        Size stride);

  // max |a_i|; 0 when n = 0, NaN when there is one.
  double (*max_abs)(const double* a, Size n);
};

// Those of instruction_set().
const Kernels& kernels();

// REQUIRES: the machine has the set.
const Kernels& kernels(InstructionSet set);

}  // namespace loa
