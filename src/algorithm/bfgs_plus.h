// The structure that bfgs+, bfgs+d, sr1+ and loa share: all parts but the model (algorithm/bfgs_plus.cc).
#pragma once

#include "loa/algorithm.h"
#include "storage/storages.h"

namespace loa {

// With y = d.
Algorithm bfgs_plus_with(const char* name, const HyperParameters& hyper_parameters, InitialMatrix initial);

}  // namespace loa
