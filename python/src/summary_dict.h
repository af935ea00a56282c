// A summary as Python sees it.
#pragma once

#include <nanobind/nanobind.h>

#include "loa/summary.h"

namespace loa::python {

nanobind::dict summary_dict(Summary summary);

}  // namespace loa::python
