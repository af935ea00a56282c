// loa._loa: the C++ library as loa's Python modules see it. Users import loa.
#include "bindings.h"
#include "loa/version.h"
#include "numpy.h"

NB_MODULE(_loa, m) {
  // A traceback that is alive when Python ends holds objects of ours; that is no news for a user. The tests look for
  // leaks.
  nanobind::set_leak_warnings(false);
  // Called by loa/__init__.py. Not here: stubs are made where there is no NumPy.
  m.def("import_numpy", &loa::python::import_numpy);
  m.attr("version") = LOA_VERSION;
  loa::python::bind_registry(m);
  loa::python::bind_run(m);
  loa::python::bind_batch(m);
  loa::python::bind_search(m);
  loa::python::bind_certificate(m);
  loa::python::bind_weights(m);
  loa::python::bind_own_problems(m);
  loa::python::bind_principle(m);
  loa::python::bind_comparison(m);
}
