// L-BFGS+: the parts of BFGS+ (algorithm/bfgs_plus.cc) with limited memory: values of f in the secant equation,
// conjugated pairs (linalg/conjugated_pairs.h) on a scale, weak Wolfe conditions. L-BFGS+D has a diagonal in place of
// the scale, as far as it reduces the secant error of recent pairs (linalg/adaptive_diagonal.h).
#include "algorithm/named.h"
#include "model/classical_models.h"
#include "oracle/oracles.h"
#include "storage/storages.h"
#include "update/updates.h"

namespace loa {
namespace {

Algorithm make(const char* name, const HyperParameters& hyper_parameters, InitialMatrix initial) {
  return {.name = name,
          .oracle = quasi_newton_oracle(hyper_parameters, SecantEquation::kFunctionValues),
          .model = std::make_shared<SecantStepModel>(),
          .update = secant_update(),
          .storage = quasi_newton_storage(hyper_parameters, conjugated(hyper_parameters, initial)),
          .line_search = make_line_search("weak-wolfe", {.c2 = 0.97})};
}

}  // namespace

Algorithm l_bfgs_plus(const HyperParameters& hyper_parameters) {
  return make("l-bfgs+", hyper_parameters, InitialMatrix::kScale);
}

Algorithm l_bfgs_plus_d(const HyperParameters& hyper_parameters) {
  return make("l-bfgs+d", hyper_parameters, InitialMatrix::kDiagonal);
}

}  // namespace loa
