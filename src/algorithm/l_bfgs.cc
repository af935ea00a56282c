// L-BFGS: BFGS with B_k made of the last m pairs (Nocedal 1980; Liu and Nocedal 1989).
#include "algorithm/named.h"
#include "model/classical_models.h"
#include "oracle/oracles.h"
#include "storage/storages.h"
#include "update/updates.h"

namespace loa {

Algorithm l_bfgs(const HyperParameters& hyper_parameters) {
  return {.name = "l-bfgs",
          .oracle = quasi_newton_oracle(hyper_parameters),
          .model = std::make_shared<SecantStepModel>(),
          .update = secant_update(),
          .storage = quasi_newton_storage(hyper_parameters, limited_memory(hyper_parameters, PairsKept::kSecant)),
          .line_search = make_line_search(kDefaultLineSearch)};
}

}  // namespace loa
