// box:NAME, problems with bounds on their variables, and bounds for all others.
//
//   quadratic        <x,Hx>/2 - <b,x>, the solution known: a share `active` of the variables at a bound, of these a
//                    share `degenerate` with a multiplier of 0
//   nnls             ||Ax - b||^2/2, x >= 0
//   obstacle         a membrane above an obstacle; torsion: elastic-plastic torsion, |u| at most the distance to the
//                    boundary; bearing: pressure in a journal bearing, u >= 0 (J. J. More and G. Toraldo, SIAM J.
//                    Optim. 1 (1991), 93-113, in units of a cell); surface: of least area above a block (E. D. Dolan,
//                    J. J. More and T. S. Munson, COPS (2004))
//   gaussian-process hyper-parameters by marginal likelihood: logarithms within those of [1e-5, 1e5], as scikit-learn's
//                    GaussianProcessRegressor has them by default
//
// Any other SPEC takes the keys active=SHARE and bounds=SEED: bounds are drawn such that this share of the variables is
// at a bound in a known solution. A share of the variables is put halfway between the start and the minimizer that the
// method finds without bounds, the others are minimized over with these fixed; the signs of the gradient there say
// which bound holds each. The bounds of the others, and the other bounds, leave as much room as the way from the start
// is long, or twice that. Where the method ends without a success its lowest point takes the place of the solution, and
// the minimum is not known; where it finds no point at all, because f is not finite at the start or falls without end,
// there is no problem.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "base/numbers.h"
#include "base/text.h"
#include "linalg/cholesky.h"
#include "loa/minimize.h"
#include "loa/random.h"
#include "problem/decompositions.h"
#include "problem/spec.h"

namespace loa {
namespace {

Matrix normal_matrix(Random& random, Index rows, Index cols) {
  Matrix A(rows, cols);
  for (double& entry : A.reshaped()) entry = random.normal();
  return A;
}

// A random order of 0, ..., n - 1.
std::vector<Index> shuffled(Index n, Random& random) {
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(random.uniform() * static_cast<double>(i))]);
  return order;
}

void take(Problem& problem, Index n, Function f) {
  problem.objective = std::make_unique<FunctionObjective>(n, std::move(f));
}

void make_box_quadratic(Spec& spec, Problem& problem) {
  const Index n = spec.integer("n", 100, 1, 2000), seed = spec.integer("seed", 0, 0, 1000000);
  const double condition = spec.real("condition", 1e4, 1.0, 1e12), active = spec.real("active", 0.3, 0.0, 1.0),
               degenerate = spec.real("degenerate", 0.1, 0.0, 1.0);
  Random random(static_cast<std::uint64_t>(seed));
  const Matrix Q = orthonormal(normal_matrix(random, n, n));
  Vector spectrum(n);
  for (Index i = 0; i < n; ++i)
    spectrum(i) = std::pow(condition, static_cast<double>(i) / static_cast<double>(std::max<Index>(1, n - 1)));
  const Matrix H = Q * spectrum.asDiagonal() * Q.transpose();
  Vector solution(n), multipliers = Vector::Zero(n);
  problem.lower.resize(n);
  problem.upper.resize(n);
  problem.start.resize(n);
  const auto num_active = static_cast<Index>(active * static_cast<double>(n));
  const auto num_degenerate = static_cast<Index>(degenerate * static_cast<double>(num_active));
  const std::vector<Index> order = shuffled(n, random);
  for (Index k = 0; k < n; ++k) {
    const Index i = order[static_cast<std::size_t>(k)];
    const double width = std::exp(random.normal()), middle = random.normal();
    problem.lower(i) = middle - width;
    problem.upper(i) = middle + width;
    solution(i) = middle + 0.9 * width * (2.0 * random.uniform() - 1.0);
    problem.start(i) = middle + 0.9 * width * (2.0 * random.uniform() - 1.0);
    const double size = std::exp(2.0 * random.normal()) * std::sqrt(condition);
    if (k >= num_active) continue;
    const bool is_lower = random.uniform() < 0.5;
    solution(i) = is_lower ? problem.lower(i) : problem.upper(i);
    if (k >= num_degenerate) multipliers(i) = is_lower ? size : -size;
  }
  const Vector b = H * solution - multipliers;
  take(problem, n, [H, b](const Vector& x, Vector& grad) {
    grad.noalias() = H * x;
    const double quadratic = 0.5 * x.dot(grad);
    grad -= b;
    return quadratic - b.dot(x);
  });
  problem.minimum = 0.5 * solution.dot(H * solution) - b.dot(solution);
}

