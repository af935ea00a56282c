// The paper's tab::wallclock: the time of an iteration relative to gradient descent.
#pragma once

#include <functional>
#include <string>

#include "experiment/experiment.h"
#include "experiment/report.h"
#include "loa/error.h"

namespace loa {

struct WallClock {
  ReportTable table;
  ClaimVerdict verdict = ClaimVerdict::kNone;
  std::string finding;
};

// One run after the other on one thread; the shortest of a few repetitions, which are interleaved so that a busy moment
// of the machine hits all algorithms alike. The first algorithm is the unit.
Error measure_wall_clock(const Experiment& experiment,
                         const std::function<Continue(std::size_t done, std::size_t total)>& observer,
                         WallClock& clock);

}  // namespace loa
