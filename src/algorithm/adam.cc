// Adam as written in the paper's appendix (app:PrincOtherAlgos), without epsilon and bias correction:
//
//   m_k = beta1 m_{k-1} + (1 - beta1) g_k
//   v_k = beta2 v_{k-1} + (1 - beta2) g_k^2
//   x_{k+1} = x_k - gamma m_k/sqrt(v_k)
#include "algorithm/named.h"
#include "model/classical_models.h"
#include "oracle/oracles.h"
#include "storage/storages.h"
#include "update/updates.h"

namespace loa {

Algorithm adam(const HyperParameters& hyper_parameters) {
  return {.name = "adam",
          .oracle = adam_oracle(hyper_parameters),
          .model = std::make_shared<NoModel>(),
          .update = adam_update(),
          .storage = adam_storage(),
          .line_search = make_line_search("fixed")};
}

}  // namespace loa
