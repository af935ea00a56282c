// L-SR1: y_k = r_k with B_k made of the last m triples. An r_i was the residual of the B of its own iteration, so what
// stays of it after older triples are gone is a general secant update and no longer of rank one.
#include "algorithm/named.h"
#include "model/classical_models.h"
#include "oracle/oracles.h"
#include "storage/storages.h"
#include "update/updates.h"

namespace loa {

Algorithm l_sr1(const HyperParameters& hyper_parameters) {
  return {.name = "l-sr1",
          .oracle = quasi_newton_oracle(hyper_parameters),
          .model = std::make_shared<ResidualModel>(),
          .update = secant_update(),
          .storage = quasi_newton_storage(hyper_parameters, limited_memory(hyper_parameters, PairsKept::kTriple)),
          .line_search = make_line_search(kDefaultLineSearch)};
}

}  // namespace loa
