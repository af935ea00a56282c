// Problems of the user's own, between Python and C++.
#pragma once

#include <nanobind/nanobind.h>

#include "loa/own_problems.h"

namespace loa::python {

namespace nb = nanobind;

// `source` is a list of SPECs, or an object with `count` and run(candidates, runs), which must outlive the runner. All
// need the GIL.
void take_own_problems(const nb::object& source, OwnProblems& problems, OwnRunner& runner);

nb::dict as_dict(const OwnProgress& progress);
nb::dict as_dict(const OwnReport& report);

}  // namespace loa::python
