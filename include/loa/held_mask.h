// Which coordinates of x their bounds hold, in few bytes.
//
// Layer: linalg.
#pragma once

#include <vector>

#include "loa/export.h"
#include "loa/vector.h"

LOA_EXPORT_BEGIN
namespace loa {

// By which bound: eight coordinates a byte, the first the lowest bit. A coordinate is in one of the two at most.
struct HeldMask {
  std::vector<unsigned char> at_lower, at_upper;
};

// Makes room for n coordinates.
inline void resize(HeldMask& mask, Index n) {
  for (std::vector<unsigned char>* bytes : {&mask.at_lower, &mask.at_upper})
    bytes->resize(static_cast<std::size_t>((n + 7) / 8));
}

}  // namespace loa
LOA_EXPORT_END
