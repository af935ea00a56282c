#include "problem/pinn_equation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace loa {
namespace {

constexpr double kPi = std::numbers::pi;

double zero(double, double) { return 0.0; }

template <double (*kFormula)(double, double)>
Matrix on_grid(double y_low) {
  Matrix u(kPinnGrid, kPinnGrid);
  for (Index j = 0; j < kPinnGrid; ++j)
    for (Index i = 0; i < kPinnGrid; ++i) u(i, j) = kFormula(pinn_grid_point(-1.0, i), pinn_grid_point(y_low, j));
  return u;
}

// --- two equations on a square, with a source that makes u* a solution

template <int kX, int kY>
double waves(double x, double y) {
  return std::sin(kX * kPi * x) * std::sin(kY * kPi * y);
}

double helmholtz_source(double x, double y) { return (1.0 - 17.0 * kPi * kPi) * waves<1, 4>(x, y); }

PinnResidual helmholtz_residual(const PinnJet& jet, double source) {
  return {.r = jet.d + jet.u - source, .slope = {.u = 1.0, .x = 0.0, .y = 0.0, .d = 1.0}};
}

const Matrix& helmholtz_grid() {
  static const Matrix u = on_grid<waves<1, 4>>(-1.0);
  return u;
}

double poisson_source(double x, double y) { return -2.0 * kPi * kPi * waves<1, 1>(x, y); }

PinnResidual poisson_residual(const PinnJet& jet, double source) {
  return {.r = jet.d - source, .slope = {.u = 0.0, .x = 0.0, .y = 0.0, .d = 1.0}};
}

const Matrix& poisson_grid() {
  static const Matrix u = on_grid<waves<1, 1>>(-1.0);
  return u;
}

// --- Burgers

constexpr double kViscosity = 0.01 / kPi;

PinnResidual burgers_residual(const PinnJet& jet, double) {
  return {.r = jet.y + jet.u * jet.x - kViscosity * jet.d,
          .slope = {.u = jet.x, .x = jet.u, .y = 1.0, .d = -kViscosity}};
}

double burgers_start(double x, double t) { return t > 0.0 ? 0.0 : -std::sin(kPi * x); }

const Matrix& burgers_grid() {
  static const Matrix u = on_grid<burgers_solution>(0.0);
  return u;
}

// --- Allen and Cahn

constexpr double kDiffusion = 1e-4, kReaction = 5.0;

PinnResidual allen_cahn_residual(const PinnJet& jet, double) {
  const double square = jet.u * jet.u;
  return {.r = jet.y - kDiffusion * jet.d - kReaction * jet.u * (1.0 - square),
          .slope = {.u = -kReaction * (1.0 - 3.0 * square), .x = 0.0, .y = 1.0, .d = -kDiffusion}};
}

double allen_cahn_start(double x, double t) { return t > 0.0 ? -1.0 : x * x * std::cos(kPi * x); }

// Half a step of the reaction alone, u' = 5 u - 5 u^3, whose solution is u / sqrt(u^2 + (1 - u^2) exp(-10 t)).
void react(double factor, Vector& u) {
  for (double& value : u) value /= std::sqrt(value * value + (1.0 - value * value) * factor);
}

// The error of differences falls with the square of both steps, so two of them give one of fourth order.
const Matrix& allen_cahn_grid() {
  static const Matrix u = (4.0 * allen_cahn_differences(2000) - allen_cahn_differences(1000)) / 3.0;
  return u;
}

constexpr PinnEquation kEquations[] = {
    {"helmholtz", "u_xx + u_yy + u = q on a square, solution sin(pi x) sin(4 pi y)", -1.0, 1.0, false, 100.0,
     helmholtz_source, helmholtz_residual, zero, helmholtz_grid},
    {"burgers", "u_t + u u_x = (0.01/pi) u_xx from -sin(pi x): a front steepens", 0.0, 0.0, true, 1.0, zero,
     burgers_residual, burgers_start, burgers_grid},
    {"poisson", "u_xx + u_yy = q on a square, solution sin(pi x) sin(pi y)", -1.0, 1.0, false, 100.0, poisson_source,
     poisson_residual, zero, poisson_grid},
    {"allen-cahn", "u_t = 1e-4 u_xx + 5 u - 5 u^3 from x^2 cos(pi x): fronts form", 0.0, 0.0, true, 100.0, zero,
     allen_cahn_residual, allen_cahn_start, allen_cahn_grid},
};

}  // namespace

