// S_{k+1} = {x_k, grad f(x_k), B_k} (Alg. 2), from B_{-1} = 0.8 gamma_BB I (linalg/initial_scale.h).
#include <cmath>
#include <utility>

#include "core/first_length.h"
#include "linalg/conjugated_inverse_hessian.h"
#include "linalg/dense_inverse_hessian.h"
#include "linalg/initial_scale.h"
#include "linalg/inverse_hessian_kinds.h"
#include "linalg/limited_memory_inverse_hessian.h"
#include "linalg/refreshed_inverse_hessian.h"
#include "linalg/spectrum.h"
#include "loa/quasi_newton_input.h"
#include "storage/storages.h"

namespace loa {
namespace {

class QuasiNewtonStorage final : public Storage {
 public:
  QuasiNewtonStorage(double gamma, MakeInverseHessian make_B, bool keeps_scale = false)
      : gamma_(gamma), make_B_(std::move(make_B)), keeps_scale_(keeps_scale) {}

  void initialize(State& state) const override {
    state.B = make_B_(state.dimension());
    double scale = scale_for(state);
    if (state.guarantee.bounded) scale = resolve_bounds(scale, state.dimension(), state.guarantee.bounds);
    reset(scale, state);
    if (keeps_scale_) state.scalars = {1.0};
    if (!is_incremental(*state.B)) state.spectrum = {};          // nothing is certain about its eigenvalues
    state.direction_prev = (-gamma_ * scale) * state.grad_prev;  // the oracle reads B_{-1} g_{-1} from here
  }

  void store(const Input& input, const Step& step, State& state) const override {
    if (keeps_scale_) state.scalars.front() = step.next_scale;
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

  double restart_scale(const State& state) const override { return gamma_ * inside_bounds(scale_for(state), state); }

  StateUnits units() const override {
    return keeps_scale_ ? StateUnits{.scalars = {units::kDimensionless}} : StateUnits{};
  }

 private:
  static void reset(double scale, State& state) {
    state.B->reset(scale);
    state.spectrum = {scale, scale};
  }

  static double inside_bounds(double scale, const State& state) {
    return state.guarantee.bounded ? scale_inside(scale, state.dimension(), state.guarantee.bounds) : scale;
  }

  // 0.8 gamma_BB of the latest pair. Without positive curvature there: a unit step as long as the last one, or, when
  // that one was lost in round-off, as long as a first step.
  static double scale_for(const State& state) {
    double delta_g_d = (state.grad - state.grad_prev).dot(state.x - state.x_prev);  // without temporary vectors
    state.reduction->sum({&delta_g_d, 1});
    const double scale = initial_scale(delta_g_d, distance(state.grad, state.grad_prev, *state.reduction));
    const bool vanished = step_vanished(state);
    if (!vanished && scale > 0.0 && std::isfinite(scale)) return scale;
    const double length = vanished ? first_length(state) : distance(state.x, state.x_prev, *state.reduction);
    return length / norm(state.grad, *state.reduction);
  }

  double gamma_;
  MakeInverseHessian make_B_;
  bool keeps_scale_;
};

std::unique_ptr<InverseHessian> make_dense(Index n) { return std::make_unique<DenseInverseHessian>(n); }

}  // namespace

std::shared_ptr<const Storage> quasi_newton_storage(const HyperParameters& hyper_parameters) {
  return quasi_newton_storage(hyper_parameters, make_dense);
}

std::shared_ptr<const Storage> quasi_newton_storage(const HyperParameters& hyper_parameters,
                                                    MakeInverseHessian make_B) {
  const double gamma = hyper_parameters.step_size;
  return std::make_shared<QuasiNewtonStorage>(std::isnan(gamma) ? 1.0 : gamma, std::move(make_B));
}

std::shared_ptr<const Storage> controlled_storage(const HyperParameters& hyper_parameters, MakeInverseHessian make_B) {
  const double gamma = hyper_parameters.step_size;
  return std::make_shared<QuasiNewtonStorage>(std::isnan(gamma) ? 1.0 : gamma, std::move(make_B), true);
}

MakeInverseHessian refreshed() {
  return [](Index n) { return std::make_unique<RefreshedInverseHessian>(n, RefreshedOptions{}); };
}

MakeInverseHessian conjugated(const HyperParameters& hyper_parameters, InitialMatrix initial) {
  // Conjugate to the next three newer pairs: further ones are from where the Hessian may be another. Depths of 1 and 2
  // take 1.03 times as many evaluations (docs/loa.md). The latest pair is in I_k, as below.
  constexpr Index kDepth = 3;
  const ConjugatedOptions options{.capacity = static_cast<Index>(hyper_parameters.memory) - 1,
                                  .diagonal = initial == InitialMatrix::kDiagonal,
                                  .conjugation = {.depth = kDepth}};
  return [options](Index n) { return std::make_unique<ConjugatedInverseHessian>(n, options); };
}

MakeInverseHessian limited_memory(const HyperParameters& hyper_parameters, PairsKept kept) {
  // The latest pair is in I_k; the update adds it to the product.
  const LimitedMemoryOptions options{.capacity = static_cast<Index>(hyper_parameters.memory) - 1,
                                     .y_is_d = kept == PairsKept::kSecant};
  return [options](Index n) { return std::make_unique<LimitedMemoryInverseHessian>(n, options); };
}

}  // namespace loa