void make_nnls(Spec& spec, Problem& problem) {
  const Index n = spec.integer("n", 100, 1, 2000), seed = spec.integer("seed", 0, 0, 1000000),
              m = spec.integer("m", 2 * n, 1, 10000);
  Random random(static_cast<std::uint64_t>(seed));
  // Columns that share a part, and have sizes of their own, as spectra and ratings do.
  Matrix A = normal_matrix(random, m, n).cwiseAbs();
  for (Index j = 0; j < n; ++j) A.col(j) *= std::exp(0.5 * random.normal());
  Vector truth(n);
  for (double& x : truth) x = std::max(0.0, random.normal());
  Vector b = A * truth;
  for (double& value : b) value += 0.1 * random.normal() * b.norm() / std::sqrt(static_cast<double>(m));
  problem.lower.setZero(n);
  problem.start.setOnes(n);
  take(problem, n, [A, b](const Vector& x, Vector& grad) {
    const Vector residual = A * x - b;
    grad.noalias() = A.transpose() * residual;
    return 0.5 * residual.squaredNorm();
  });
}

// A sum over the cells of a square grid with side^2 inner nodes, u = boundary on its border. cell(u00, u01, u10, u11,
// x, y, out) returns the value for the corner x, y of the cell and fills the four derivatives.
template <class Cell, class Boundary>
Function grid_energy(Index side, Boundary boundary, Cell cell) {
  return [side, boundary, cell](const Vector& u, Vector& grad) {
    const double h = 1.0 / static_cast<double>(side + 1);
    const auto is_inside = [&](Index row, Index column) {
      return row > 0 && row <= side && column > 0 && column <= side;
    };
    const auto value = [&](Index row, Index column) {
      return is_inside(row, column) ? u((row - 1) * side + column - 1)
                                    : boundary(h * static_cast<double>(column), h * static_cast<double>(row));
    };
    double f = 0.0;
    grad.setZero();
    for (Index row = 0; row <= side; ++row)
      for (Index column = 0; column <= side; ++column) {
        double out[4] = {};
        f += cell(value(row, column), value(row, column + 1), value(row + 1, column), value(row + 1, column + 1),
                  h * static_cast<double>(column), h * static_cast<double>(row), h, out);
        for (Index corner = 0; corner < 4; ++corner) {
          const Index r = row + corner / 2, c = column + corner % 2;
          if (is_inside(r, c)) grad((r - 1) * side + c - 1) += out[corner];
        }
      }
    return f;
  };
}

template <class Entry>
Vector on_grid(Index side, Entry entry) {
  const double h = 1.0 / static_cast<double>(side + 1);
  Vector v(side * side);
  for (Index k = 0; k < v.size(); ++k)
    v(k) = entry(h * static_cast<double>(k % side + 1), h * static_cast<double>(k / side + 1));
  return v;
}

Index side_of(Spec& spec) {
  const Index n = spec.integer("n", 400, 4, 1000000);
  const auto side = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(n))));
  if (side * side != n) spec.fail("n: found " + std::to_string(n) + ", expected the square of an integer");
  return side;
}

// weight(x)/2 |grad u|^2 - load(x) u, the value at the four corners of a cell.
template <class Weight, class Load>
void take_membrane(Problem& problem, Index side, Weight weight, Load load) {
  const auto zero = [](double, double) { return 0.0; };
  take(problem, side * side,
       grid_energy(side, zero, [=](double a, double b, double c, double d, double x, double, double h, double* out) {
         const double w = 0.25 * weight(x + 0.5 * h), force = 0.25 * h * h * load(x + 0.5 * h);
         const double ab = b - a, cd = d - c, ac = c - a, bd = d - b;
         out[0] = 2.0 * w * (-ab - ac) - force;
         out[1] = 2.0 * w * (ab - bd) - force;
         out[2] = 2.0 * w * (ac - cd) - force;
         out[3] = 2.0 * w * (cd + bd) - force;
         return w * (ab * ab + cd * cd + ac * ac + bd * bd) - force * (a + b + c + d);
       }));
}

double distance(double x, double y) { return std::min(std::min(x, 1.0 - x), std::min(y, 1.0 - y)); }

void make_obstacle(Spec& spec, Problem& problem) {
  const Index side = side_of(spec);
  problem.lower =
      on_grid(side, [](double x, double y) { return std::pow(std::sin(3.2 * x) * std::sin(3.3 * y), 3.0); });
  problem.upper.setConstant(side * side, 2000.0);
  problem.start = problem.lower.cwiseMax(0.0);
  take_membrane(
      problem, side, [](double) { return 1.0; }, [](double) { return 1.0; });
}

void make_torsion(Spec& spec, Problem& problem) {
  const Index side = side_of(spec);
  const double load = spec.real("load", 5.0, 0.1, 100.0);
  problem.upper = on_grid(side, distance);
  problem.lower = -problem.upper;
  problem.start.setZero(side * side);
  take_membrane(
      problem, side, [](double) { return 1.0; }, [load](double) { return load; });
}

