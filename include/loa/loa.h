// loa: minimize smooth functions with classical and learned optimization algorithms.
//
//   #include <loa/loa.h>
//   loa::Summary summary = loa::minimize(f, x0);
//
// f is any callable double(const loa::Vector& x, loa::Vector& grad). loa/lab.h adds the laboratory: problems, the
// checker of the principles, training.
#pragma once

#include "loa/algorithm.h"
#include "loa/check_gradient.h"
#include "loa/differences.h"
#include "loa/error.h"
#include "loa/minimize.h"
#include "loa/progress.h"
#include "loa/random.h"
#include "loa/series.h"
#include "loa/threads.h"
#include "loa/version.h"
#include "loa/weights.h"
