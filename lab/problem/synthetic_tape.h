// Var, a number that remembers how it was made: reverse-mode automatic differentiation.
//
//   forward    v_i = phi_i(v_l, v_r), with d_l = dphi_i/dv_l and d_r = dphi_i/dv_r kept beside it
//   backward   bar_l += d_l bar_i,  bar_r += d_r bar_i,  i from the last to the first, bar_last = 1
//
// so that a gradient costs a small multiple of the value, whatever n is. A linear form sum_j a_j v_{l+j} is one entry.
// The value part does the very operations that plain doubles would do: f has the same bits with and without gradient.
// Griewank and Walther, "Evaluating Derivatives", 2nd ed., chapter 3.2.
//
// Only what the synthetic families need is defined here.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "loa/objective.h"

namespace loa::synthetic {

class Tape;

// A constant when `tape` is null. Slot 0 of a tape is a sink: what flows into it belongs to constants.
struct Var {
  Var() = default;
  Var(double value) : a(value) {}  // NOLINT: a constant is a Var
  Var(double value, std::uint32_t index, Tape* owner) : a(value), slot(index), tape(owner) {}

  double a = 0.0;
  std::uint32_t slot = 0;
  Tape* tape = nullptr;
};

// sum_j a_j v_j in four interleaved sums, so that it can be vectorized without a licence to reorder.
inline double dot(const double* a, const double* v, Index count) {
  double sum[4] = {};
  Index j = 0;
  for (; j + 4 <= count; j += 4) {
    for (Index k = 0; k < 4; ++k) sum[k] += a[j + k] * v[j + k];
  }
  for (; j < count; ++j) sum[0] += a[j] * v[j];
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

// The record of one evaluation. Grows in the first evaluation and allocates nothing in later ones of the same length.
class Tape {
 public:
  // Forgets everything and makes the slots 1 to n the inputs.
  void begin(const double* x, Index n, Var* inputs) {
    size_ = 1;
    for (Index j = 0; j < n; ++j) inputs[j] = push(x[j], {});
  }

  // The gradient of `result` with respect to the n inputs.
  void gradient(const Var& result, Index n, double* grad) {
    adjoint_.resize(nodes_.size());
    std::fill_n(adjoint_.begin(), size_, 0.0);
    adjoint_[result.slot] = 1.0;
    for (std::size_t i = size_ - 1; i > static_cast<std::size_t>(n); --i) {
      const Node& node = nodes_[i];
      const double bar = adjoint_[i];
      if (node.coefficients == nullptr) {
        adjoint_[node.left] += node.d_left * bar;
        adjoint_[node.right] += node.d_right * bar;
      } else {
        double* to = &adjoint_[node.left];
        for (std::uint32_t j = 0; j < node.right; ++j) to[j] += node.coefficients[j] * bar;
      }
    }
    std::copy_n(adjoint_.begin() + 1, n, grad);
  }

  Var unary(double value, const Var& x, double slope) { return push(value, {.left = x.slot, .d_left = slope}); }
  Var binary(double value, const Var& x, double d_x, const Var& y, double d_y) {
    return push(value, {.left = x.slot, .right = y.slot, .d_left = d_x, .d_right = d_y});
  }
  // REQUIRES: `first` and the count - 1 slots after it are on the tape; a lives until gradient().
  Var linear(const double* a, const Var& first, Index count) {
    return push(dot(a, &values_[first.slot], count),
                {.left = first.slot, .right = static_cast<std::uint32_t>(count), .coefficients = a});
  }

 private:
  struct Node {
    std::uint32_t left = 0, right = 0;     // right is the count of a linear form
    double d_left = 0.0, d_right = 0.0;    // the partial derivatives
    const double* coefficients = nullptr;  // of a linear form
  };

  Var push(double value, const Node& node) {
    if (size_ >= nodes_.size()) grow();
    nodes_[size_] = node;
    values_[size_] = value;
    return {value, static_cast<std::uint32_t>(size_++), this};
  }

  void grow() {
    nodes_.resize(2 * nodes_.size() + 64);
    values_.resize(nodes_.size());
  }

  std::size_t size_ = 1;
  std::vector<Node> nodes_;
  std::vector<double> values_, adjoint_;
};

// phi(x) from its value and slope.
inline Var chain(const Var& x, double value, double slope) {
  return x.tape == nullptr ? Var(value) : x.tape->unary(value, x, slope);
}

inline Var chain(const Var& x, const Var& y, double value, double d_x, double d_y) {
  if (x.tape == nullptr) return chain(y, value, d_y);
  if (y.tape == nullptr) return chain(x, value, d_x);
  return x.tape->binary(value, x, d_x, y, d_y);
}

inline Var operator+(const Var& x, const Var& y) { return chain(x, y, x.a + y.a, 1.0, 1.0); }
inline Var operator-(const Var& x, const Var& y) { return chain(x, y, x.a - y.a, 1.0, -1.0); }
inline Var operator*(const Var& x, const Var& y) { return chain(x, y, x.a * y.a, y.a, x.a); }
inline Var operator/(const Var& x, const Var& y) {
  const double quotient = x.a / y.a;
  return chain(x, y, quotient, 1.0 / y.a, -quotient / y.a);
}
inline Var operator-(const Var& x) { return chain(x, -x.a, -1.0); }
inline Var operator+(const Var& x, double c) { return chain(x, x.a + c, 1.0); }
inline Var operator+(double c, const Var& x) { return chain(x, c + x.a, 1.0); }
inline Var operator-(const Var& x, double c) { return chain(x, x.a - c, 1.0); }
inline Var operator-(double c, const Var& x) { return chain(x, c - x.a, -1.0); }
inline Var operator*(const Var& x, double c) { return chain(x, x.a * c, c); }
inline Var operator*(double c, const Var& x) { return chain(x, c * x.a, c); }
inline Var operator/(const Var& x, double c) { return chain(x, x.a / c, 1.0 / c); }
inline Var operator/(double c, const Var& x) { return chain(x, c / x.a, -c / (x.a * x.a)); }
inline Var& operator+=(Var& x, const Var& y) { return x = x + y; }
inline Var& operator+=(Var& x, double c) { return x = x + c; }
inline Var& operator-=(Var& x, const Var& y) { return x = x - y; }
inline Var& operator*=(Var& x, const Var& y) { return x = x * y; }

// The plain number inside, for branches.
inline double primal(double x) { return x; }
inline double primal(const Var& x) { return x.a; }

inline Var dot(const double* a, const Var* v, Index count) { return v[0].tape->linear(a, v[0], count); }

// Functions of one number, each with its slope. The plain ones are std's.
using std::atan, std::cos, std::exp, std::log, std::log1p, std::pow, std::sin, std::sqrt, std::tanh;

inline double square(double t) { return t * t; }
inline double sigmoid(double t) { return t >= 0.0 ? 1.0 / (1.0 + exp(-t)) : exp(t) / (1.0 + exp(t)); }
inline double softplus(double t) { return t > 0.0 ? t + log1p(exp(-t)) : log1p(exp(t)); }  // log(1 + e^t)
inline double log_cosh(double t) { return std::abs(t) + log1p(exp(-2.0 * std::abs(t))) - 0.69314718055994530942; }
inline double hypot1(double t) { return sqrt(1.0 + t * t); }

inline Var square(const Var& x) { return chain(x, square(x.a), 2.0 * x.a); }
inline Var exp(const Var& x) {
  const double y = exp(x.a);
  return chain(x, y, y);
}
inline Var log(const Var& x) { return chain(x, log(x.a), 1.0 / x.a); }
inline Var log1p(const Var& x) { return chain(x, log1p(x.a), 1.0 / (1.0 + x.a)); }
inline Var sqrt(const Var& x) {
  const double y = sqrt(x.a);
  return chain(x, y, 0.5 / y);
}
inline Var sin(const Var& x) { return chain(x, sin(x.a), cos(x.a)); }
inline Var cos(const Var& x) { return chain(x, cos(x.a), -sin(x.a)); }
inline Var atan(const Var& x) { return chain(x, atan(x.a), 1.0 / (1.0 + x.a * x.a)); }
inline Var tanh(const Var& x) {
  const double y = tanh(x.a);
  return chain(x, y, 1.0 - y * y);
}
inline Var pow(const Var& x, double p) { return chain(x, pow(x.a, p), p * pow(x.a, p - 1.0)); }
inline Var sigmoid(const Var& x) {
  const double y = sigmoid(x.a);
  return chain(x, y, y * (1.0 - y));
}
inline Var softplus(const Var& x) { return chain(x, softplus(x.a), sigmoid(x.a)); }
inline Var log_cosh(const Var& x) { return chain(x, log_cosh(x.a), tanh(x.a)); }
inline Var hypot1(const Var& x) {
  const double y = hypot1(x.a);
  return chain(x, y, x.a / y);
}

}  // namespace loa::synthetic
