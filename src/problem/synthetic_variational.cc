#include "problem/synthetic.h"

namespace loa::synthetic {
const std::vector<Family>& variational_families() {
  static const std::vector<Family> families = {};
  return families;
}
}  // namespace loa::synthetic
