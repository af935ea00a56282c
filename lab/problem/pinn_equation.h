// The equations of the physics-informed networks (pinn.h): residual, boundary, and the solution to compare with.
//
//   helmholtz    u_xx + u_yy + u = q on [-1, 1]^2, u = 0 on the boundary; u* = sin(pi x) sin(4 pi y)
//   poisson      u_xx + u_yy = q on [-1, 1]^2, u = 0 on the boundary; u* = sin(pi x) sin(pi y)
//   burgers      u_t + u u_x = (0.01/pi) u_xx on [-1, 1] x [0, 1], u(x, 0) = -sin(pi x), u(-1, t) = u(1, t) = 0
//   allen-cahn   u_t = 1e-4 u_xx + 5 u - 5 u^3 on [-1, 1] x [0, 1], u(x, 0) = x^2 cos(pi x), u(-1, t) = u(1, t) = -1
//
// The second variable is called y here, also where it is the time t. The first, the third and the fourth equation are
// those of Wang, Teng and Perdikaris (SIAM J. Sci. Comput. 43, 2021) and of Raissi, Perdikaris and Karniadakis
// (J. Comput. Phys. 378, 2019); Allen-Cahn with values at the ends in place of periodicity, as in DeepXDE (Lu et al.,
// SIAM Rev. 63, 2021).
#pragma once

#include <span>
#include <string_view>

#include "loa/vector.h"

namespace loa {

// u and its derivatives at a point, in which the residuals are written. D = d^2/dx^2 + kappa d^2/dy^2.
struct PinnJet {
  double u, x, y, d;
};

struct PinnResidual {
  double r;
  PinnJet slope;  // the derivatives of r by u, u_x, u_y and D u
};

struct PinnEquation {
  const char* name;
  const char* description;
  double y_low;       // the domain is [-1, 1] x [y_low, 1]
  double kappa;       // of D: 1 for the Laplacian, 0 for d^2/dx^2
  bool is_evolution;  // y is the time: nothing is prescribed at y = 1
  double weight;      // of the boundary in the loss
  double (*source)(double x, double y);
  PinnResidual (*residual)(const PinnJet& jet, double source);
  double (*boundary)(double x, double y);  // u where it is prescribed
  const Matrix& (*solution)();             // u* on the grid, computed at the first call
};

std::span<const PinnEquation> pinn_equations();

// nullptr where there is none of this name.
const PinnEquation* find_pinn_equation(std::string_view name);

// The grid of solutions: entry (i, j) belongs to pinn_grid_point(-1, i) and pinn_grid_point(y_low, j).
inline constexpr Index kPinnGrid = 101;
inline double pinn_grid_point(double low, Index i) {
  return low + (1.0 - low) * static_cast<double>(i) / static_cast<double>(kPinnGrid - 1);
}

// u of Burgers' equation by the formula of Cole and Hopf, at one point.
double burgers_solution(double x, double t);

// u of the equation of Allen and Cahn on the grid, by differences on `intervals` intervals of [0, 1] and as many steps
// of time, of second order in both. REQUIRES: a multiple of kPinnGrid - 1.
Matrix allen_cahn_differences(Index intervals);

}  // namespace loa
