// How many threads one minimization uses.
//
// Layer: base. Long vectors and large matrices are cut into pieces whose number depends on their size alone, and what
// the pieces give is added up in order: the result is the same, bit for bit, for any number of threads.
#pragma once

#include "loa/export.h"

LOA_EXPORT_BEGIN
namespace loa {

// For all runs of the process from now on. 0 is the default: the environment variable OMP_NUM_THREADS, and without it
// the number of cores that the process may use, by its affinity and by the limits of its container (control groups of
// Linux). The default is found once a process. Throws std::invalid_argument when num_threads < 0.
void set_num_threads(int num_threads);

// What a run that starts now on this thread would use. 1 in a process that was forked from one that used threads, and
// where the library itself already runs problems side by side.
int num_threads();

}  // namespace loa
LOA_EXPORT_END
