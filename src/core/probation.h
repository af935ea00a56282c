// The first iterations of a warm run, in which its B may still be given up (algorithm/warm_step.h).
#pragma once

#include "loa/state.h"

namespace loa {

inline constexpr std::int64_t kProbation = 100;

// B has made one step more than there were iterations: no other run can say that.
inline bool is_on_probation(const State& state) {
  return state.iteration < kProbation && state.evidence.iterations_since_restart > state.iteration;
}

}  // namespace loa
