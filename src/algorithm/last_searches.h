// The searches at the end of a run: before the run claims that f cannot be lowered, is there a lower point after all?
#pragma once

#include "loa/line_search.h"
#include "loa/options.h"

namespace loa {

class LastSearches {
 public:
  // Fills state.evidence.noise by six values of f a few roundings of x apart (algorithm/working_precision.h).
  void measure_noise(CountedObjective& f, const Options& options, State& state);

  // Searches along -g and, because variables may differ in size, along -x_i^2 g_i, the same in units of x_i. Both begin
  // with a tenth of a first length, that of x. The lowest point is in the state afterwards.
  enum class Result { kNothing, kLowerPoint, kExhausted };
  Result search(const LineSearch& line_search, CountedObjective& f, const Options& options, State& state);

 private:
  Ray ray_;
  Vector probe_;
};

// Whether a trial was visibly lower than x_k.
bool lower_point_is_behind(const State& state);

// Makes the lowest point x_k, to start again there as from x_0: Storage::initialize() is next. False when the run went
// back to that very point before: slopes lead away from the point a second time, so the slopes are wrong.
bool go_back(State& state);

}  // namespace loa