void make_bearing(Spec& spec, Problem& problem) {
  const Index side = side_of(spec);
  const double e = spec.real("eccentricity", 0.8, 0.01, 0.99);
  constexpr double kTurn = 6.283185307179586;
  problem.lower.setZero(side * side);
  problem.start = on_grid(side, [](double x, double) { return std::max(0.0, std::sin(kTurn * x)); });
  take_membrane(
      problem, side, [e](double x) { return std::pow(1.0 + e * std::cos(kTurn * x), 3.0); },
      [e](double x) { return 40.0 * e * std::sin(kTurn * x); });
}

void make_surface(Spec& spec, Problem& problem) {
  const Index side = side_of(spec);
  const double height = spec.real("height", 1.0, 0.0, 10.0);
  problem.lower = on_grid(side, [height](double x, double y) {
    return std::abs(x - 0.5) <= 0.25 && std::abs(y - 0.5) <= 0.25 ? height : -kInfinity;
  });
  const auto edge = [](double x, double y) {
    return y <= 0.0 || y >= 1.0 ? 1.0 - (2.0 * x - 1.0) * (2.0 * x - 1.0) : 0.0;
  };
  problem.start = on_grid(side, [](double x, double) { return 1.0 - (2.0 * x - 1.0) * (2.0 * x - 1.0); });
  take(problem, side * side,
       grid_energy(side, edge, [](double a, double b, double c, double d, double, double, double h, double* out) {
         const double unit = 1.0 / (h * h), ab = b - a, cd = d - c, ac = c - a, bd = d - b;
         const double first = std::sqrt(1.0 + unit * (ab * ab + ac * ac)),
                      second = std::sqrt(1.0 + unit * (cd * cd + bd * bd));
         const double p = 0.5 * unit / first, q = 0.5 * unit / second;
         out[0] = -p * (ab + ac);
         out[1] = p * ab - q * bd;
         out[2] = p * ac - q * cd;
         out[3] = q * (cd + bd);
         return 0.5 * (first + second);
       }));
}

// -log p(y | theta) for the kernel c exp(-sum_k (x_k - x'_k)^2/(2 l_k^2)) + s delta, theta the logarithms of c, l_1,
// ..., s. Data with one length that does not matter, so that its bound holds.
void make_gaussian_process(Spec& spec, Problem& problem) {
  const Index sides = spec.integer("n", 6, 3, 30) - 2, m = spec.integer("m", 40, 5, 500),
              seed = spec.integer("seed", 0, 0, 1000000);
  Random random(static_cast<std::uint64_t>(seed));
  Matrix points(m, sides);
  for (double& entry : points.reshaped()) entry = random.uniform();
  Vector y(m);
  const double noise = 0.3 * random.uniform() * random.uniform();
  for (Index i = 0; i < m; ++i) {
    y(i) = noise * random.normal();
    for (Index k = 0; k + 1 < sides; ++k) y(i) += std::sin((2.0 + static_cast<double>(k)) * points(i, k) + y(i));
  }
  y.array() -= y.mean();
  y /= std::sqrt(y.squaredNorm() / static_cast<double>(m));
  const Index n = sides + 2;
  const double widest = std::log(1e5);
  problem.lower.setConstant(n, -widest);
  problem.upper.setConstant(n, widest);
  problem.start.setZero(n);
  for (Index k = 0; k < n; ++k) problem.start(k) = 2.0 * random.uniform() - 1.0;
  take(problem, n, [points, y, sides, m](const Vector& theta, Vector& grad) {
    const double c = std::exp(theta(0)), s = std::exp(theta(sides + 1));
    Matrix smooth(m, m);
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j <= i; ++j) {
        double sum = 0.0;
        for (Index k = 0; k < sides; ++k) {
          const double difference = points(i, k) - points(j, k);
          sum += difference * difference * std::exp(-2.0 * theta(k + 1));
        }
        smooth(i, j) = smooth(j, i) = c * std::exp(-0.5 * sum);
      }
    Matrix covariance = smooth;
    covariance.diagonal().array() += s + 1e-10;
    if (!cholesky_in_place(covariance)) {
      grad.setConstant(std::numeric_limits<double>::quiet_NaN());
      return std::numeric_limits<double>::infinity();
    }
    Vector weights = y, column(m);
    cholesky_solve_in_place(covariance, weights);
    Matrix inverse(m, m);
    for (Index j = 0; j < m; ++j) {
      column = Vector::Unit(m, j);
      cholesky_solve_in_place(covariance, column);
      inverse.col(j) = column;
    }
    const Matrix outer = inverse - weights * weights.transpose();
    grad(0) = 0.5 * outer.cwiseProduct(smooth).sum();
    grad(sides + 1) = 0.5 * s * outer.trace();
    for (Index k = 0; k < sides; ++k) {
      double sum = 0.0;
      for (Index i = 0; i < m; ++i)
        for (Index j = 0; j < m; ++j) {
          const double difference = points(i, k) - points(j, k);
          sum += outer(i, j) * smooth(i, j) * difference * difference;
        }
      grad(k + 1) = 0.5 * sum * std::exp(-2.0 * theta(k + 1));
    }
    return 0.5 * y.dot(weights) + covariance.diagonal().array().log().sum() +
           0.5 * static_cast<double>(m) * std::log(2.0 * 3.14159265358979324);
  });
}

