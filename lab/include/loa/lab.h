// The laboratory around loa: named problems, transformations and the checker of the principles, training of weights.
//
//   #include <loa/lab.h>
//
// A program that only minimizes needs loa/loa.h and the library loa::loa; this header needs loa::lab as well.
#pragma once

#include "loa/loa.h"
#include "loa/own_problems.h"
#include "loa/principle.h"
#include "loa/problem.h"
#include "loa/train.h"
#include "loa/transform.h"
