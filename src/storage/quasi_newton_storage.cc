// S_{k+1} = {x_k, grad f(x_k), B_k} (Alg. 2), from B_{-1} = 0.8 gamma_BB I (linalg/initial_scale.h).
#include <array>
#include <cmath>
#include <utility>

#include "core/bounds.h"
#include "core/first_length.h"
#include "linalg/conjugated_inverse_hessian.h"
#include "linalg/dense_inverse_hessian.h"
#include "linalg/initial_scale.h"
#include "linalg/inverse_hessian_kinds.h"
#include "linalg/limited_memory_inverse_hessian.h"
#include "linalg/refreshed_inverse_hessian.h"
#include "linalg/self_scaled_inverse_hessian.h"
#include "linalg/spectrum.h"
#include "loa/quasi_newton_input.h"
#include "storage/storages.h"

namespace loa {
namespace {

class QuasiNewtonStorage final : public Storage {
 public:
  QuasiNewtonStorage(double gamma, MakeInverseHessian make_B) : gamma_(gamma), make_B_(std::move(make_B)) {}

  void initialize(State& state) const override {
    const bool on_initial = state.initial_inverse_hessian != nullptr && make_B_.make_on_initial != nullptr;
    const auto& make = on_initial                ? make_B_.make_on_initial
                       : state.bounds != nullptr ? make_B_.make_for_bounds
                                                 : make_B_.make;
    state.B = make(state.dimension());
    double scale = scale_for(state);
    if (state.guarantee.applies) scale = resolve_range(scale, state.dimension(), state.guarantee.eigenvalues);
    reset(scale, state);
    if (!is_incremental()) state.spectrum = {};                  // nothing is certain about its eigenvalues
    state.direction_prev = (-gamma_ * scale) * state.grad_prev;  // the oracle reads B_{-1} g_{-1} from here
    if (state.initial_inverse_hessian != nullptr && make_B_.is_matrix) {
      apply(*state.B, state.grad_prev, state.direction_prev, *state.reduction);
      state.direction_prev *= -gamma_;
    }
  }

  void store(const Input& input, const Step& step, State& state) const override {
    if (step.kind == UpdateKind::kRestart) reset(inside_bounds(step.scale / gamma_, state), state);
    if (step.kind != UpdateKind::kModel && step.kind != UpdateKind::kSecantStep) return;
    state.B->update({.d = input.vectors[kD],
                     .delta_g = input.covectors[kDeltaG],
                     .B_delta_g = input.vectors[kBDeltaG],
                     .y = step.y_is_d ? input.vectors[kD] : step.y,
                     .factor = step.factor},
                    *state.reduction);
    state.spectrum = step.spectrum;
  }

  bool can_take_over(const InverseHessian& B) const override { return can_be_taken_over(B, *make_B_.make(0)); }

  double take_over(const InverseHessian& B, State& state) const override {
    // A matrix stays one where pairs would do in a run with bounds.
    if (state.bounds != nullptr) state.B = taken_over(B, *make_B_.make_for_bounds(state.dimension()), *state.reduction);
    if (state.B == nullptr) state.B = taken_over(B, *make_B_.make(state.dimension()), *state.reduction);
    if (state.B == nullptr) return 0.0;
    apply(*state.B, state.grad, state.direction_prev, *state.reduction);
    state.direction_prev *= -gamma_;
    return gamma_;
  }

  double restart_scale(const State& state) const override { return gamma_ * inside_bounds(scale_for(state), state); }

  bool needs_matrix() const override { return make_B_.is_matrix; }
  bool takes_bounds() const override { return make_B_.make_for_bounds != nullptr; }
  bool is_incremental() const override { return make_B_.is_incremental; }
  bool takes_initial_inverse_hessian() const override { return make_B_.is_matrix || make_B_.make_on_initial; }

 private:
  void reset(double scale, State& state) const {
    state.B->reset(scale);
    state.spectrum = {scale, scale};
    if (state.initial_inverse_hessian != nullptr && !make_B_.make_on_initial) set_to_H0(scale, state);
  }

  // B = scale H_0 as a matrix, from n products.
  void set_to_H0(double scale, State& state) const {
    const Index n = state.dimension();
    Matrix H0(n, n);
    Vector column(n);
    for (Index i = 0; i < n; ++i) {
      (*state.initial_inverse_hessian)(Vector::Unit(n, i), column);
      H0.col(i) = scale * column;
    }
    DenseInverseHessian dense(n);
    dense.reset(H0);
    state.B = taken_over(dense, *make_B_.make(n), *state.reduction);
  }

  static double inside_bounds(double scale, const State& state) {
    return state.guarantee.applies ? scale_inside(scale, state.dimension(), state.guarantee.eigenvalues) : scale;
  }

  // 0.8 gamma_BB of the latest pair. Without positive curvature there: a unit step as long as the last one, or, when
  // that one was lost in round-off, as long as a first step.
  static double scale_for(const State& state) {
    if (state.initial_inverse_hessian != nullptr) return scale_of_H0(state, *state.initial_inverse_hessian);
    double delta_g_d = (state.grad - state.grad_prev).dot(state.x - state.x_prev);  // without temporary vectors
    state.reduction->sum({&delta_g_d, 1});
    const double scale = initial_scale(delta_g_d, change_of_gradient(state));
    const bool vanished = step_vanished(state);
    if (!vanished && scale > 0.0 && std::isfinite(scale)) return scale;
    const double length = vanished ? first_length(state) : distance(state.x, state.x_prev, *state.reduction);
    return length / free_gradient_norm(state);
  }