std::span<const PinnEquation> pinn_equations() { return kEquations; }

const PinnEquation* find_pinn_equation(std::string_view name) {
  const auto found =
      std::find_if(std::begin(kEquations), std::end(kEquations), [&](const auto& e) { return name == e.name; });
  return found == std::end(kEquations) ? nullptr : found;
}

// With v = 4 nu t and phi(z) = exp(-cos(pi z) / (2 pi nu)), u is the mean of -sin(pi z) over z = x - sqrt(v) s with the
// weights phi(z) exp(-s^2) (Cole 1951, Hopf 1950; Basdevant et al., Computers and Fluids 14, 1986). The mean is taken
// by the trapezoidal rule, whose error for such a function falls as exp(-c/h^2): with h = 0.1 it is below rounding, for
// the narrowest peak in s has a width of 0.35. Beyond |s| = 16 exp(-s^2) is below exp(-256), and phi varies by
// exp(100).
double burgers_solution(double x, double t) {
  if (!(t > 0.0)) return -std::sin(kPi * x);
  constexpr int kNodes = 160;  // on each side of 0
  constexpr double kStep = 0.1;
  const double root = std::sqrt(4.0 * kViscosity * t);
  const auto exponent = [&](double z, double s) { return -std::cos(kPi * z) / (2.0 * kPi * kViscosity) - s * s; };
  double largest = exponent(x, 0.0);
  for (int k = -kNodes; k <= kNodes; ++k) largest = std::max(largest, exponent(x - root * kStep * k, kStep * k));
  double above = 0.0, below = 0.0;
  for (int k = -kNodes; k <= kNodes; ++k) {
    const double z = x - root * kStep * k, weight = std::exp(exponent(z, kStep * k) - largest);
    above -= std::sin(kPi * z) * weight;
    below += weight;
  }
  return above / below;
}

// Strang's splitting: half a step of the reaction, a step of Crank and Nicolson for the diffusion, half a step of the
// reaction. u is even in x, so that x = 0 is a mirror, and u(1) = -1 is fixed. The diffusion moves so little in a step,
// kDiffusion intervals^2 / steps = 0.2, that no wave of the grid is overshot.
Matrix allen_cahn_differences(Index intervals) {
  const Index m = intervals, stride_x = 2 * m / (kPinnGrid - 1), stride_t = m / (kPinnGrid - 1);
  const double h = 1.0 / static_cast<double>(m);
  const double half = 0.5 * kDiffusion * static_cast<double>(m), factor = std::exp(-kReaction * h);
  Vector u(m + 1), right(m + 1), upper(m + 1);
  for (Index i = 0; i <= m; ++i) u[i] = allen_cahn_start(h * static_cast<double>(i), 0.0);
  Matrix grid(kPinnGrid, kPinnGrid);
  const auto keep = [&](Index step) {
    for (Index i = 0; i < kPinnGrid; ++i) grid(i, step / stride_t) = u[std::abs(stride_x * (i - (kPinnGrid - 1) / 2))];
  };
  keep(0);
  for (Index step = 1; step <= m; ++step) {
    react(factor, u);
    right[0] = u[0] + 2.0 * half * (u[1] - u[0]);
    for (Index i = 1; i < m; ++i) right[i] = u[i] + half * (u[i - 1] - 2.0 * u[i] + u[i + 1]);
    // Elimination from the mirror to the end, then back.
    upper[0] = 2.0 * half / (1.0 + 2.0 * half);
    right[0] /= 1.0 + 2.0 * half;
    for (Index i = 1; i < m; ++i) {
      const double pivot = 1.0 + 2.0 * half - half * upper[i - 1];
      upper[i] = half / pivot;
      right[i] = (right[i] + half * right[i - 1]) / pivot;
    }
    for (Index i = m - 1; i >= 0; --i) u[i] = right[i] + upper[i] * u[i + 1];
    react(factor, u);
    if (step % stride_t == 0) keep(step);
  }
  return grid;
}

}  // namespace loa
