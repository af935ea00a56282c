// A model that is not learned has no parameters and nothing to pull back to.
#include "loa/model.h"

namespace loa {

void Model::pullback(const Input&, const Vector&, std::vector<Vector>&, Vector&) const {}

const Vector& Model::theta() const {
  static const Vector none;
  return none;
}

std::vector<ParameterBlock> Model::blocks() const { return {}; }

}  // namespace loa
