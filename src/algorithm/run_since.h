// run() with a clock that was started earlier, so that seconds include the first step.
#pragma once

#include "base/clock.h"
#include "loa/algorithm.h"

namespace loa {

// The line search that the user has named, or the algorithm's own.
std::shared_ptr<const LineSearch> line_search_for(const Algorithm& algorithm, const Options& options);

Summary run_since(const Algorithm& algorithm, CountedObjective& f, State state, const Options& options,
                  const Clock& clock);

}  // namespace loa
