#include "loa/guarantee.h"

#include <cmath>

namespace loa {

double Guarantee::promised_cosine() const {
  const double ratio =
      std::sqrt(eigenvalues.smallest / eigenvalues.largest);  // 2 sqrt(c C)/(c + C) without a product that underflows
  return 2.0 * ratio / (1.0 + ratio * ratio);
}

bool Guarantee::step_size_is_small_enough() const { return gamma * eigenvalues.largest * lipschitz <= 2.0; }

}  // namespace loa
