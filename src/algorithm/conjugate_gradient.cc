// Nonlinear conjugate gradients with beta of Polak-Ribiere+ (Gilbert and Nocedal 1992): p_k = -gamma g_k + beta
// p_{k-1}. c2 = 0.1 as usual: the directions stay conjugate only if the searches are nearly exact.
#include "algorithm/named.h"
#include "model/classical_models.h"
#include "oracle/oracles.h"
#include "storage/storages.h"
#include "update/updates.h"

namespace loa {

Algorithm conjugate_gradient(const HyperParameters&) {
  return {.name = "conjugate-gradient",
          .oracle = conjugate_gradient_oracle(),
          .model = std::make_shared<NoModel>(),
          .update = conjugate_gradient_update(),
          .storage = conjugate_gradient_storage(),
          .line_search = make_line_search("more-thuente", {.c1 = 1e-4, .c2 = 0.1}),
          .unit_step_is_natural = false};
}

}  // namespace loa
