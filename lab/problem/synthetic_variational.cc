// Synthetic families, discretized variational problems, boundary value problems and controlled dynamics: the variables
// are values on a grid, or controls and parameters of a recursion. The condition grows with n as it does there.
#include <array>

#include "problem/synthetic.h"
#include "problem/synthetic_draw.h"

namespace loa::synthetic {
namespace {

// Values u_1, ..., u_n between the fixed u_0 and u_{n+1}, a distance h apart.
struct Line {
  Index n;
  double left, right;

  double h() const { return 1.0 / static_cast<double>(n + 1); }
  template <class T>
  T at(Index i, const T* z) const {
    return i < 0 ? T(left) : i >= n ? T(right) : z[i];
  }
};

Line draw_line(Index n, Random& random) { return {.n = n, .left = random.normal(), .right = random.normal()}; }

// sum over the n + 1 cells of h energy(i, slope) + sum over the nodes of h potential(i, u).
template <class Energy, class Potential>
Draft line_energy(Index n, double reach, Random& random, Energy energy, Potential potential) {
  const Line line = draw_line(n, random);
  const double h = line.h();
  return draft(Vector::Zero(n), reach, [=]<class T>(const T* z, T*) {
    T f = 0.0;
    for (Index i = 0; i <= n; ++i) f += h * energy(i, (line.at(i, z) - line.at(i - 1, z)) / h);
    for (Index i = 0; i < n; ++i) f += h * potential(i, z[i]);
    return f;
  });
}

// k_i/2 u'^2 + q (cosh(s u) - 1) - g_i u: a semilinear boundary value problem.
Draft make_semilinear(Index n, Random& random) {
  const Vector k = spread(n + 1, std::sqrt(draw_condition(random)), random), g = normals(n, random, 10.0);
  const double q = power_of_ten(-1, 2, random), s = random.uniform(0.5, 1.5);
  return line_energy(
      n, 1.0, random, [k](Index i, const auto& slope) { return 0.5 * k[i] * square(slope); },
      [=](Index i, const auto& u) { return q * (0.5 * (exp(s * u) + exp(-s * u)) - 1.0) - g[i] * u; });
}

// (u'^2 + delta)^(p/2)/p - g_i u, p from 1.5 to 5: the p-Laplacian.
Draft make_p_laplacian(Index n, Random& random) {
  const double p = random.uniform(1.5, 5.0), delta = power_of_ten(-3, 0, random);
  const Vector g = normals(n, random, 3.0);
  return line_energy(
      n, 1.0, random, [=](Index, const auto& slope) { return pow(square(slope) + delta, 0.5 * p) / p; },
      [g](Index i, const auto& u) { return 0.01 * square(u) - g[i] * u; });
}

// c_i(u) sqrt(1 + u'^2): the fastest path through a medium that varies, Fermat.
Draft make_light_path(Index n, Random& random) {
  const Vector a = uniforms(n + 1, 0.5, 2.0, random);
  const double wave = random.uniform(0.5, 2.0), contrast = power_of_ten(-1, 1, random);
  return line_energy(
      n, 1.0, random, [a](Index i, const auto& slope) { return a[i] * hypot1(slope); },
      [=](Index, const auto& u) { return contrast * (1.0 + sin(wave * u)) + 0.02 * square(u); });
}

// 1/2 (u - data)^2 + lambda sqrt(u'^2 + delta): denoising by smoothed total variation, Rudin, Osher and Fatemi (1992).
Draft make_total_variation(Index n, Random& random) {
  const double lambda = power_of_ten(-2, 0, random), delta = power_of_ten(-3, 0, random);
  Vector data(n);
  double level = 0.0;
  for (double& entry : data) {
    if (chance(0.2, random)) level = random.normal();
    entry = level + 0.2 * random.normal();
  }
  return draft(data, 0.5, [=]<class T>(const T* z, T*) {
    T f = 0.0;
    for (Index i = 0; i < n; ++i) f += 0.5 * square(z[i] - data[i]);
    for (Index i = 0; i + 1 < n; ++i) f += lambda * sqrt(square(z[i + 1] - z[i]) + delta);
    return f;
  });
}

// h (u''^2/2 + k u^2/2 + q u^4/4 - g u): a beam on a nonlinear foundation, condition n^4.
Draft make_beam(Index n, Random& random) {
  const Line line{.n = n, .left = 0.0, .right = 0.0};
  const double h = line.h(), k = power_of_ten(1, 4, random), q = power_of_ten(0, 4, random);
  const Vector g = normals(n, random, 100.0);
  return draft(Vector::Zero(n), 0.3, [=]<class T>(const T* z, T*) {
    T f = 0.0;
    for (Index i = 0; i < n; ++i) {
      const T bend = (line.at(i + 1, z) - 2.0 * z[i] + line.at(i - 1, z)) / (h * h), u2 = square(z[i]);
      f += h * (0.5 * square(bend) + 0.5 * k * u2 + 0.25 * q * square(u2) - g[i] * z[i]);
    }
    return f;
  });
}

// h/2 sum_i (u'' - a tanh(b u) - g_i)^2: residuals of a boundary value problem, condition n^4.
Draft make_collocation(Index n, Random& random) {
  const Line line = draw_line(n, random);
  const double h = line.h(), a = random.uniform(0.0, 20.0), b = random.uniform(0.5, 2.0);
  const Vector g = normals(n, random, 5.0);
  return draft(Vector::Zero(n), 0.5, [=]<class T>(const T* z, T*) {
    T f = 0.0;
    for (Index i = 0; i < n; ++i) {
      const T bend = (line.at(i + 1, z) - 2.0 * z[i] + line.at(i - 1, z)) / (h * h);
      f += 0.5 * h * square(bend - a * tanh(b * z[i]) - g[i]);
    }
    return f;
  });
}

// A grid of `columns` and as many rows as n fills; outside of it the boundary value.
struct Grid {
  Index n, columns;
  std::array<double, 4> wave;  // the boundary value is wave0 + wave1 sin(wave2 (row - column) + wave3)

