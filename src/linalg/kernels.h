// The inner loops over matrices and long vectors, compiled for several instruction sets (base/instruction_set.h).
//
// They know arrays of doubles and nothing else. Every set gives the same bits.
#pragma once

#include <cstddef>

namespace loa {

enum class InstructionSet;

// The number of rows in a panel of a symmetric matrix (linalg/dense_inverse_hessian.h).
inline constexpr std::ptrdiff_t kPanel = 8;

// Coordinates of x inside their bounds; a null pointer stands for infinities. What is said of single coordinates is a
// bit, eight of them a byte, the first the lowest: masks.
struct Boxed {
  const double *x, *lower, *upper;
};

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

  // The kernels of bounds (linalg/bounds.h has the words). All begin at the coordinates they are given.

  // out <- P(x + step p), within the rounding of the sum of a bound that bound; the coordinates that p has brought to a
  // bound into the mask. Returns 0, or NaN where a coordinate is not finite.
  double (*bend)(const Boxed& at, const double* p, double step, Size size, double* out, unsigned char* arrived);

  // <p,g> without the coordinates of the mask; no number where one of these has a g that is none, or infinite.
  double (*product_outside)(const double* p, const double* g, const unsigned char* mask, Size size);

  // The coordinates that are held, by which bound; result[0] <- max |x - P(x - g)|, NaN when there is one in g; how
  // many coordinates are held is added to result[1] and the squares of the free gradient to result[2].
  void (*judge)(const Boxed& at, const double* g, Size size, unsigned char* at_lower, unsigned char* at_upper,
                double* result);

  // How many coordinates of x + p are outside.
  double (*num_leaving)(const Boxed& at, const double* p, Size size);

  // Those where one of the columns is not 0.
  void (*nonzero)(const double* const* columns, Size num_columns, Size first, Size last, unsigned char* mask);

  // For linalg/box_step.h, with b = scale diagonal (diagonal null: scale): weights <- b, but 0 on the coordinates of
  // the masks, and of_grad <- weights g.
  struct BoxWeights {
    const double *grad, *diagonal;
    double scale;
    const unsigned char *at_lower, *at_upper;
    double *weights, *of_grad;
  };
  void (*weigh_box)(const BoxWeights& box, Size size);

  // step <- P(of_d + b of_delta_g), and the next A after the one of the masks; the masks of those that came or
  // went. sums <- sums + (their number, <g,step>, <step,step>).
  struct BoxProjection {
    const double *of_d, *of_delta_g, *diagonal;
    double scale;
    const double* grad;
    double* step;
    const unsigned char *at_lower, *at_upper;
    unsigned char *next_at_lower, *next_at_upper, *changed;
  };
  void (*project_box)(const Boxed& at, const BoxProjection& box, Size size, double* sums);

  // Those that are nearer to a bound than `reach` times |x_i - x_prev_i|.
  void (*within_reach)(const Boxed& at, const double* x_prev, double reach, Size size, unsigned char* mask);
};

// Those of instruction_set().
const Kernels& kernels();

// REQUIRES: the machine has the set.
const Kernels& kernels(InstructionSet set);

}  // namespace loa
