// The parts of the module, by topic.
#pragma once

#include <nanobind/nanobind.h>

namespace loa::python {

void bind_registry(nanobind::module_& m);      // names
void bind_run(nanobind::module_& m);           // options, states, minimize
void bind_batch(nanobind::module_& m);         // many runs in lock step
void bind_search(nanobind::module_& m);        // constants and limits of line searches
void bind_certificate(nanobind::module_& m);   // before the weights, which carry one
void bind_weights(nanobind::module_& m);       // theta on disk, training
void bind_own_problems(nanobind::module_& m);  // runs on problems of one's own, certify
void bind_principle(nanobind::module_& m);     // check
void bind_comparison(nanobind::module_& m);    // compare, styles of curves

}  // namespace loa::python
