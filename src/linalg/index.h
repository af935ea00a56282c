// Small helpers for numbers of pairs and columns.
//
#pragma once

#include <cstddef>
#include <string>

#include "loa/vector.h"

namespace loa {

inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// The name of the i-th of several tensors in a file: d.0, d.1, ...
inline std::string numbered(const char* name, std::size_t i) { return std::string(name) + "." + std::to_string(i); }

}  // namespace loa
