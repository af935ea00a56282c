// The names that the library knows.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "experiment/problem_sets.h"
#include "loa/lab.h"

namespace loa::python {

namespace nb = nanobind;

namespace {

nb::dict entry(const std::string& name, const std::string& description) {
  nb::dict dict;
  dict["name"] = name;
  dict["description"] = description;
  return dict;
}

nb::list algorithm_list() {
  nb::list list;
  for (const AlgorithmInfo& info : algorithms()) {
    nb::dict dict = entry(info.name, info.description);
    dict["line_search"] = info.line_search;
    dict["learned"] = info.learned;
    dict["needs_hessian"] = info.needs_hessian;
    dict["limited_memory"] = info.limited_memory;
    list.append(dict);
  }
  return list;
}

nb::list problem_list() {
  nb::list list;
  for (const ProblemInfo& info : problems()) list.append(entry(info.name, info.description));
  return list;
}

nb::list problem_set_list() {
  nb::list list;
  for (const NamedProblemSet& set : problem_sets()) {
    nb::dict dict = entry(set.name, set.description);
    dict["problems"] = set.specs();
    list.append(dict);
  }
  return list;
}

nb::list line_search_list() {
  nb::list list;
  for (const LineSearchInfo& info : line_searches()) list.append(entry(info.name, info.description));
  return list;
}

nb::list weights_list() {
  nb::list list;
  for (const WeightsInfo& info : builtin_weights()) {
    nb::dict dict = entry(info.name, info.description);
    dict["algorithm"] = info.algorithm;
    list.append(dict);
  }
  return list;
}

}  // namespace

void bind_registry(nb::module_& m) {
  using DictList = nb::typed<nb::list, nb::dict>;
  m.def("algorithms", []() -> DictList { return nb::borrow<DictList>(algorithm_list()); });
  m.def(
      "algorithm_for",
      [](Index n, bool guards_spectrum) {
        Options options;
        if (guards_spectrum) options.safeguard = Safeguard::kSpectrum;
        return algorithm_for(options, n);
      },
      nb::arg("n"), nb::arg("spectrum") = false, "The name of the algorithm that \"auto\" means for n variables.");
  m.def("set_num_threads", &set_num_threads, nb::arg("num_threads"),
        "How many threads a run uses for long vectors and large matrices; 0 is the default, OMP_NUM_THREADS or the "
        "cores that this process may use.");
  m.def("num_threads", &num_threads, "How many threads a run would use now.");
  m.def("problems", []() -> DictList { return nb::borrow<DictList>(problem_list()); });
  m.def("problem_sets", []() -> DictList { return nb::borrow<DictList>(problem_set_list()); });
  m.def("line_searches", []() -> DictList { return nb::borrow<DictList>(line_search_list()); });
  m.def("weights", []() -> DictList { return nb::borrow<DictList>(weights_list()); });
}

}  // namespace loa::python
