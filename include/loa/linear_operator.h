// A linear map as a function.
//
// Layer: linalg.
#pragma once

#include <functional>

#include "loa/export.h"
#include "loa/vector.h"

LOA_EXPORT_BEGIN
namespace loa {

// out = H v, for an H that nobody needs to have as a matrix. `out` has the length of v already. In a distributed run
// all processes call it together with their slices, and it does not throw on one of them alone.
using LinearOperator = std::function<void(const Vector& v, Vector& out)>;

}  // namespace loa
LOA_EXPORT_END
