// Self-scaled BFGS and self-scaled Broyden (Urban, Stefanou and Pons 2025, after Al-Baali): Algorithm 2 with y_k = d_k
// on a B_{k-1} that is multiplied by a number in each iteration and, for Broyden, moved along his family
// (linalg/self_scaling.h). Baselines: docs/algorithms/quasi-newton.md says how they differ from the authors' program.
// The first trial of SciPy's line search, which the authors use, is part of the method: B grows, and a search from the
// unit step needs one trial more in every second iteration.
#include "algorithm/named.h"
#include "model/classical_models.h"
#include "oracle/oracles.h"
#include "storage/storages.h"
#include "update/updates.h"

namespace loa {
namespace {

Algorithm self_scaled_algorithm(const char* name, SelfScalingRule rule, const HyperParameters& hyper_parameters) {
  return {.name = name,
          .oracle = quasi_newton_oracle(hyper_parameters, SecantOptions{.last_curvature = true}),
          .model = std::make_shared<SecantStepModel>(),
          .update = secant_update(),
          .storage = quasi_newton_storage(hyper_parameters, self_scaled(rule)),
          .line_search = make_line_search(kDefaultLineSearch),
          .largest_promise = 1.01};
}

}  // namespace

Algorithm ss_bfgs(const HyperParameters& hyper_parameters) {
  return self_scaled_algorithm("ss-bfgs", SelfScalingRule::kBfgs, hyper_parameters);
}

Algorithm ss_broyden(const HyperParameters& hyper_parameters) {
  return self_scaled_algorithm("ss-broyden", SelfScalingRule::kBroyden, hyper_parameters);
}

}  // namespace loa
