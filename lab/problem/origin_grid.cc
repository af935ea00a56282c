// grid:NAME, variational problems on grids of the line and of the unit square, optimal control, mechanics.
//
// Each energy is a sum over cells, not an integral: so the gradient is the residual of the differential equation at a
// node, and gtol bounds that residual. The condition grows as the number of cells in one direction squared.
// Most of the continuous problems are in B. M. Averick, R. G. Carter, J. J. More and G.-L. Xue, "The MINPACK-2 test
// problem collection" (1992); discretization and constants are our own, constraints have become penalties.
#include <cmath>

#include "problem/origin.h"

namespace loa::origin {
namespace {

// Side k of n = k^2 or n = 2 k^2 nodes.
Index side_of(Index num_nodes) { return static_cast<Index>(std::lround(std::sqrt(real(num_nodes)))); }

// Linear elements on the unit square cut into cells of two triangles each, u = boundary(x, y) on its boundary:
//   sum over cells of the mean of energy(|grad u|^2, x) over its triangles + sum over nodes of potential(u, x, y).
template <class Boundary, class Energy, class Potential>
Made square_energy(const Vector& start, Boundary boundary, Energy energy, Potential potential) {
  const Index side = side_of(start.size());
  const double h = 1.0 / real(side + 1);
  return made(start, [=]<class T>(const T* z, T*) {
    const auto u = [&](Index row, Index column) {
      const bool is_inside = row > 0 && row <= side && column > 0 && column <= side;
      return is_inside ? z[(row - 1) * side + column - 1] : T(boundary(h * real(column), h * real(row)));
    };
    T f = 0.0;
    for (Index row = 0; row <= side; ++row) {
      for (Index column = 0; column <= side; ++column) {
        const T a = u(row, column), b = u(row, column + 1), c = u(row + 1, column), d = u(row + 1, column + 1);
        const double x = h * (real(column) + 0.5), unit = 1.0 / (h * h);
        f += 0.5 *
             (energy(unit * (square(b - a) + square(c - a)), x) + energy(unit * (square(d - c) + square(d - b)), x));
        if (row > 0 && column > 0) f += potential(a, h * real(column), h * real(row));
      }
    }
    return f;
  });
}

// entry(x, y) at the nodes.
template <class Entry>
Vector on_square(Index n, Entry entry) {
  const Index side = side_of(n);
  const double h = 1.0 / real(side + 1);
  return vector_of(n, [&](Index k) { return entry(h * real(k % side + 1), h * real(k / side + 1)); });
}

double zero(double, double) { return 0.0; }
// Of order 1 inside and 0 on the boundary.
double bump(double x, double y) { return 16.0 * x * (1.0 - x) * y * (1.0 - y); }
double distance(double x, double y) { return std::min(std::min(x, 1.0 - x), std::min(y, 1.0 - y)); }

// sqrt(1 + |grad u|^2) with the boundary of Scherk's surface, from the mean of the boundary.
Made make_minimal_surface(Index n, Draw&) {
  const auto scherk = [](double x, double y) { return std::log(std::cos(2.0 * y - 1.0) / std::cos(2.0 * x - 1.0)); };
  return square_energy(
      Vector::Zero(n), scherk, [](const auto& slope2, double) { return sqrt(1.0 + slope2); },
      [](const auto&, double, double) { return 0.0; });
}

// |grad u|^p/p - load u.
Made power_law_flow(Index n, double p, double delta, double load) {
  return square_energy(
      on_square(n, [](double x, double y) { return 0.2 * bump(x, y); }), zero,
      [=](const auto& slope2, double) { return pow(slope2 + delta, 0.5 * p) / p; },
      [=](const auto& u, double, double) { return -load * u; });
}
Made make_p_laplacian(Index n, Draw&) { return power_law_flow(n, 4.0, 1e-6, 1.0); }
Made make_shear_thinning(Index n, Draw&) { return power_law_flow(n, 1.5, 1e-3, 3.0); }

// |grad u|^2/2 - lambda e^u below the turning point lambda = 6.81: solid fuel ignition, Bratu.
Made make_bratu(Index n, Draw&) {
  return square_energy(
      Vector::Zero(n), zero, [](const auto& slope2, double) { return 0.5 * slope2; },
      [](const auto& u, double, double) { return -5.5 * exp(u); });
}

// epsilon/2 |grad u|^2 + (1 - u^2)^2/(4 epsilon): a phase boundary, Allen and Cahn.
Made make_phase_field(Index n, Draw&) {
  constexpr double kWidth = 0.08;
  return square_energy(
      on_square(n, [](double x, double y) { return std::sin(7.0 * x + 2.0 * y) * std::cos(5.0 * y); }),
      [](double x, double) { return x < 0.5 ? -1.0 : 1.0; },
      [](const auto& slope2, double) { return 0.5 * kWidth * slope2; },
      [](const auto& u, double, double) { return square(1.0 - square(u)) * (0.25 / kWidth); });
}

// A membrane above an obstacle, the constraint as a penalty.
Made make_obstacle(Index n, Draw&) {
  return square_energy(
      on_square(n, bump), zero, [](const auto& slope2, double) { return 0.5 * slope2; },
      [](const auto& u, double x, double y) {
        const double floor = std::pow(std::sin(3.2 * x) * std::sin(3.3 * y), 3.0);
        return 500.0 * square(positive_part(floor - u)) - u;
      });
}

// Elastic-plastic torsion of a bar: |grad u|^2/2 - c u, u at most the distance to the boundary, as a penalty.
Made make_torsion(Index n, Draw&) {
  return square_energy(
      on_square(n, distance), zero, [](const auto& slope2, double) { return 0.5 * slope2; },
      [](const auto& u, double x, double y) { return 500.0 * square(positive_part(u - distance(x, y))) - 5.0 * u; });
}

// Pressure in a journal bearing of eccentricity 0.8: (1 + e cos t)^3/2 |grad u|^2 - e sin(t) u, t = 2 pi x; a
// quadratic.
Made make_journal_bearing(Index n, Draw&) {
  constexpr double kEccentricity = 0.8, kTurn = 6.283185307179586;
  return square_energy(
      on_square(n, bump), zero,
      [](const auto& slope2, double x) {
        return (0.5 * std::pow(1.0 + kEccentricity * std::cos(kTurn * x), 3.0)) * slope2;
      },
      [](const auto& u, double x, double) { return (-40.0 * kEccentricity * std::sin(kTurn * x)) * u; });
}

// Optimal design with two materials: the energy in t = |grad u| is quadratic, then linear, then quadratic again.
Made make_optimal_design(Index n, Draw&) {
  return square_energy(
      on_square(n, [](double x, double y) { return -0.1 * bump(x, y); }), zero,
      []<class T>(const T& slope2, double) {
        constexpr double kSoft = 1.0, kStiff = 2.0, kFirst = 0.1, kSecond = 0.2;
        if (!(primal(slope2) > kFirst * kFirst)) return (0.5 * kStiff) * slope2;
        if (!(primal(slope2) > kSecond * kSecond)) return (kStiff * kFirst) * (sqrt(slope2) - 0.5 * kFirst);
        return (0.5 * kSoft) * (slope2 - kSecond * kSecond) + kStiff * kFirst * (kSecond - 0.5 * kFirst);
      },
      [](const auto& u, double, double) { return u; });
}

// Denoising by smoothed total variation, free boundary: (u - data)^2/2 + lambda sqrt(|grad u|^2 + delta).
Made make_denoising(Index n, Draw& draw) {
  const Index side = side_of(n);
  const Vector data = on_square(n, [&](double x, double y) {
    const bool is_disc = square(x - 0.35) + square(y - 0.4)<0.06, is_box = x> 0.6 && y > 0.55;
    return (is_disc ? 1.0 : is_box ? 0.6 : 0.1) + 0.15 * draw.data.normal();
  });
  return made(data, [=]<class T>(const T* z, T*) {
    return total(0, n, [&](Index k) {
      const T right = k % side + 1 < side ? z[k + 1] - z[k] : T(0.0), up = k + side < n ? z[k + side] - z[k] : T(0.0);
      return 0.5 * square(z[k] - data[k]) + 0.3 * sqrt(square(right) + square(up) + 1e-3);
    });
  });
}

// Ginzburg and Landau's free energy of a superconductor in a fixed magnetic field, psi_k = z_{2k} + i z_{2k+1}:
//   w/2 sum over links |psi_b - exp(i theta) psi_a|^2 + sum (1 - |psi|^2)^2/2, theta the vector potential of the link.
Made make_superconductor(Index n, Draw&) {
  const Index side = side_of(n / 2);
  const double weight = square(real(side) / 6.0), field = 25.0 / square(real(side));  // about four quanta of flux
  const Vector phase = on_square(n / 2, [](double x, double y) { return 2.0 * x + 3.0 * std::sin(4.0 * y); });
  const Vector start =
      vector_of(n, [&](Index j) { return 0.8 * (j % 2 == 0 ? std::cos(phase[j / 2]) : std::sin(phase[j / 2])); });
  return made(start, [=]<class T>(const T* z, T*) {
    const auto link = [z](Index a, Index b, double theta) {
      const double c = std::cos(theta), s = std::sin(theta);
      return square(z[2 * b] - (c * z[2 * a] - s * z[2 * a + 1])) +
             square(z[2 * b + 1] - (s * z[2 * a] + c * z[2 * a + 1]));
    };
    return total(0, side * side, [&](Index k) {
      T f = 0.5 * square(1.0 - square(z[2 * k]) - square(z[2 * k + 1]));
      if (k % side + 1 < side) f += (0.5 * weight) * link(k, k + 1, 0.0);
      if (k + side < side * side) f += (0.5 * weight) * link(k, k + side, field * real(k % side));
      return f;
    });
  });
}

// Bratu's equation on the line, turning point lambda = 3.51.
Made make_bratu_line(Index n, Draw&) {
  const double h = 1.0 / real(n + 1);
  return made(Vector::Zero(n), [=]<class T>(const T* z, T*) {
    return total(0, n + 1, [&](Index i) {
      const T left = i > 0 ? z[i - 1] : T(0.0), right = i < n ? z[i] : T(0.0);
      return 0.5 * square((right - left) / h) - 3.0 * exp(right);
    });
  });
}

// The time of a fall along a polygon from (0, 0) to (1, -0.6): sum of 2 length/(v_left + v_right), v = sqrt(2 depth).
Made make_brachistochrone(Index n, Draw&) {
  const double h = 1.0 / real(n + 1), end = 0.6;
  return made(vector_of(n, [=](Index i) { return end * h * real(i + 1); }), [=]<class T>(const T* z, T*) {
    return total(0, n + 1, [&](Index i) {
      const T left = i > 0 ? z[i - 1] : T(0.0), right = i < n ? z[i] : T(end);
      const T speed = i > 0 ? sqrt(2.0 * left) + sqrt(2.0 * right) : sqrt(2.0 * right);
      return 2.0 * sqrt(1.0 + square((right - left) / h)) / speed;
    });
  });
}

// Euler's elastica: a clamped rod under twice the load at which it buckles, z the angles: theta'^2/2 - P (1 - cos
// theta).
Made make_elastica(Index n, Draw&) {
  const double h = 1.0 / real(n);
  return made(vector_of(n, [=](Index i) { return 0.1 * h * real(i + 1); }), [=]<class T>(const T* z, T*) {
    return total(0, n, [&](Index i) {
      const T before = i > 0 ? z[i - 1] : T(0.0);
      return 0.5 * square((z[i] - before) / h) + 5.0 * (cos(z[i]) - 1.0);
    });
  });
}

// A hanging chain of hardening springs between (0, 0) and (1, 0): K (e^2/2 + e^4/4) + height, e the strain.
Made make_spring_chain(Index n, Draw&) {
  const Index count = n / 2;
  const double h = 1.0 / real(count + 1), rest = 1.3 * h, stiffness = 30.0;
  const Vector start = vector_of(n, [=](Index j) {
    const double x = h * real(j / 2 + 1);
    return j % 2 == 0 ? x : -0.5 * x * (1.0 - x);
  });
  return made(start, [=]<class T>(const T* z, T*) {
    return total(0, count + 1, [&](Index i) {
      const T x = i > 0 ? z[2 * i - 2] : T(0.0), y = i > 0 ? z[2 * i - 1] : T(0.0);
      const T next_x = i < count ? z[2 * i] : T(1.0), next_y = i < count ? z[2 * i + 1] : T(0.0);
      const T strain2 = square(sqrt(square(next_x - x) + square(next_y - y)) / rest - 1.0);
      return stiffness * (0.5 * strain2 + 0.25 * square(strain2)) + y;
    });
  });
}

// The controls of a van der Pol oscillator that bring it to rest, Euler steps over 5 units of time.
Made make_van_der_pol(Index n, Draw&) {
  const double h = 5.0 / real(n);
  return made(Vector::Zero(n), [=]<class T>(const T* z, T*) {
    T x = 0.0, y = 1.0, f = 0.0;
    for (Index i = 0; i < n; ++i) {
      const T force = (1.0 - square(y)) * x - y + z[i];
      y = y + h * x;
      x = x + h * force;
      f += 0.5 * (square(x) + square(y) + square(z[i]));
    }
    return f;
  });
}

constexpr Sizes kSquare{.low = 4, .usual = 100, .high = 10000, .is_square = true};
constexpr Sizes kLine{.low = 2, .usual = 100, .high = 10000};

}  // namespace

const std::vector<Variant>& grid_variants() {
  static const std::vector<Variant> variants = {
      {"minimal-surface", "a surface of least area with Scherk's boundary", kSquare, make_minimal_surface},
      {"p-laplacian", "a power-law flow with p = 4", kSquare, make_p_laplacian},
      {"shear-thinning", "a power-law flow with p = 1.5", kSquare, make_shear_thinning},
      {"bratu", "ignition of a solid fuel, energy unbounded below far away", kSquare, make_bratu},
      {"phase-field", "a boundary between two phases, Allen and Cahn", kSquare, make_phase_field},
      {"obstacle", "a membrane above an obstacle, by a penalty", kSquare, make_obstacle},
      {"torsion", "elastic-plastic torsion of a bar, by a penalty", kSquare, make_torsion},
      {"journal-bearing", "the pressure in a journal bearing, a quadratic", kSquare, make_journal_bearing},
      {"optimal-design", "a composite of two materials", kSquare, make_optimal_design},
      {"denoising", "an image by smoothed total variation", kSquare, make_denoising},
      {"superconductor",
       "the Ginzburg-Landau energy in a magnetic field",
       {.low = 8, .usual = 200, .high = 9800, .per = 2, .is_square = true},
       make_superconductor},
      {"bratu-line", "Bratu's equation on the line", kLine, make_bratu_line},
      {"brachistochrone", "the path of the fastest fall", kLine, make_brachistochrone},
      {"elastica", "a clamped rod under a load", kLine, make_elastica},
      {"spring-chain",
       "a hanging chain of springs",
       {.low = 2, .usual = 100, .high = 10000, .per = 2},
       make_spring_chain},
      {"van-der-pol", "the controls of an oscillator", kLine, make_van_der_pol},
  };
  return variants;
}

}  // namespace loa::origin