struct BoxVariant {
  const char* name;
  const char* description;
  void (*make)(Spec&, Problem&);
};

constexpr BoxVariant kBoxVariants[] = {
    {"quadratic",
     "a quadratic in a box with a known solution; n=100, seed=0, condition=1e4, active=0.3, degenerate=0.1 (shares)",
     make_box_quadratic},
    {"nnls", "nonnegative least squares; n=100, m=2n, seed=0", make_nnls},
    {"obstacle", "a membrane above an obstacle; n=400 (a square)", make_obstacle},
    {"torsion", "elastic-plastic torsion; n=400 (a square), load=5", make_torsion},
    {"bearing", "pressure in a journal bearing; n=400 (a square), eccentricity=0.8", make_bearing},
    {"surface", "a surface of least area above a block; n=400 (a square), height=1", make_surface},
    {"gaussian-process", "hyper-parameters of a Gaussian process, as scikit-learn bounds them; n=6, m=40, seed=0",
     make_gaussian_process},
};

}  // namespace

const std::vector<ProblemInfo>& box_problems() {
  static const std::vector<ProblemInfo> list = [] {
    std::vector<ProblemInfo> infos;
    for (const BoxVariant& variant : kBoxVariants)
      infos.push_back({std::string("box:") + variant.name, variant.description});
    return infos;
  }();
  return list;
}

void make_box(Spec& spec, Problem& problem) {
  for (const BoxVariant& variant : kBoxVariants)
    if (spec.variant() == variant.name) return variant.make(spec, problem);
  std::vector<std::string> names;
  for (const BoxVariant& variant : kBoxVariants) names.emplace_back(variant.name);
  spec.fail("found '" + spec.variant() + "' after the colon, expected one of " + join(names) +
            suggestion(spec.variant(), names));
}

Error draw_bounds(const BoundsDraw& draw, Problem& problem) {
  const Index n = problem.objective->dimension();
  Random random(0x9e3779b97f4a7c15ULL * static_cast<std::uint64_t>(draw.seed + 1));
  const std::vector<Index> order = shuffled(n, random);
  const auto num_active = static_cast<std::size_t>(draw.share * static_cast<double>(n) + 0.5);
  constexpr std::int64_t kMostEvaluations = 5000;
  // This one need not succeed: its point is a place for bounds.
  const Vector free = minimize(*problem.objective, problem.start, {.max_evaluations = kMostEvaluations}).x;
  const Vector halfway = 0.5 * (problem.start + free);
  Vector point = halfway;
  Options fixed{.gtol = 1e-8, .max_evaluations = kMostEvaluations};
  fixed.lower.setConstant(n, -kInfinity);
  fixed.upper.setConstant(n, kInfinity);
  for (std::size_t k = 0; k < num_active; ++k) fixed.lower(order[k]) = fixed.upper(order[k]) = point(order[k]);
  for (std::size_t k = num_active; k < order.size(); ++k) point(order[k]) = free(order[k]);
  Summary solution = minimize(*problem.objective, point, fixed);
  // A corner of start and minimizer may be outside of the domain of f, where what is between them is not.
  if (solution.status == Status::kStartIsNotFinite) solution = minimize(*problem.objective, halfway, fixed);
  if (solution.status == Status::kStartIsNotFinite || solution.status == Status::kObjectiveIsUnbounded)
    return "active: expected an objective with a minimizer where some variables are fixed, found none: " +
           std::string(name(solution.status));
  problem.lower.resize(n);
  problem.upper.resize(n);
  for (Index i = 0; i < n; ++i) {
    const double way = std::abs(solution.x(i) - problem.start(i));
    const double length = way > 0.0 ? way : std::max(1.0, std::abs(solution.x(i)));
    problem.lower(i) = solution.x(i) - (1.0 + random.uniform()) * length;
    problem.upper(i) = solution.x(i) + (1.0 + random.uniform()) * length;
    if (fixed.lower(i) == fixed.upper(i)) (solution.grad(i) < 0.0 ? problem.upper : problem.lower)(i) = solution.x(i);
  }
  // What was known is so without bounds.
  problem.local_minima = {};
  problem.minimum = solution.success() ? KnownNumber(solution.f) : KnownNumber();
  return {};
}

}  // namespace loa
