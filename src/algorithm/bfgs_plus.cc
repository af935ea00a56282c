// BFGS+: BFGS with all that is known to save evaluations and needs no learning. Each part works alone:
//
//   oracle       values of f in the secant equation                          oracle/function_value_secant.h
//   storage      refreshed initial scale, conjugated pairs, self-scaling     linalg/refreshed_inverse_hessian.h
//   line search  weak Wolfe conditions, few trials                           line_search/weak_wolfe.h
//   first trial  as long as the last decrease promises, in long runs         Algorithm::largest_promise
//
// BFGS+D has a diagonal in place of the scale, as far as it reduces the secant error of recent pairs
// (linalg/adaptive_diagonal.h). That works coordinate by coordinate: BFGS+ alone is equivariant to rotations.
#include "algorithm/bfgs_plus.h"

#include "algorithm/named.h"
#include "model/classical_models.h"
#include "oracle/oracles.h"
#include "update/updates.h"

namespace loa {

Algorithm bfgs_plus_with(const char* name, const HyperParameters& hyper_parameters, InitialMatrix initial) {
  // Of the first trial. With the trial shortened from the first iteration on, bfgs+d takes 1.042 [1.028, 1.057] of the
  // evaluations on named and 1.047 [1.024, 1.071] on origin-small; never shortened, 1.011 and 1.006 there, 1.039
  // [1.005, 1.074] on origin-middle and 1.095 [1.058, 1.134] on middle (results/ablation-parts-d.md).
  // With 1.5 in place of 1.01 it takes 1.042 there, from 20 or 100 on in place of 50 0.996 or 0.994 (`ablation
  // trials+d`).
  constexpr double kLargestPromise = 1.01;
  constexpr std::int64_t kPromiseFrom = 50;
  return {.name = name,
          .oracle = quasi_newton_oracle(hyper_parameters, SecantEquation::kFunctionValues),
          .model = std::make_shared<SecantStepModel>(),
          .update = secant_update(),
          .storage = quasi_newton_storage(hyper_parameters, refreshed(initial)),
          .line_search = make_line_search("weak-wolfe", {.c2 = 0.97}),
          .largest_promise = kLargestPromise,
          .promise_from = kPromiseFrom};
}

Algorithm bfgs_plus(const HyperParameters& hyper_parameters) {
  return bfgs_plus_with("bfgs+", hyper_parameters, InitialMatrix::kScale);
}

Algorithm bfgs_plus_d(const HyperParameters& hyper_parameters) {
  return bfgs_plus_with("bfgs+d", hyper_parameters, InitialMatrix::kDiagonal);
}

}  // namespace loa
