// The storages of the named algorithms: what is kept besides x, f, the gradient and the last step.
#pragma once

#include <functional>
#include <memory>

#include "linalg/self_scaling.h"
#include "loa/hyper_parameters.h"
#include "loa/storage.h"

namespace loa {

// Alg. 2: B_k, from B_{-1} = 0.8 gamma_BB I.
std::shared_ptr<const Storage> quasi_newton_storage(const HyperParameters& hyper_parameters);

// The same, for y = d: in a run with bounds B_k is made of the newest 100 pairs.
std::shared_ptr<const Storage> bfgs_storage(const HyperParameters& hyper_parameters);

// The same with another operator for B_k.
struct MakeInverseHessian {
  std::function<std::unique_ptr<InverseHessian>(Index n)> make;
  bool is_matrix = false;       // of all variables: Storage::needs_matrix()
  bool is_incremental = false;  // Storage::is_incremental()
  // Makes the operator that begins as scale H_0 with the products of GradientChange. Null: there is none, and of the
  // operators that are matrices the one above begins as that matrix.
  std::function<std::unique_ptr<InverseHessian>(Index n)> make_on_initial = nullptr;
  // For a run with bounds, an operator that pair_model() knows; null: Storage::takes_bounds() is false.
  std::function<std::unique_ptr<InverseHessian>(Index n)> make_for_bounds = nullptr;
};
std::shared_ptr<const Storage> quasi_newton_storage(const HyperParameters& hyper_parameters, MakeInverseHessian make_B);

// B_k from the last `memory` pairs (linalg/limited_memory_inverse_hessian.h).
enum class PairsKept {
  kSecant,  // (dg, d): y = d in all of them
  kTriple,  // (dg, d, y)
};
MakeInverseHessian limited_memory(const HyperParameters& hyper_parameters, PairsKept kept);

// The same pairs, conjugated (linalg/conjugated_inverse_hessian.h).
enum class InitialMatrix {
  kScale,     // gamma I: nothing depends on the coordinates
  kDiagonal,  // a diagonal, as far as it has proved itself
};
MakeInverseHessian conjugated(const HyperParameters& hyper_parameters, InitialMatrix initial);

// B_k from conjugated pairs with an initial matrix that is refreshed at first, then as a self-scaled matrix
// (linalg/refreshed_inverse_hessian.h). For y = d.
MakeInverseHessian refreshed(InitialMatrix initial);

// B_k as a matrix that is multiplied by a number before each update (linalg/self_scaled_inverse_hessian.h). For y = d,
// whatever the member of Broyden's family, and an oracle with SecantOptions::last_curvature.
MakeInverseHessian self_scaled(SelfScalingRule rule);

// Gradient descent, heavy-ball: gamma when the user left it open.
std::shared_ptr<const Storage> first_order_storage();

// Nesterov: the sequence of gradient steps u_k.
std::shared_ptr<const Storage> nesterov_storage();

// Adam: the moments m and v.
std::shared_ptr<const Storage> adam_storage();

// l2l-gd: the hidden state of the network, from zero.
std::shared_ptr<const Storage> l2l_gd_storage();

// rnnprop: likewise; the moments m and v from zero, and beta^t, t being the number of gradients in them.
std::shared_ptr<const Storage> rnnprop_storage();

// Conjugate gradients: gamma, which gives the directions the unit of x.
std::shared_ptr<const Storage> conjugate_gradient_storage();

// Newton: nothing.
std::shared_ptr<const Storage> newton_storage();

}  // namespace loa
