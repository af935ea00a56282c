// Weights from memory, as safetensors or JSON.
#pragma once

#include <string>

#include "loa/error.h"
#include "loa/weights.h"

namespace loa {

// What load_weights() makes of the bytes of a file; `name` stands for the path in messages. Returns no error and
// fills `weights`, or one line "NAME: ..." and leaves `weights` alone.
Error parse_weights(const std::string& bytes, const std::string& name, Weights& weights);

}  // namespace loa
