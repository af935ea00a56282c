// How the entries of a state change when the problem does.
//
// Layer: core. Every transformation of the paper is T(x) = length P x + v with f^ = value f o T^{-1}, P orthogonal. So
// three things say how an entry changes: whether it is a place (moved by v) or a difference (not), and its powers of
// the units of x and f.
#pragma once

#include <vector>

namespace loa {

// An entry scales by length^x value^f. A vector of n entries is multiplied by P as well.
struct Units {
  double x = 0.0;
  double f = 0.0;
  bool is_place = false;  // moved by a translation, as x_k is and d_k is not

  bool operator==(const Units&) const = default;
};

namespace units {
// The units that occur.
inline constexpr Units kPlace{.x = 1, .f = 0, .is_place = true};  // x_k
inline constexpr Units kVector{.x = 1, .f = 0};                   // d_k, y_k
inline constexpr Units kCovector{.x = -1, .f = 1};                // g_k
inline constexpr Units kStepSize{.x = 2, .f = -1};                // gamma in x - gamma g
inline constexpr Units kDimensionless{.x = 0, .f = 0};            // a hidden value of a network
}  // namespace units

// Of State::memory, in its order, and of State::gamma.
struct StateUnits {
  std::vector<Units> memory = {};
  Units gamma = units::kStepSize;
};

}  // namespace loa
