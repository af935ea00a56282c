// Which coordinates of x their bounds hold, in few bytes.
//
// Layer: linalg.
#pragma once

#include <vector>

#include "loa/export.h"

LOA_EXPORT_BEGIN
namespace loa {

// By which bound: eight coordinates a byte, the first the lowest bit. A coordinate is in one of the two at most.
struct HeldMask {
  std::vector<unsigned char> at_lower, at_upper;
};

}  // namespace loa
LOA_EXPORT_END
