// The problems that fit a curve to m data, in three to six unknowns: exponentials, a bell, a waiting time. The number
// before each name is the paper's.
//
// More, Garbow and Hillstrom (1981), see mgh.h, which also says how the minima were found.
#include <array>
#include <cmath>

#include "problem/mgh.h"

namespace loa::mgh {
namespace {

// (18) x_3 exp(-t_i x_1) - x_4 exp(-t_i x_2) + x_6 exp(-t_i x_5) - y_i,
//      t_i = i / 10, y_i = exp(-t_i) - 5 exp(-10 t_i) + 3 exp(-4 t_i)
struct BiggsExp6 {
  Index n = 6, m = 0;

  template <class T>
  void operator()(const T* x, T* r) const {
    using std::exp;
    for (Index i = 0; i < m; ++i) {
      const double t = 0.1 * static_cast<double>(i + 1);
      const double y = exp(-t) - 5.0 * exp(-10.0 * t) + 3.0 * exp(-4.0 * t);
      r[i] = x[2] * exp(-t * x[0]) - x[3] * exp(-t * x[1]) + x[5] * exp(-t * x[4]) - y;
    }
  }
};

// (9) x_1 exp(-x_2 (t_i - x_3)^2 / 2) - y_i, t_i = (8 - i) / 2
struct Gaussian {
  static constexpr std::array<double, 15> kY = {0.0009, 0.0044, 0.0175, 0.0540, 0.1295, 0.2420, 0.3521, 0.3989,
                                                0.3521, 0.2420, 0.1295, 0.0540, 0.0175, 0.0044, 0.0009};
  Index n = 3, m = 15;

  template <class T>
  void operator()(const T* x, T* r) const {
    using std::exp;
    for (std::size_t i = 0; i < kY.size(); ++i) {
      const double t = 0.5 * (7.0 - static_cast<double>(i));
      r[i] = x[0] * exp(-0.5 * x[1] * square(t - x[2])) - kY[i];
    }
  }
};

// (12) exp(-t_i x_1) - exp(-t_i x_2) - x_3 (exp(-t_i) - exp(-10 t_i)), t_i = i / 10
struct Box3d {
  Index n = 3, m = 0;

  template <class T>
  void operator()(const T* x, T* r) const {
    using std::exp;
    for (Index i = 0; i < m; ++i) {
      const double t = 0.1 * static_cast<double>(i + 1);
      r[i] = exp(-t * x[0]) - exp(-t * x[1]) - x[2] * (exp(-t) - exp(-10.0 * t));
    }
  }
};

// (16) (x_1 + t_i x_2 - exp(t_i))^2 + (x_3 + x_4 sin(t_i) - cos(t_i))^2, t_i = i / 5
struct BrownAndDennis {
  Index n = 4, m = 0;

  template <class T>
  void operator()(const T* x, T* r) const {
    for (Index i = 0; i < m; ++i) {
      const double t = 0.2 * static_cast<double>(i + 1);
      r[i] = square(x[0] + t * x[1] - std::exp(t)) + square(x[2] + std::sin(t) * x[3] - std::cos(t));
    }
  }
};

// (11) exp(-|y_i - x_2|^{x_3} / x_1) - t_i, t_i = i / 100, y_i = 25 + (-50 log t_i)^{2/3}
// Differs from the paper: it prints |y_i m i x_2|, a known misprint of |y_i - x_2|; the authors' code has the latter.
struct Gulf {
  Index n = 3, m = 0;

  template <class T>
  void operator()(const T* x, T* r) const {
    using std::exp, std::log;
    for (Index i = 0; i < m; ++i) {
      const double t = 0.01 * static_cast<double>(i + 1);
      const double y = 25.0 + std::cbrt(square(-50.0 * std::log(t)));
      const T gap = y - x[1];
      // At gap = 0 the power and, for x_3 > 1, its slope are 0, which x_3 log|gap| could not tell.
      const T power = primal(gap) == 0.0 ? T{} : T(exp(x[2] * log(primal(gap) < 0.0 ? T(-gap) : gap)));
      r[i] = exp(-power / x[0]) - t;
    }
  }
};

}  // namespace

// Minimizer (1, 10, 1, 5, 4, 3). The other values for m = 13 are minima over what fewer exponentials can do, some
// reached only at infinity.
void make_biggs_exp6(Spec& spec, Problem& problem) {
  const Index m = spec.integer("m", 13, 6, kMaxDimension);
  problem.objective = sum_of_squares(BiggsExp6{.m = m});
  problem.start = Vector{{1.0, 2.0, 1.0, 1.0, 1.0, 1.0}};
  problem.minimum = 0.0;
  if (m != 13) return;
  problem.local_minima = {
      4.4681237175990401e-3,  // one exponential for t_3..t_13; two that diverge fit t_1 and t_2
      5.6556499254999310e-3,  // two exponentials, x_1 = x_5: the paper's value
      0.18061732402412,       // three that merge, (a + b t + c t^2) exp(1.288 t)
      0.24267677860721,       // two that merge, (a + b t) exp(-0.1465 t)
      0.30636677262478978,    // one exponential; the others vanish
  };
}

// Minimizer (0.39895..., 1.00001..., 0). A bell so wide that it is constant over the data leaves sum_i (y_i - mean)^2,
// one that misses the data leaves sum_i y_i^2.
void make_gaussian(Spec&, Problem& problem) {
  problem.objective = sum_of_squares(Gaussian{});
  problem.start = Vector{{0.4, 1.0, 0.0}};
  problem.minimum = 1.1279327696186480e-8;
  problem.local_minima = {0.29763669733333333, 0.56422337};
}

// Minimizers (1, 10, 1), (10, 1, -1) and all (c, c, 0). The other value is that of x_2 -> infinity for m = 10.
void make_box_3d(Spec& spec, Problem& problem) {
  const Index m = spec.integer("m", 10, 3, kMaxDimension);
  problem.objective = sum_of_squares(Box3d{.m = m});
  problem.start = Vector{{0.0, 10.0, 20.0}};
  problem.minimum = 0.0;
  if (m == 10) problem.local_minima = {0.075588740754997403};
}

// Minimizer (-11.594..., 13.203..., -0.403..., 0.236...) for m = 20.
void make_brown_and_dennis(Spec& spec, Problem& problem) {
  // The exponential of t_m = m / 5 enters with its fourth power.
  const Index m = spec.integer("m", 20, 4, 500);
  problem.objective = sum_of_squares(BrownAndDennis{.m = m});
  problem.start = Vector{{25.0, 5.0, -5.0, -1.0}};
  if (m == 20) problem.minimum = 85822.201626356345;
}

// Minimizer (50, 25, 1.5). For m = 99 there are three values at infinity: exp(-exp(a + b y_i)), which is x_3 ->
// +-infinity with |x_2| ~ |x_3|; a constant, x_3 -> 0; and 0 or 1, a plateau on which start=100 lies.
void make_gulf(Spec& spec, Problem& problem) {
  const Index m = spec.integer("m", 99, 3, 100);
  problem.objective = sum_of_squares(Gulf{.m = m});
  problem.start = Vector{{5.0, 2.5, 0.15}};
  problem.minimum = 0.0;
  if (m == 99) problem.local_minima = {0.28444560219925390, 8.085, 32.835};
}

}  // namespace loa::mgh
