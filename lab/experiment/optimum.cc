// Written without a part of the library's algorithms, line searches or stopping tests, so that a mistake there cannot
// hide in the reference.
#include "experiment/optimum.h"

#include <cmath>

#include "linalg/cholesky.h"

namespace loa {
namespace {

// The Hessian of a logistic regression costs O(m n^2), its factors O(n^3). On 1001 variables and 1000 rows this took
// 56 s, a thousand times longer than a run of L-BFGS.
constexpr Index kMaxNewtonDimension = 600;

// Newton with halved steps (Boyd and Vandenberghe 2004, Algorithm 9.5), then full steps as long as the gradient
// shrinks.
bool newton_solve(Objective& f, Vector x, Optimum& optimum) {
  constexpr int kMaxIterations = 500, kMaxHalvings = 60;
  constexpr double kArmijo = 0.25;
  const Index n = x.size();
  Vector grad(n), trial(n), trial_grad(n);
  Matrix hessian(n, n);
  double value = f.value_and_gradient(x, grad);
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    if (!std::isfinite(value) || !grad.allFinite() || !f.hessian(x, hessian)) return false;
    if (!cholesky_in_place(hessian)) return false;
    Vector direction = -grad;
    cholesky_solve_in_place(hessian, direction);
    const double slope = grad.dot(direction);

    double step = 1.0, trial_value = 0.0;
    bool descended = false;
    for (int halving = 0; halving < kMaxHalvings && !descended; ++halving, step *= 0.5) {
      trial = x + step * direction;
      trial_value = f.value_and_gradient(trial, trial_grad);
      descended = trial_value <= value + kArmijo * step * slope;
      // At round-off f no longer decreases; the gradient still does.
      if (!descended && halving == 0 && trial_grad.norm() < 0.5 * grad.norm() &&
          std::abs(trial_value - value) <= 1e-12 * std::abs(value))
        descended = true;
    }
    if (!descended) break;
    x.swap(trial);
    grad.swap(trial_grad);
    value = trial_value;
    if (grad.lpNorm<Eigen::Infinity>() == 0.0) break;
  }
  optimum = {.f = value, .grad_inf_norm = grad.lpNorm<Eigen::Infinity>(), .source = "newton"};
  return true;
}

}  // namespace

bool find_optimum(Problem& problem, Optimum& optimum) {
  if (problem.minimum) {
    optimum = {.f = *problem.minimum, .grad_inf_norm = 0.0, .source = "known"};
    return true;
  }
  const bool has_bounds = problem.lower.size() > 0 || problem.upper.size() > 0;  // Newton's steps would leave them
  if (has_bounds || problem.objective->dimension() > kMaxNewtonDimension) return false;
  return problem.strong_convexity && newton_solve(*problem.objective, problem.start, optimum);
}

double tolerance_below(const Optimum& optimum, double f_start) {
  // Known minima are given with nine digits or more (docs/problems.md). Sums of m terms are off by about m ulps at
  // worst, and f near the minimum may be the difference of numbers as large as f at the start.
  const double relative = optimum.source == "known" ? 1e-8 : 1e-11;
  return relative * std::abs(optimum.f) + 1e-14 * std::abs(f_start);
}

}  // namespace loa
