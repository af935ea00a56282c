// The problems of fixed size: valleys and bad scaling in two to four unknowns. The number before each name is the
// paper's.
//
// More, Garbow and Hillstrom (1981), see mgh.h, which also says how the minima were found.
#include <cmath>
#include <numbers>

#include "problem/mgh.h"

namespace loa::mgh {
namespace {

// (7) 10 (x_3 - 10 theta), 10 (sqrt(x_1^2 + x_2^2) - 1), x_3, where theta = the angle of (x_1, x_2) in turns, in
// (-1/4, 3/4). The paper has atan(x_2 / x_1); the other quotient is taken beyond 45 degrees, so x_1 = 0 is a point like
// any other. The cut is the half-line x_1 = 0, x_2 < 0, where theta = -1/4 as in the authors' code.
struct HelicalValley {
  Index n = 3, m = 3;

  template <class T>
  static T theta(const T& x1, const T& x2) {
    using std::atan;
    const double turn = 2.0 * std::numbers::pi;
    if (std::abs(primal(x2)) <= std::abs(primal(x1))) return atan(x2 / x1) / turn + (primal(x1) < 0.0 ? 0.5 : 0.0);
    return (primal(x2) > 0.0 ? 0.25 : primal(x1) < 0.0 ? 0.75 : -0.25) - atan(x1 / x2) / turn;
  }

  template <class T>
  void operator()(const T* x, T* r) const {
    using std::sqrt;
    r[0] = 10.0 * (x[2] - 10.0 * theta(x[0], x[1]));
    r[1] = 10.0 * (sqrt(square(x[0]) + square(x[1])) - 1.0);
    r[2] = x[2];
  }
};

// (3) 10^4 x_1 x_2 - 1, exp(-x_1) + exp(-x_2) - 1.0001
struct PowellBadlyScaled {
  Index n = 2, m = 2;

  template <class T>
  void operator()(const T* x, T* r) const {
    using std::exp;
    r[0] = 1e4 * x[0] * x[1] - 1.0;
    r[1] = exp(-x[0]) + exp(-x[1]) - 1.0001;
  }
};

// (4) x_1 - 10^6, x_2 - 2 10^-6, x_1 x_2 - 2
struct BrownBadlyScaled {
  Index n = 2, m = 3;

  template <class T>
  void operator()(const T* x, T* r) const {
    r[0] = x[0] - 1e6;
    r[1] = x[1] - 2e-6;
    r[2] = x[0] * x[1] - 2.0;
  }
};

// (5) y_i - x_1 (1 - x_2^i)
struct Beale {
  Index n = 2, m = 3;

  template <class T>
  void operator()(const T* x, T* r) const {
    r[0] = 1.5 - x[0] * (1.0 - x[1]);
    r[1] = 2.25 - x[0] * (1.0 - square(x[1]));
    r[2] = 2.625 - x[0] * (1.0 - x[1] * square(x[1]));
  }
};

// (14) 10 (x_2 - x_1^2), 1 - x_1, sqrt(90) (x_4 - x_3^2), 1 - x_3, sqrt(10) (x_2 + x_4 - 2), (x_2 - x_4) / sqrt(10)
struct Wood {
  Index n = 4, m = 6;

  template <class T>
  void operator()(const T* x, T* r) const {
    r[0] = 10.0 * (x[1] - square(x[0]));
    r[1] = 1.0 - x[0];
    r[2] = std::sqrt(90.0) * (x[3] - square(x[2]));
    r[3] = 1.0 - x[2];
    r[4] = std::sqrt(10.0) * (x[1] + x[3] - 2.0);
    r[5] = (x[1] - x[3]) / std::sqrt(10.0);
  }
};

}  // namespace

// Minimizer (1, 0, 0).
void make_helical_valley(Spec&, Problem& problem) {
  problem.objective = sum_of_squares(HelicalValley{});
  problem.start = Vector{{-1.0, 0.0, 0.0}};
  problem.minimum = 0.0;
}

// Minimizer (1.098...e-5, 9.106...). There is another one at x_1 = x_2 = -0.0099480919..., and f falls to 1e-8 where
// x_2 -> infinity with x_1 x_2 = 1e-4.
void make_powell_badly_scaled(Spec&, Problem& problem) {
  problem.objective = sum_of_squares(PowellBadlyScaled{});
  problem.start = Vector{{0.0, 1.0}};
  problem.minimum = 0.0;
  problem.local_minima = {1e-8, 1.0402940039616394};
}

// Minimizer (1e6, 2e-6).
void make_brown_badly_scaled(Spec&, Problem& problem) {
  problem.objective = sum_of_squares(BrownBadlyScaled{});
  problem.start = Vector{{1.0, 1.0}};
  problem.minimum = 0.0;
}

// Minimizer (3, 1/2). At infinity: x_1 -> -infinity with x_1 (1 - x_2) = c leaves sum_i (y_i - i c)^2, least for
// c = 13.875 / 14; x_1 -> 0 with x_1 x_2^3 = -y_3 leaves y_1^2 + y_2^2.
void make_beale(Spec&, Problem& problem) {
  problem.objective = sum_of_squares(Beale{});
  problem.start = Vector{{1.0, 1.0}};
  problem.minimum = 0.0;
  problem.local_minima = {6.328125 / 14.0, 7.3125};
}

// Minimizer (1, 1, 1, 1). The other stationary point, with f = 7.87..., is a saddle.
void make_wood(Spec&, Problem& problem) {
  problem.objective = sum_of_squares(Wood{});
  problem.start = Vector{{-3.0, -1.0, -3.0, -1.0}};
  problem.minimum = 0.0;
}

}  // namespace loa::mgh
