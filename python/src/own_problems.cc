// Problems of the user's own: runs of candidates on Python's callables, and certificates.
#include "own_problems.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <utility>

#include "bindings.h"
#include "loa/problem.h"
#include "numpy.h"
#include "objective.h"

namespace loa::python {
namespace {

void throw_if(const Error& error) {
  if (error) throw std::invalid_argument(error.message());
}

OwnProblem made_of(nb::handle objective, const Vector& start) {
  if (nb::isinstance<Problem>(objective)) {
    Problem copy;
    throw_if(make_problem(nb::cast<const Problem&>(objective).name, copy));
    return {std::move(copy.objective), start};
  }
  return {std::make_unique<PythonObjective>(start.size(), nb::cast<std::shared_ptr<Callables>>(objective)), start};
}

// (algorithm, theta or None), (member, candidate, gtol, max_evaluations, max_seconds, in_series) and what came of it,
// as tuples, which travel between processes.
nb::list as_list(const std::vector<OwnCandidate>& candidates) {
  nb::list list;
  for (const OwnCandidate& candidate : candidates)
    list.append(nb::make_tuple(candidate.algorithm,
                               candidate.theta.size() > 0 ? nb::object(to_numpy(candidate.theta)) : nb::none()));
  return list;
}

nb::list as_list(const std::vector<OwnRun>& runs) {
  nb::list list;
  for (const OwnRun& run : runs)
    list.append(
        nb::make_tuple(run.member, run.candidate, run.gtol, run.max_evaluations, run.max_seconds, run.in_series));
  return list;
}

nb::list as_list(const std::vector<OwnOutcome>& outcomes) {
  nb::list list;
  for (const OwnOutcome& o : outcomes)
    list.append(
        nb::make_tuple(o.evaluations, o.f, o.seconds, o.is_usable, o.reached, o.reached_precision, o.dimension));
  return list;
}

std::vector<OwnCandidate> candidates_from(const nb::list& list) {
  std::vector<OwnCandidate> candidates;
  for (const nb::handle item : list) {
    OwnCandidate candidate{.algorithm = nb::cast<std::string>(item[0])};
    if (!nb::object(item[1]).is_none()) candidate.theta = vector_from(nb::object(item[1]), "theta");
    candidates.push_back(candidate);
  }
  return candidates;
}

std::vector<OwnRun> runs_from(const nb::list& list) {
  std::vector<OwnRun> runs;
  for (const nb::handle item : list)
    runs.push_back({nb::cast<std::uint64_t>(item[0]), nb::cast<std::size_t>(item[1]), nb::cast<double>(item[2]),
                    nb::cast<std::int64_t>(item[3]), nb::cast<double>(item[4]), nb::cast<bool>(item[5])});
  return runs;
}

std::vector<OwnOutcome> outcomes_from(const nb::list& list) {
  std::vector<OwnOutcome> outcomes;
  for (const nb::handle item : list)
    outcomes.push_back({nb::cast<std::int64_t>(item[0]), nb::cast<double>(item[1]), nb::cast<double>(item[2]),
                        nb::cast<bool>(item[3]), nb::cast<bool>(item[4]), nb::cast<bool>(item[5]),
                        nb::cast<std::int64_t>(item[6])});
  return outcomes;
}

// Python's objectives, all run on the thread that asks.
class OwnRuns {
 public:
  OwnRuns(nb::list objectives, const nb::list& starts, const std::optional<Weights>& weights)
      : objectives_(std::move(objectives)) {
    for (const nb::handle start : starts) starts_.push_back(vector_from(start, "x0"));
    const auto make = [this](std::uint64_t number) {
      const nb::gil_scoped_acquire gil;
      return made_of(objectives_[number], starts_.at(number));
    };
    runner_ =
        own_runner({make, static_cast<std::int64_t>(starts_.size()), "functions"}, 1, weights.value_or(Weights()));
  }

  nb::list run(const nb::list& candidates, const nb::list& runs) {
    const std::vector<OwnCandidate> of = candidates_from(candidates);
    const std::vector<OwnRun> all = runs_from(runs);
    std::vector<OwnOutcome> outcomes;
    {
      const nb::gil_scoped_release no_gil;
      outcomes = runner_(of, all);
    }
    return as_list(outcomes);
  }

