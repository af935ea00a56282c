// compare, and the styles of curves in figures.
#include "experiment/comparison.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <mutex>
#include <stdexcept>

#include "algorithm_maker.h"
#include "background.h"
#include "bindings.h"
#include "core/counts.h"
#include "experiment/comparison_files.h"
#include "experiment/comparison_table.h"
#include "experiment/palette.h"
#include "experiment/relative_evaluations.h"
#include "experiment/statistics.h"
#include "objective.h"

namespace loa::python {
namespace {

void throw_if(const Error& error) {
  if (error) throw std::invalid_argument(error.message());
}

// run_comparison() makes a text of an exception; the first one is kept here, to come out unchanged.
class FirstError {
 public:
  void keep() {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
  }
  void rethrow() {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr error_;
};

class WatchedObjective final : public Objective {
 public:
  WatchedObjective(Index n, std::shared_ptr<Callables> callables, std::shared_ptr<FirstError> first)
      : f_(n, std::move(callables)), first_(std::move(first)) {}

  Index dimension() const override { return f_.dimension(); }
  double value_and_gradient(const Vector& x, Vector& grad) override {
    return watched([&] { return f_.value_and_gradient(x, grad); });
  }
  double value(const Vector& x) override {
    return watched([&] { return f_.value(x); });
  }
  bool hessian_vector(const Vector& x, const Vector& v, Vector& out) override {
    return watched([&] { return f_.hessian_vector(x, v, out); });
  }
  bool hessian(const Vector& x, Matrix& hessian) override {
    return watched([&] { return f_.hessian(x, hessian); });
  }

 private:
  template <typename Call>
  auto watched(Call call) -> decltype(call()) {
    try {
      return call();
    } catch (...) {
      first_->keep();
      throw;
    }
  }

  PythonObjective f_;
  std::shared_ptr<FirstError> first_;
};

class WatchedModel final : public Model {
 public:
  WatchedModel(std::shared_ptr<const Model> model, std::shared_ptr<FirstError> first)
      : model_(std::move(model)), first_(std::move(first)) {}
  void predict(const Input& input, Prediction& prediction) const override {
    try {
      model_->predict(input, prediction);
    } catch (...) {
      first_->keep();
      throw;
    }
  }
  const Vector& theta() const override { return model_->theta(); }

