// I_k, y_k and the step: what travels through one iteration of Algorithm 1.
//
// Layer: core. Quantities are sorted by how they transform, because the principles (Section 4) are statements about
// that: under x -> lambda x a vector scales by lambda, a covector by 1/lambda; under f -> lambda f a vector stays, a
// covector scales by lambda; scalars never change. A model that maps vectors to vectors by a positively homogeneous
// function of them (and the scalars) keeps Principles 4 and 5 by construction.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "loa/eigenvalue_range.h"
#include "loa/export.h"
#include "loa/reduction.h"
#include "loa/secant_products.h"
#include "loa/vector.h"

LOA_EXPORT_BEGIN
namespace loa {

// What an oracle has begun at a trial point, before anybody knew that the point would be x_k (Oracle::look_ahead).
struct LookAhead {
  Vector d, delta_g;            // x_k - x_{k-1}, g_k - g_{k-1}
  std::vector<double> sums;     // over this slice at first, over all slices when the trial is done
  std::span<double> sums_of_B;  // where B expects its part of them
  bool is_current = false;      // the trial was accepted
};

// H_0 = Options::initial_inverse_hessian times the gradients of I_k; empty where H_0 is the identity.
struct InitialProducts {
  Vector grad, grad_prev, delta_g;
  bool is_current = false;  // `grad` is H_0 times the gradient that is g_{k-1} now
};

// I_k, made by the oracle. Which columns there are, and in which order, is the oracle's contract with model and update.
struct Input {
  std::vector<Vector> vectors;    // n_i features that transform like x: d_k, B dg, -gamma B g
  std::vector<Vector> covectors;  // transform like the gradient: g_k, dg_k
  Matrix hessian;                 // Newton's method only, otherwise empty
  Matrix hidden = {};             // of recurrent models, otherwise empty: n rows, a column for each hidden unit
  double gamma = 1.0;             // the step-size of Gamma, resolved when the user left it to the algorithm
  const Reduction* reduction = &Reduction::serial();  // that of the run, set by the loop

  // Numbers without unit, each the business of the oracles that set it.
  double momentum = 0.0;         // beta_k of Nesterov, beta of Polak and Ribiere
  double bias_correction = 1.0;  // 1 - beta^t of rnnprop
  double curvature_ratio = 1.0;  // tau, by which d was divided (oracle/function_value_secant.h)
  Vector features = {};          // what a learned controller knows, in the order of core/invariant_features.h

  SecantProducts products = {};  // of quasi-Newton methods
  // The operator has taken the pair and made no products: B dg, -gamma B g and g_k are not there, and y = d need not be
  // copied. For runs with bounds.
  bool is_pair_alone = false;
  LookAhead ahead = {};          // of distributed runs
  InitialProducts initial = {};  // of runs with an initial inverse Hessian

  Index dimension() const { return covectors.empty() ? 0 : covectors.front().size(); }
};

// y_k = M_theta(I_k). y is empty when the algorithm has no model (m = 0).
struct Prediction {
  Vector y;
  Matrix hidden = {};       // of recurrent models: what I_{k+1} is to hold
  bool y_is_d = false;      // y is d, said by the model that knows; then B may keep the pair alone
  bool replaced = false;    // y = d was taken by the model itself in place of what it would have predicted; counted
  double trial_step = 1.0;  // where the line search starts, as a multiple of the unit step
  double next_scale = 1.0;  // times the initial scale of B in the next iteration; goes into the state as it is
};

// Events in which the safeguard replaced what the algorithm would have done.
struct Fallbacks {
  std::int64_t model = 0;     // y_k was not usable, y = d was taken
  std::int64_t skipped = 0;   // the curvature <d, dg> was not usable either, B was kept
  std::int64_t restart = 0;   // the state was reset and the step taken along -g
  std::int64_t spectrum = 0;  // an update that would leave [c, C] was replaced or damped (Safeguard::kSpectrum)
  std::int64_t search = 0;  // a search by weak-wolfe failed and was tried again by hager-zhang, with or without success

  std::int64_t warm = 0;  // the warm start was given up for a cold one, or its B after the first steps
  std::int64_t box = 0;   // with bounds: a step of B_0 alone took the place of that of the model inside the bounds

  Fallbacks& operator+=(const Fallbacks& other);
  bool operator==(const Fallbacks&) const = default;
};

// What the update did with y_k.
enum class UpdateKind {
  kModel,       // y_k as predicted
  kSecantStep,  // y = d: the BFGS update
  kSkipped,     // B_k = B_{k-1}
  kRestart,     // B_k = scale I, direction along -g
};

// The result of U, before the line search scales it.
struct Step {
  Vector direction;      // the unit step
  Vector y;              // the y that was used; meaningless when skipped or restarted
  bool y_is_d = false;   // y is d
  Matrix hidden = {};    // of recurrent models, as predicted with y; meaningless when restarted
  double slope = 0;      // <g_k, direction>
  double length = 0;     // ||direction||
  double grad_norm = 0;  // ||g_k||
  // In a distributed run slope, length and grad_norm may still be sums over this slice, of <g,p>, <p,p> and <g,g>, for
  // the first trial of the search to take along in its all-reduce; slope, length and grad_norm are NaN until then.
  bool is_local = false;
  std::array<double, 3> local_sums = {};
  double cosine = std::numeric_limits<double>::quiet_NaN();  // of dg and y, for quasi-Newton methods
  UpdateKind kind = UpdateKind::kModel;
  double scale = 1.0;        // B of a restart: the direction is -gamma scale g_k
  double factor = 1.0;       // how much of the update's term is used: below 1 it is damped
  EigenvalueRange spectrum;  // holds the eigenvalues of the updated B; Safeguard::kSpectrum only
  Fallbacks fallbacks;       // what the safeguard replaced in this iteration
  Matrix scratch;            // for updates that factor a matrix
};

}  // namespace loa
LOA_EXPORT_END