  // ||dg|| of the latest pair, with bounds over the coordinates that moved (linalg/moved.h).
  static double change_of_gradient(const State& state) {
    if (state.bounds == nullptr) return distance(state.grad, state.grad_prev, *state.reduction);
    const auto moved = state.x.array() != state.x_prev.array();
    return norm(moved.select(state.grad - state.grad_prev, 0.0), *state.reduction);
  }

  // The same for B = scale H_0, with <dg, H_0 dg> in place of <dg,dg> and H_0 g in place of g.
  static double scale_of_H0(const State& state, const LinearOperator& H0) {
    const Vector delta_g = state.grad - state.grad_prev;
    Vector H0_v(state.dimension());
    H0(delta_g, H0_v);
    std::array<double, 2> sums = {delta_g.dot(state.x - state.x_prev), delta_g.dot(H0_v)};
    state.reduction->sum(sums);
    const double scale = initial_scale(sums[0], std::sqrt(sums[1]));
    const bool vanished = step_vanished(state);
    if (!vanished && scale > 0.0 && std::isfinite(scale)) return scale;
    const double length = vanished ? first_length(state) : distance(state.x, state.x_prev, *state.reduction);
    H0(state.grad, H0_v);
    return length / norm(H0_v, *state.reduction);
  }

  double gamma_;
  MakeInverseHessian make_B_;
};

}  // namespace

std::shared_ptr<const Storage> quasi_newton_storage(const HyperParameters& hyper_parameters,
                                                    MakeInverseHessian make_B) {
  return std::make_shared<QuasiNewtonStorage>(hyper_parameters.step_size_or(1.0), std::move(make_B));
}

std::shared_ptr<const Storage> quasi_newton_storage(const HyperParameters& hyper_parameters) {
  const auto make = [](Index n) { return std::make_unique<DenseInverseHessian>(n); };
  return quasi_newton_storage(hyper_parameters, {.make = make, .is_matrix = true, .is_incremental = true});
}

std::shared_ptr<const Storage> bfgs_storage(const HyperParameters& hyper_parameters) {
  // Without a matrix: as many pairs as bfgs+ keeps.
  const LimitedMemoryOptions options{.capacity = RefreshedOptions{}.num_pairs, .y_is_d = true};
  return quasi_newton_storage(
      hyper_parameters,
      {.make = [](Index n) { return std::make_unique<DenseInverseHessian>(n); },
       .is_matrix = true,
       .is_incremental = true,
       .make_for_bounds = [options](Index n) { return std::make_unique<LimitedMemoryInverseHessian>(n, options); }});
}

MakeInverseHessian refreshed(InitialMatrix initial) {
  const RefreshedOptions options{.diagonal = initial == InitialMatrix::kDiagonal};
  return {.make = [options](Index n) { return std::make_unique<RefreshedInverseHessian>(n, options); },
          .is_matrix = true,
          .make_for_bounds =
              [options](Index n) {
                // Of more variables half may be held, and the factors of such a matrix take more time than all else.
                constexpr Index kLargestMatrix = 1000;
                RefreshedOptions with_bounds = options;
                if (n > kLargestMatrix) with_bounds.variables_per_pair = 0;
                return std::make_unique<RefreshedInverseHessian>(n, with_bounds);
              }};
}

MakeInverseHessian self_scaled(SelfScalingRule rule) {
  const auto make = [rule](Index n) { return std::make_unique<SelfScaledInverseHessian>(n, rule); };
  return {.make = make, .is_matrix = true};
}

MakeInverseHessian conjugated(const HyperParameters& hyper_parameters, InitialMatrix initial) {
  // Conjugate to the next three newer pairs: further ones are from where the Hessian may be another. The latest pair is
  // in I_k, as below.
  constexpr Index kDepth = 3;
  const ConjugatedOptions options{.capacity = static_cast<Index>(hyper_parameters.memory) - 1,
                                  .diagonal = initial == InitialMatrix::kDiagonal,
                                  .conjugation = {.depth = kDepth}};
  // H_0 stands in for the diagonal.
  ConjugatedOptions on_initial = options;
  on_initial.diagonal = false;
  const auto make = [options](Index n) { return std::make_unique<ConjugatedInverseHessian>(n, options); };
  return {
      .make = make,
      .make_on_initial = [on_initial](Index n) { return std::make_unique<ConjugatedInverseHessian>(n, on_initial); },
      .make_for_bounds = make};
}

MakeInverseHessian limited_memory(const HyperParameters& hyper_parameters, PairsKept kept) {
  // The latest pair is in I_k; the update adds it to the product.
  const LimitedMemoryOptions options{.capacity = static_cast<Index>(hyper_parameters.memory) - 1,
                                     .y_is_d = kept == PairsKept::kSecant};
  const auto make = [options](Index n) { return std::make_unique<LimitedMemoryInverseHessian>(n, options); };
  if (kept == PairsKept::kTriple) return {.make = make};
  return {.make = make, .make_for_bounds = make};
}

}  // namespace loa
