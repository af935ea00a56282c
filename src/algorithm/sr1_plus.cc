// SR1+: the parts of BFGS+ (algorithm/bfgs_plus.cc) with SR1's y = r for the newest pair, wherever that update is
// positive definite by the test of Broyden's family (linalg/broyden.h), and y = d elsewhere. Older pairs, which are
// made conjugate anew in each iteration, enter by BFGS updates.
//
// The test is the one that holds for every <d, B^{-1} d>: B_{k-1} has another scale and other pairs than the B that
// made the step, so that this number is not known. SR1 is taken where <d,dg> > <dg, B_{k-1} dg>.
#include "algorithm/named.h"
#include "model/classical_models.h"
#include "oracle/oracles.h"
#include "storage/storages.h"
#include "update/updates.h"

namespace loa {

Algorithm sr1_plus(const HyperParameters& hyper_parameters) {
  return {.name = "sr1+",
          .oracle = quasi_newton_oracle(hyper_parameters, SecantEquation::kFunctionValues),
          .model = std::make_shared<SafeResidualModel>(),
          .update = secant_update(),
          .storage = quasi_newton_storage(hyper_parameters, refreshed()),
          .line_search = make_line_search("weak-wolfe", {.c2 = 0.97})};
}

}  // namespace loa
