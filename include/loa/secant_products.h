// The inner products of one iteration of a quasi-Newton method, made once and read by name.
//
// Layer: linalg. The operator or the oracle fills the struct; features, update, safeguard and models read it.
#pragma once

#include <limits>

namespace loa {

// With g = g_k, dg = g_k - g_{k-1}, d of the secant equation B dg = d (x_k - x_{k-1}, divided by tau where values of f
// take part, oracle/function_value_secant.h), B = B_{k-1} and p = -gamma B g, the third vector of I_k. The name a_b
// stands for <a,b>, over all slices. NaN: not found.
struct SecantProducts {
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  double g_g = kUnknown, dg_dg = kUnknown, d_d = kUnknown;
  double g_d = kUnknown, dg_d = kUnknown;
  double g_Bdg = kUnknown, dg_Bdg = kUnknown;
  double g_p = kUnknown;

  // For features alone.
  double d_p = kUnknown, p_p = kUnknown;
  double g_prev_g_prev = kUnknown;
};

}  // namespace loa
