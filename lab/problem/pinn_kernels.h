// The inner loops of physics-informed networks, compiled for several instruction sets (base/instruction_set.h).
//
// A block of P points goes through a layer as one matrix, column-major, with a column for each unit and a row for each
// point and each quantity of the Taylor mode (pinn.h): P rows of u, then P of u_x, of u_y and of D u, or those of u
// alone. P is a multiple of 8. Every set gives the same bits.
#pragma once

#include <cstddef>

namespace loa {

enum class InstructionSet;

// out (rows x num_out) = in (rows x num_in) W, W(i, c) = weights[i * step_in + c * step_out], plus bias[c] in the first
// num_biased rows. A backward pass is the same product with the steps exchanged. REQUIRES: rows and num_biased are
// multiples of 16, or num_biased = 0.
struct PinnProduct {
  using Size = std::ptrdiff_t;
  Size rows;
  const double* in;
  Size num_in;
  const double* weights;
  Size step_in, step_out;
  const double* bias;
  Size num_biased;
  double* out;
  Size num_out;
};

// One layer of units on one block: `z` is what goes into tanh, `a` what comes out, `bar` the derivative of the loss by
// `a` on entry and by `z` on return. All have channels * points rows and num_units columns.
struct PinnActivation {
  using Size = std::ptrdiff_t;
  Size points, channels, num_units;  // channels is 1 or 4
  double kappa;                      // D = d^2/dx^2 + kappa d^2/dy^2
  double* z;
  double* a;
  double* bar;
};

struct PinnKernels {
  using Size = std::ptrdiff_t;

  void (*multiply)(const PinnProduct& product);

  // grad[c * num_in + i] += sum_r in(r, i) bar(r, c), and bias_grad[c] += sum of bar(r, c) over r < num_biased. Reads
  // rows, in, num_in, num_biased, out (as bar) and num_out of the product.
  void (*add_gradient)(const PinnProduct& product, double* grad, double* bias_grad);

  // a = tanh(z) with its derivatives; reads z, writes a.
  void (*activate)(const PinnActivation& layer);

  // Reads z, a and bar, writes bar.
  void (*activate_back)(const PinnActivation& layer);

  // out[i] = tanh(in[i]) to 4e-16 of the value. REQUIRES: count is a multiple of 8.
  void (*tanh)(const double* in, Size count, double* out);
};

// Those of instruction_set().
const PinnKernels& pinn_kernels();

// REQUIRES: the machine has the set.
const PinnKernels& pinn_kernels(InstructionSet set);

}  // namespace loa
