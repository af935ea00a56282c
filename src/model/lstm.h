// One layer of 20 LSTM units with forget gates (Hochreiter and Schmidhuber 1997; Gers, Schmidhuber and Cummins 2000),
// and its adjoint. With the input u, the old hidden values h and cells c of one coordinate,
//
//   (i, f, o) = sigma(W_u u + W_h h + b)        sigma(t) = 1/(1 + exp(-t))
//           g = tanh(W_u u + W_h h + b)
//          c' = f c + i g
//          h' = o tanh(c')
//
// W_u is 80 x the number of inputs, W_h 80 x 20, b 80 x 1, the rows in the order i, f, g, o.
//
// Coordinates are taken kLanes at a time, and each lane goes through the same operations in the same order: what a
// coordinate gets does not depend on its place, so permuting the coordinates permutes the results bit for bit.
#pragma once

#include <array>

#include "loa/vector.h"

namespace loa {

inline constexpr Index kLanes = 8;  // one AVX-512 register, two AVX ones, four SSE ones
using Lanes = Eigen::Array<double, kLanes, 1>;

inline constexpr std::size_t kLstmUnits = 20;
inline constexpr std::size_t kLstmGates = 4 * kLstmUnits;
using LaneUnits = std::array<Lanes, kLstmUnits>;
using LaneGates = std::array<Lanes, kLstmGates>;

// Vectorized by Eigen, alike in every lane. NaN stays NaN.
Lanes lane_sigmoid(const Lanes& t);
Lanes lane_tanh(const Lanes& t);

// A layer's place in theta, each matrix row by row.
struct LstmWeights {
  const double* input;     // W_u
  const double* hidden;    // W_h
  const double* bias;      // b
  std::size_t num_inputs;  // at most kLstmUnits
};

// What a layer takes and makes.
struct LstmValues {
  LaneUnits u, h_prev, c_prev;  // given; of u the first num_inputs
  LaneGates gates;              // i, f, g, o
  LaneUnits c, tanh_c, h;
};

// The derivatives of a loss by them.
struct LstmAdjoint {
  LaneUnits h, c;    // given
  LaneGates before;  // by the arguments of sigma and tanh
  LaneUnits u, h_prev, c_prev;
};

// Fills gates, c, tanh_c and h.
void lstm_forward(const LstmWeights& weights, LstmValues& values);

// Fills before, u, h_prev and c_prev of the adjoint. REQUIRES: values come from lstm_forward.
void lstm_pullback(const LstmWeights& weights, const LstmValues& values, LstmAdjoint& adjoint);

}  // namespace loa