  Index rows() const { return (n + columns - 1) / columns; }
  template <class T>
  T at(Index row, Index column, const T* z) const {
    const Index k = row * columns + column;
    if (row >= 0 && column >= 0 && column < columns && k < n) return z[k];
    return T(wave[0] + wave[1] * std::sin(wave[2] * static_cast<double>(row - column) + wave[3]));
  }
};

// Sum over the cells of energy(squared slopes along rows and columns) + sum over the nodes of potential.
template <class Energy, class Potential>
Draft grid_energy(Index n, Random& random, Energy energy, Potential potential) {
  const Grid grid{.n = n,
                  .columns = std::max<Index>(1, static_cast<Index>(std::sqrt(static_cast<double>(n) + 0.5))),
                  .wave = {0.3 * random.normal(), random.normal(), random.uniform(0.2, 1.0), random.uniform(0.0, 6.0)}};
  return draft(Vector::Zero(n), 1.0, [=]<class T>(const T* z, T*) {
    T f = 0.0;
    for (Index row = 0; row <= grid.rows(); ++row) {
      for (Index column = 0; column <= grid.columns; ++column) {
        const T u = grid.at(row, column, z);
        f += energy(square(u - grid.at(row - 1, column, z)) + square(u - grid.at(row, column - 1, z)));
      }
    }
    for (Index k = 0; k < n; ++k) f += potential(k, z[k]);
    return f;
  });
}

// sqrt(1 + c |grad u|^2) and a load: a membrane or a film of least area.
Draft make_film(Index n, Random& random) {
  const double c = power_of_ten(-1, 2, random);
  const Vector load = normals(n, random, 0.1);
  return grid_energy(
      n, random, [c](const auto& slope2) { return sqrt(1.0 + c * slope2); },
      [load](Index k, const auto& u) { return 1e-3 * square(u) - load[k] * u; });
}

// k/2 |grad u|^2 + (1 - u^2)^2/4 - g u: two phases, after Ginzburg and Landau.
Draft make_two_phases(Index n, Random& random) {
  const double k = power_of_ten(-1, 1.5, random);
  const Vector g = normals(n, random, 0.1);
  return grid_energy(
      n, random, [k](const auto& slope2) { return 0.5 * k * slope2; },
      [g](Index i, const auto& u) { return 0.25 * square(1.0 - square(u)) - g[i] * u; });
}

// A chain of points in the plane between two supports: springs (length - l)^2, weights, k stiffness.
Draft make_elastic_chain(Index n, Random& random) {
  const Index count = n / 2;
  const double span = 1.0, rest = random.uniform(0.5, 1.5) * span / static_cast<double>(count + 1);
  const double stiffness = power_of_ten(1, 3, random) * static_cast<double>(count + 1),
               weight = random.uniform(0.1, 2.0);
  Vector guess = normals(n, random, 0.05);
  for (Index i = 0; i < count; ++i) guess[2 * i] += static_cast<double>(i + 1) / static_cast<double>(count + 1);
  return draft(guess, 0.05, [=]<class T>(const T* z, T*) {
    T f = 0.0, x = 0.0, y = 0.0;
    for (Index i = 0; i <= count; ++i) {
      const T next_x = i < count ? z[2 * i] : T(span), next_y = i < count ? z[2 * i + 1] : T(0.0);
      const T length = sqrt(square(next_x - x) + square(next_y - y) + 1e-6);
      f += 0.5 * stiffness * square(length - rest) + weight / static_cast<double>(count) * next_y;
      x = next_x;
      y = next_y;
    }
    if (n % 2 == 1) f += 0.5 * square(z[n - 1] - z[0]);
    return f;
  });
}

// A path of points in the plane from (0, 0) to (1, 1) among bumps: sum |p_{i+1} - p_i|^2 N/2 + bumps.
Draft make_obstacles(Index n, Random& random) {
  const Index count = n / 2;
  constexpr Index kNumBumps = 5;
  const Vector bump = uniforms(2 * kNumBumps, 0.1, 0.9, random), height = uniforms(kNumBumps, 0.1, 3.0, random);
  const double sharp = power_of_ten(1, 2, random), tight = 0.5 * static_cast<double>(count + 1);
  Vector guess(n);
  for (Index j = 0; j < n; ++j) guess[j] = static_cast<double>(j / 2 + 1) / static_cast<double>(count + 1);
  return draft(guess, 0.3, [=]<class T>(const T* z, T*) {
    T f = 0.0, x = 0.0, y = 0.0;
    for (Index i = 0; i <= count; ++i) {
      const T next_x = i < count ? z[2 * i] : T(1.0), next_y = i < count ? z[2 * i + 1] : T(1.0);
      f += tight * (square(next_x - x) + square(next_y - y));
      x = next_x;
      y = next_y;
      for (Index k = 0; k < kNumBumps && i < count; ++k) {
        f += height[k] * exp(-sharp * (square(x - bump[2 * k]) + square(y - bump[2 * k + 1])));
      }
    }
    if (n % 2 == 1) f += 0.5 * square(z[n - 1] - z[0]);
    return f;
  });
}

// Controls z_k of a damped pendulum-like system, x'' = -a sin x - b x' + u, by symplectic Euler steps:
// sum_k r/2 z_k^2 + 1/2 (x_k - path_k)^2 + w/2 (x_n - goal)^2.
Draft make_control(Index n, Random& random) {
  const double a = random.uniform(0.5, 4.0), b = random.uniform(0.05, 0.5), r = power_of_ten(-4, -1, random);
  const double h = random.uniform(0.05, 0.4), goal = random.uniform(-3.0, 3.0), w = power_of_ten(0, 2, random);
  return draft(Vector::Zero(n), 1.0, [=]<class T>(const T* z, T*) {
    T x = 0.1, v = 0.0, f = 0.0;
    for (Index k = 0; k < n; ++k) {
      v = v + h * (z[k] - a * sin(x) - b * v);
      x = x + h * v;
      f += 0.5 * r * square(z[k]) + 0.05 * h * square(x - goal);
    }
    return f + 0.5 * w * (square(x - goal) + square(v));
  });
}

// The coefficients of x' = z_1 tanh(x) + z_2 y + z_3, y' = z_4 x + z_5 tanh(y) + z_6, further ones multiplying sines of
// time, from a trajectory: 1/2 sum_k |(x, y)_k - data_k|^2, Euler steps.
Draft make_dynamics(Index n, Random& random) {
  const Index steps = 2 * n + 12;
  const double h = random.uniform(0.05, 0.2);
  const auto step = [=]<class T>(Index k, const T* z, T& x, T& y) {
    const auto c = [&](Index j) { return j < n ? z[j] : T(0.0); };
    T dx = c(0) * tanh(x) + c(1) * y + c(2), dy = c(3) * x + c(4) * tanh(y) + c(5);
    for (Index j = 6; j < n; ++j) dx += z[j] * std::sin(static_cast<double>(j - 5) * h * static_cast<double>(k));
    x = x + h * dx;
    y = y + h * dy;
  };
  Vector truth = normals(n, random), data(2 * steps);
  if (n > 0) truth[0] -= 1.0;
  if (n > 4) truth[4] -= 1.0;
  double x0 = 1.0, y0 = -0.5;
  for (Index k = 0; k < steps; ++k) {
    step(k, truth.data(), x0, y0);
    data[2 * k] = x0 + 0.03 * random.normal();
    data[2 * k + 1] = y0 + 0.03 * random.normal();
  }
  const double weight = 1.0 / static_cast<double>(steps), l2 = power_of_ten(-4, -2, random);
  return draft(truth, 0.5, [=]<class T>(const T* z, T*) {
    T x = 1.0, y = -0.5, f = 0.0;
    for (Index k = 0; k < steps; ++k) {
      step(k, z, x, y);
      f += 0.5 * (square(x - data[2 * k]) + square(y - data[2 * k + 1]));
    }
    return weight * f + ridge(z, n, l2);
  });
}

}  // namespace

const std::vector<Family>& variational_families() {
  static const std::vector<Family> families = {
      {"semilinear", "a semilinear boundary value problem in one dimension", 2, 10000, make_semilinear},
      {"p-laplacian", "the p-Laplacian in one dimension", 2, 10000, make_p_laplacian},
      {"light-path", "the shortest path through a varying medium", 2, 10000, make_light_path},
      {"total-variation", "denoising by smoothed total variation", 2, 10000, make_total_variation},
      {"beam", "a beam on a nonlinear foundation", 2, 200, make_beam},
      {"collocation", "squared residuals of a boundary value problem", 2, 100, make_collocation},
      {"film", "a film of least area on a grid", 2, 10000, make_film},
      {"two-phases", "a phase field on a grid", 2, 10000, make_two_phases},
      {"elastic-chain", "a hanging chain of springs", 4, 200, make_elastic_chain},
      {"obstacles", "a path among bumps", 4, 1000, make_obstacles},
      {"control", "the controls of a pendulum", 2, 200, make_control},
      {"dynamics", "the coefficients of a dynamical system from a trajectory", 2, 24, make_dynamics},
  };
  return families;
}

}  // namespace loa::synthetic