 private:
  std::shared_ptr<const Model> model_;
  std::shared_ptr<FirstError> first_;
};

// (name, Objective, start, minimum or None)
void add_own_problem(const nb::tuple& parts, const std::shared_ptr<FirstError>& first, ComparisonPlan& plan) {
  const auto name = nb::cast<std::string>(parts[0]);
  const auto callables = nb::cast<std::shared_ptr<Callables>>(parts[1]);
  const Vector start = vector_from(nb::object(parts[2]), "x0");
  const auto minimum = nb::cast<std::optional<double>>(parts[3]);
  plan.problems.push_back(name);
  plan.own_problems[name] = [name, callables, start, minimum, first] {
    auto problem = std::make_unique<Problem>();
    problem->name = name;
    problem->objective = std::make_unique<WatchedObjective>(start.size(), callables, first);
    problem->start = start;
    problem->minimum = minimum;
    return problem;
  };
}

void add_own_algorithm(const std::shared_ptr<AlgorithmMaker>& maker, const std::shared_ptr<FirstError>& first,
                       ComparisonPlan& plan) {
  plan.algorithms.push_back(maker->name);
  plan.own_algorithms[maker->name] = [maker, first](const HyperParameters& gamma) {
    Algorithm made = maker->make(gamma);
    made.model = std::make_shared<WatchedModel>(made.model, first);
    return made;
  };
}

std::shared_ptr<Comparison> run_compare(ComparisonPlan plan, const nb::list& problems, const nb::list& algorithms) {
  const auto first = std::make_shared<FirstError>();
  plan.problems.clear();
  plan.algorithms.clear();
  for (const nb::handle item : problems) {
    if (nb::isinstance<nb::str>(item))
      plan.problems.push_back(nb::cast<std::string>(item));
    else
      add_own_problem(nb::cast<nb::tuple>(item), first, plan);
  }
  for (const nb::handle item : algorithms) {
    if (nb::isinstance<nb::str>(item))
      plan.algorithms.push_back(nb::cast<std::string>(item));
    else
      add_own_algorithm(nb::cast<std::shared_ptr<AlgorithmMaker>>(item), first, plan);
  }
  const auto comparison = std::make_shared<Comparison>();
  Error error;
  in_background([&](std::atomic<bool>& stop) {
    const auto observe = [&stop](const ComparisonProgress&) { return stop ? Continue::kNo : Continue::kYes; };
    error = run_comparison(plan, observe, *comparison);
  });
  first->rethrow();
  throw_if(error);
  return comparison;
}

nb::dict as_dict(const Comparison& comparison, const ComparedRun& run) {
  const ComparedProblem& problem = comparison.problems[run.problem];
  nb::dict dict;
  dict["problem"] = problem.name;
  dict["n"] = problem.n;
  dict["algorithm"] = comparison.labels[run.algorithm];
  dict["start"] = run.start;
  dict["status"] = run.reached_gap ? "gap_is_small" : std::string(name(run.status));
  dict["solved"] = run.solved;
  dict["f"] = run.f;
  dict["gap"] = run.gap;
  dict["relative_gap"] = run.gap / comparison.initial_gap(run);
  dict["grad_inf_norm"] = run.grad_inf_norm;
  dict["iterations"] = run.iterations;
  dict["evaluations"] = run.evaluations.value;
  std::int64_t fallbacks = 0;
  for_each_count(run.fallbacks, [&fallbacks](const char*, std::int64_t count) { fallbacks += count; });
  dict["fallbacks"] = fallbacks;
  dict["seconds"] = run.seconds;
  return dict;
}

nb::list run_list(const Comparison& comparison) {
  nb::list list;
  for (const ComparedRun& run : comparison.runs) list.append(as_dict(comparison, run));
  return list;
}

nb::list relative_list(const Comparison& comparison, const std::string& against) {
  nb::list list;
  for (const RelativeEvaluations& row : relative_evaluations(comparison, against)) {
    nb::dict dict;
    dict["algorithm"] = row.algorithm;
    dict["against"] = row.against;
    dict["ratio"] = row.ratio.value;
    dict["low"] = row.ratio.low;
    dict["high"] = row.ratio.high;
    dict["count"] = row.count;
    dict["problems"] = row.problems;
    dict["only_this"] = row.only_this;
    dict["only_other"] = row.only_other;
    dict["wins"] = row.wins;
    dict["ties"] = row.ties;
    dict["losses"] = row.losses;
    dict["solved"] = row.solved;
    dict["runs"] = row.runs;
    list.append(dict);
  }
  return list;
}

Vector as_vector(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

nb::list profile_list(const std::vector<ProfileCurve>& curves) {
  nb::list list;
  for (const ProfileCurve& curve : curves)
    list.append(nb::make_tuple(curve.label, to_numpy(as_vector(curve.x)), to_numpy(as_vector(curve.fraction))));
  return list;
}

// (label, x, median, low, high) of the algorithms on one problem.
nb::list band_list(const Comparison& comparison, std::size_t problem, bool over_evaluations) {
  if (problem >= comparison.problems.size()) throw nb::index_error("problem");
  nb::list list;
  for (std::size_t a = 0; a < comparison.labels.size(); ++a) {
    const Runs runs = runs_of(comparison, problem, a);
    if (runs.empty()) continue;
    const BandCurve curve =
        gap_band(comparison, runs, over_evaluations ? Abscissa::kEvaluations : Abscissa::kIterations);
    list.append(nb::make_tuple(comparison.labels[a], to_numpy(as_vector(curve.x)), to_numpy(as_vector(curve.median)),
                               to_numpy(as_vector(curve.low)), to_numpy(as_vector(curve.high))));
  }
  return list;
}

nb::list style_list(const std::vector<std::string>& labels) {
  nb::list list;
  for (const LineStyle& style : curve_styles(labels)) {
    nb::dict dict;
    dict["colour"] = style.colour;
    dict["dash"] = style.dash;
    dict["width"] = style.width;
    dict["on_top"] = style.on_top;
    dict["mark"] = style.mark;
    list.append(dict);
  }
  return list;
}

// --- pickling ------------------------------------------------------------------------------------------------------
// Tuples of numbers and text. Functions of one's own, which are in the plan alone, stay behind: they are for runs.

template <class Counts>
std::vector<std::int64_t> counts_of(const Counts& counts) {
  std::vector<std::int64_t> list;
  for_each_count(counts, [&list](const char*, std::int64_t count) { list.push_back(count); });
  return list;
}

template <class Counts>
void set_counts(nb::handle from, Counts& counts) {
  const auto list = nb::cast<std::vector<std::int64_t>>(from);
  std::size_t i = 0;
  for_each_count(counts, [&](const char*, std::int64_t& count) { count = list.at(i++); });
}

// Calls visit(member) for every member of a plan but the functions.
template <class Plan, class Visit>
void for_each_part(Plan& plan, Visit visit) {
  visit(plan.problems), visit(plan.algorithms), visit(plan.weights), visit(plan.line_search), visit(plan.safeguard);
  visit(plan.starts), visit(plan.random_starts), visit(plan.seed), visit(plan.first_step), visit(plan.gtol);
  visit(plan.gap), visit(plan.max_iterations), visit(plan.max_evaluations), visit(plan.jobs), visit(plan.against);
}

nb::list rows_of(const std::vector<TraceRow>& trace) {
  nb::list rows;
  for (const TraceRow& r : trace)
    rows.append(nb::make_tuple(r.iteration, r.f, r.grad_inf_norm, r.step_size, r.evaluations, r.seconds));
  return rows;
}

nb::tuple state_of(const Comparison& c) {
  nb::list plan, problems, runs;
  for_each_part(c.plan, [&plan](const auto& part) { plan.append(part); });
  for (const ComparedProblem& p : c.problems)
    problems.append(nb::make_tuple(p.name, p.n, p.optimum.f, p.optimum.grad_inf_norm, p.optimum.source, p.reference,
                                   p.reference_is_known, p.checksum));
  for (const ComparedRun& r : c.runs)
    runs.append(nb::make_tuple(r.problem, r.algorithm, r.start, static_cast<int>(r.status), r.reached_gap, r.solved,
                               r.f_start, r.f, r.gap, r.grad_inf_norm, r.iterations, counts_of(r.evaluations),
                               counts_of(r.fallbacks), r.seconds, rows_of(r.trace)));
  return nb::make_tuple(plan, c.labels, problems, runs, c.below_optimum, c.interrupted);
}

// The next item of a tuple or list at each call.
class Items {
 public:
  explicit Items(nb::handle items) : items_(nb::borrow(items)) {}

  nb::object next() { return items_[next_++]; }
  template <class T>
  void read(T& value) {
    value = nb::cast<T>(next());
  }

 private:
  nb::object items_;
  std::size_t next_ = 0;
};

template <class... Values>
void read_all(Items& items, Values&... values) {
  (items.read(values), ...);
}

Comparison comparison_of(const nb::tuple& state) {
  Comparison c;
  Items all(state), plan(all.next());
  for_each_part(c.plan, [&plan](auto& part) { plan.read(part); });
  all.read(c.labels);
  for (const nb::handle item : all.next()) {
    ComparedProblem& p = c.problems.emplace_back();
    Items items(item);
    read_all(items, p.name, p.n, p.optimum.f, p.optimum.grad_inf_norm, p.optimum.source, p.reference,
             p.reference_is_known, p.checksum);
  }
  for (const nb::handle item : all.next()) {
    ComparedRun& r = c.runs.emplace_back();
    Items items(item);
    int status = 0;
    read_all(items, r.problem, r.algorithm, r.start, status, r.reached_gap, r.solved, r.f_start, r.f, r.gap,
             r.grad_inf_norm, r.iterations);
    r.status = static_cast<Status>(status);
    set_counts(items.next(), r.evaluations);
    set_counts(items.next(), r.fallbacks);
    items.read(r.seconds);
    for (const nb::handle row : items.next()) {
      TraceRow& t = r.trace.emplace_back();
      Items numbers(row);
      read_all(numbers, t.iteration, t.f, t.grad_inf_norm, t.step_size, t.evaluations, t.seconds);
    }
  }
  read_all(all, c.below_optimum, c.interrupted);
  return c;
}

void bind_plan(nb::module_& m) {
  using P = ComparisonPlan;
  nb::class_<P>(m, "ComparisonPlan")
      .def(nb::init<>())
      .def_ro("problems", &P::problems)
      .def_ro("algorithms", &P::algorithms)
      .def_rw("weights", &P::weights)
      .def_rw("line_search", &P::line_search)
      .def_rw("safeguard", &P::safeguard)
      .def_rw("starts", &P::starts)
      .def_rw("random_starts", &P::random_starts)
      .def_rw("seed", &P::seed)
      .def_rw("first_step", &P::first_step)
      .def_rw("gtol", &P::gtol)
      .def_rw("gap", &P::gap)
      .def_rw("max_iterations", &P::max_iterations)
      .def_rw("max_evaluations", &P::max_evaluations)
      .def_rw("against", &P::against)
      .def_rw("jobs", &P::jobs);
}

}  // namespace

void bind_comparison(nb::module_& m) {
  bind_plan(m);
  nb::class_<Comparison>(m, "Comparison")
      .def_ro("labels", &Comparison::labels)
      .def_ro("below_optimum", &Comparison::below_optimum)
      .def_prop_ro("problems",
                   [](const Comparison& c) {
                     nb::list list;
                     for (const ComparedProblem& problem : c.problems) list.append(problem.name);
                     return list;
                   })
      .def_prop_ro("runs", &run_list)
      .def("relative_evaluations", &relative_list, nb::arg("against"))
      .def("table", &comparison_table)
      .def("summary_json", &summary_json)
      .def("baseline", &baseline)
      .def(
          "performance_profile",
          [](const Comparison& c, double gap) { return profile_list(performance_profile(c, gap)); }, nb::arg("gap"))
      .def(
          "data_profile", [](const Comparison& c, double gap) { return profile_list(data_profile(c, gap)); },
          nb::arg("gap"))
      .def("bands", &band_list, nb::arg("problem"), nb::arg("over_evaluations"))
      .def(
          "write",
          [](const Comparison& c, const std::string& folder) {
            std::vector<std::string> names;
            throw_if(write_comparison(c, folder, names));
            return names;
          },
          nb::arg("folder"))
      .def("__getstate__", &state_of)
      .def("__setstate__", [](Comparison& c, const nb::tuple& state) { new (&c) Comparison(comparison_of(state)); });
  m.def("compare", &run_compare, nb::arg("plan"), nb::arg("problems"), nb::arg("algorithms"));
  m.def("curve_styles", &style_list, nb::arg("labels"));
}

}  // namespace loa::python
