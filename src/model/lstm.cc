#include "model/lstm.h"

namespace loa {
namespace {

constexpr std::size_t kI = 0, kF = kLstmUnits, kG = 2 * kLstmUnits, kO = 3 * kLstmUnits;

// Eigen's packet exp may lose a NaN where it clamps its argument.
Lanes keep_nan(const Lanes& t, const Lanes& value) { return (t == t).select(value, t); }

}  // namespace

Lanes lane_sigmoid(const Lanes& t) { return keep_nan(t, 1.0 / (1.0 + (-t).exp())); }

// Exact to an ulp of 1, which is enough for values that are added to numbers of size 1.
Lanes lane_tanh(const Lanes& t) { return keep_nan(t, 1.0 - 2.0 / (1.0 + (2.0 * t).exp())); }

void lstm_forward(const LstmWeights& weights, LstmValues& v) {
  for (std::size_t row = 0; row < kLstmGates; ++row) {
    const double* W_u = weights.input + row * weights.num_inputs;
    const double* W_h = weights.hidden + row * kLstmUnits;
    Lanes sum = Lanes::Constant(weights.bias[row]);
    for (std::size_t col = 0; col < weights.num_inputs; ++col) sum += W_u[col] * v.u[col];
    for (std::size_t col = 0; col < kLstmUnits; ++col) sum += W_h[col] * v.h_prev[col];
    v.gates[row] = row >= kG && row < kO ? lane_tanh(sum) : lane_sigmoid(sum);
  }
  for (std::size_t unit = 0; unit < kLstmUnits; ++unit) {
    v.c[unit] = v.gates[kF + unit] * v.c_prev[unit] + v.gates[kI + unit] * v.gates[kG + unit];
    v.tanh_c[unit] = lane_tanh(v.c[unit]);
    v.h[unit] = v.gates[kO + unit] * v.tanh_c[unit];
  }
}

void lstm_pullback(const LstmWeights& weights, const LstmValues& v, LstmAdjoint& d) {
  for (std::size_t unit = 0; unit < kLstmUnits; ++unit) {
    const Lanes &i = v.gates[kI + unit], &f = v.gates[kF + unit], &g = v.gates[kG + unit], &o = v.gates[kO + unit];
    const Lanes d_c = d.c[unit] + d.h[unit] * o * (1.0 - v.tanh_c[unit].square());
    d.before[kI + unit] = d_c * g * i * (1.0 - i);
    d.before[kF + unit] = d_c * v.c_prev[unit] * f * (1.0 - f);
    d.before[kG + unit] = d_c * i * (1.0 - g.square());
    d.before[kO + unit] = d.h[unit] * v.tanh_c[unit] * o * (1.0 - o);
    d.c_prev[unit] = d_c * f;
  }
  for (std::size_t col = 0; col < kLstmUnits; ++col) {
    d.u[col].setZero();
    d.h_prev[col].setZero();
  }
  for (std::size_t row = 0; row < kLstmGates; ++row) {
    const double* W_u = weights.input + row * weights.num_inputs;
    const double* W_h = weights.hidden + row * kLstmUnits;
    for (std::size_t col = 0; col < weights.num_inputs; ++col) d.u[col] += W_u[col] * d.before[row];
    for (std::size_t col = 0; col < kLstmUnits; ++col) d.h_prev[col] += W_h[col] * d.before[row];
  }
}

}  // namespace loa
