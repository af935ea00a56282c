// A model that is not learned has no parameters.
#include "loa/model.h"

namespace loa {

const Vector& Model::theta() const {
  static const Vector none;
  return none;
}

std::vector<ParameterBlock> Model::blocks() const { return {}; }

}  // namespace loa
