// run() with a clock that was started earlier, so that seconds include the first step.
#pragma once

#include "base/clock.h"
#include "loa/algorithm.h"

namespace loa {

Summary run_since(const Algorithm& algorithm, CountedObjective& f, State state, const Options& options,
                  const Clock& clock);

}  // namespace loa