 private:
  nb::list objectives_;
  std::vector<Vector> starts_;
  OwnRunner runner_;
};

nb::list rows_of(const Certificate& certificate) {
  nb::list rows;
  for (const CertificateRow& row : certificate.rows) {
    nb::dict dict;
    dict["evaluations"] = row.evaluations;
    dict["reached"] = row.reached;
    dict["probability"] = row.probability;
    rows.append(dict);
  }
  return rows;
}

nb::dict as_dict(const Gain& gain) {
  nb::dict dict;
  dict["value"] = gain.value;
  dict["low"] = gain.low;
  dict["high"] = gain.high;
  return dict;
}

Certificate run_certify(const nb::object& source, const CertifyOptions& given, const std::optional<Weights>& weights) {
  CertifyOptions options = given;
  OwnProblems problems;
  take_own_problems(source, problems, options.runner);
  const nb::gil_scoped_release no_gil;
  return certify(problems, options, weights.value_or(Weights()));
}

}  // namespace

void take_own_problems(const nb::object& source, OwnProblems& problems, OwnRunner& runner) {
  if (nb::isinstance<nb::list>(source)) {
    throw_if(own_problems(nb::cast<std::vector<std::string>>(source), problems));
    return;
  }
  problems.count = nb::cast<std::int64_t>(source.attr("count"));
  problems.name = "functions";
  problems.make = [](std::uint64_t) -> OwnProblem { throw std::logic_error("problems of Python have a runner"); };
  runner = [members = nb::handle(source)](const std::vector<OwnCandidate>& candidates,
                                          const std::vector<OwnRun>& runs) {  // borrowed: the caller holds it
    const nb::gil_scoped_acquire gil;
    return outcomes_from(nb::cast<nb::list>(members.attr("run")(as_list(candidates), as_list(runs))));
  };
}

nb::dict as_dict(const OwnProgress& progress) {
  nb::dict dict;
  dict["stage"] = progress.stage;
  dict["generation"] = progress.generation;
  dict["generations"] = progress.generations;
  dict["evaluations"] = progress.evaluations;
  dict["expected_evaluations"] = progress.expected_evaluations;
  dict["seconds"] = progress.seconds;
  dict["expected_seconds"] = progress.expected_seconds;
  dict["over_default"] = as_dict(progress.over_default);
  return dict;
}

nb::dict as_dict(const OwnReport& report) {
  nb::dict dict;
  dict["kept"] = report.kept;
  dict["verdict"] = report.verdict;
  dict["training"] = report.training;
  dict["validation"] = report.validation;
  dict["test"] = report.test;
  dict["left_out"] = report.left_out;
  dict["evaluations"] = report.evaluations;
  dict["seconds"] = report.seconds;
  dict["out_of_time"] = report.out_of_time;
  nb::dict rows;
  for (const OwnRow& row : report.rows) {
    nb::dict of_row;
    of_row["over_default"] = as_dict(row.over_default);
    of_row["over_constants"] = as_dict(row.over_constants);
    of_row["reached"] = row.reached;
    of_row["median_evaluations"] = row.median_evaluations;
    rows[row.name.c_str()] = of_row;
  }
  dict["rows"] = rows;
  dict["text"] = text_of(report);
  return dict;
}

void bind_certificate(nb::module_& m) {
  nb::class_<Certificate>(m, "Certificate", "P(a member is solved within K evaluations) >= p, for some K.")
      .def_ro("members", &Certificate::members)
      .def_ro("confidence", &Certificate::confidence)
      .def_ro("gtol", &Certificate::gtol)
      .def_ro("algorithm", &Certificate::algorithm)
      .def_prop_ro("rows", &rows_of, "Dicts: evaluations, reached, probability.")
      .def("__bool__", [](const Certificate& c) { return !c.empty(); })
      .def("__getstate__",
           [](const Certificate& c) {
             Weights carrier;  // whose metadata a certificate is written into
             put_certificate(c, carrier);
             return carrier.metadata;
           })
      .def("__setstate__",
           [](Certificate& c, const std::map<std::string, std::string>& metadata) {
             Weights carrier;
             carrier.metadata = metadata;
             new (&c) Certificate(certificate_of(carrier));
           })
      .def("__str__", [](const Certificate& c) { return text_of(c); })
      .def("__repr__", [](const Certificate& c) {
        return "<loa.Certificate of " + c.algorithm + " on " + std::to_string(c.members) + " members>";
      });
}

void bind_own_problems(nb::module_& m) {
  nb::class_<CertifyOptions>(m, "CertifyOptions")
      .def(nb::init<>())
      .def_rw("algorithm", &CertifyOptions::algorithm)
      .def_rw("members", &CertifyOptions::members)
      .def_rw("gtol", &CertifyOptions::gtol)
      .def_rw("max_evaluations", &CertifyOptions::max_evaluations)
      .def_rw("confidence", &CertifyOptions::confidence)
      .def_rw("quantiles", &CertifyOptions::quantiles)
      .def_rw("within", &CertifyOptions::within)
      .def_rw("seed", &CertifyOptions::seed)
      .def_rw("threads", &CertifyOptions::threads);
  nb::class_<OwnRuns>(m, "OwnRuns", "Runs of candidates on callables, on this thread.")
      .def(nb::init<nb::list, const nb::list&, const std::optional<Weights>&>(), nb::arg("objectives"),
           nb::arg("starts"), nb::arg("weights").none() = nb::none())
      .def("run", &OwnRuns::run, nb::arg("candidates"), nb::arg("runs"));
  m.def("certify", &run_certify, nb::arg("problems"), nb::arg("options"), nb::arg("weights").none() = nb::none());
}

}  // namespace loa::python
