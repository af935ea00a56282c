// S, the storage of Algorithm 1: what is kept for the next iteration.
//
// Layer: storage.
#pragma once

#include "loa/export.h"
#include "loa/input.h"
#include "loa/state.h"
#include "loa/units.h"

LOA_EXPORT_BEGIN
namespace loa {

// Makes S_0 and S_{k+1}. Const and without state: what it keeps is in the State that it is given.
class Storage {
 public:
  virtual ~Storage() = default;

  // Called once, when x_{-1} and x_0 are known with their gradients: makes S_0.
  // REQUIRES: x, x_prev, grad, grad_prev are set in the state.
  virtual void initialize(State& state) const = 0;

  // Called once an iteration, after the step is chosen and before x moves: brings B and the algorithm's own memory to
  // S_{k+1}. The loop itself stores x_k, f, the gradient and the step.
  virtual void store(const Input& input, const Step& step, State& state) const = 0;

  // Called when the direction is useless. Returns the scale of the new direction, -scale * g_k. If that step is taken,
  // store() is called with UpdateKind::kRestart and must forget curvature and momentum.
  virtual double restart_scale(const State& state) const = 0;

  // How what initialize() puts into State::memory and State::gamma changes with the problem. Asked by
  // transformed_state() alone; a storage that keeps neither need not say anything.
  virtual StateUnits units() const { return {}; }

  // Whether the algorithm needs a matrix of all variables, of which no slice can hold its part: a distributed run
  // refuses it.
  virtual bool needs_matrix() const { return false; }

  // Whether B may begin as a multiple of Options::initial_inverse_hessian.
  virtual bool takes_initial_inverse_hessian() const { return false; }

  // Called at x_{-1} instead of a gradient step and initialize(), in a warm start: puts what an operator of another run
  // knows into State::B, and the unit step -gamma B g into State::direction_prev. Returns gamma; 0 where that operator
  // cannot be had, or the algorithm keeps none. REQUIRES: x and grad are set in the state, and bounds where there are.
  virtual double take_over(const InverseHessian&, State&) const { return 0.0; }

  // Whether it can be had.
  virtual bool can_take_over(const InverseHessian&) const { return false; }

  // Whether a run with bounds (Options::lower) can be made with B.
  virtual bool takes_bounds() const { return false; }

  // Whether B_k is B_{k-1} plus one secant term, so that its eigenvalues can be watched (Safeguard::kSpectrum).
  virtual bool is_incremental() const { return false; }
};

}  // namespace loa
LOA_EXPORT_END
