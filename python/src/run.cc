// Options, states, problems and minimize().
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <variant>

#include "algorithm_maker.h"
#include "bindings.h"
#include "core/counts.h"
#include "core/option_list.h"
#include "loa/lab.h"
#include "model.h"
#include "no_iterations.h"
#include "noise.h"
#include "objective.h"
#include "summary_dict.h"

namespace loa::python {
namespace {

using Clock = std::chrono::steady_clock;

void throw_if(const Error& error) {
  if (error) throw std::invalid_argument(error.message());
}

// --- results -------------------------------------------------------------------------------------------------------

// Of Evaluations and Fallbacks.
template <class Counts>
nb::dict counts_dict(const Counts& counts) {
  nb::dict dict;
  for_each_count(counts, [&dict](const char* name, std::int64_t count) { dict[name] = count; });
  return dict;
}

nb::dict as_dict(const Guarantee& guarantee) {
  nb::dict dict;
  dict["smallest_eigenvalue"] = guarantee.eigenvalues.smallest;
  dict["largest_eigenvalue"] = guarantee.eigenvalues.largest;
  dict["gamma"] = guarantee.gamma;
  dict["lipschitz"] = guarantee.lipschitz;
  dict["smallest_cosine"] = guarantee.smallest_cosine;
  dict["promised_cosine"] = guarantee.promised_cosine();
  dict["step_size_is_small_enough"] = guarantee.step_size_is_small_enough();
  dict["evaluated"] = guarantee.evaluated;
  dict["violations"] = guarantee.violations;
  dict["promised_decrease"] = guarantee.promised_decrease;
  dict["smallest_slack"] = guarantee.smallest_slack;
  return dict;
}

// The bytes of a structured array (TRACE of _result.py): of a list of tuples NumPy takes half a microsecond for each
// row.
nb::bytes as_rows(const std::vector<TraceRow>& trace) {
  struct Packed {
    std::int64_t iteration;
    double f, grad_inf_norm, step_size;
    std::int64_t evaluations;
    double seconds;
  };
  static_assert(sizeof(Packed) == 48);
  std::vector<Packed> rows;
  rows.reserve(trace.size());
  for (const TraceRow& row : trace)
    rows.push_back({row.iteration, row.f, row.grad_inf_norm, row.step_size, row.evaluations, row.seconds});
  return nb::bytes(rows.data(), rows.size() * sizeof(Packed));
}

nb::dict as_dict(Summary&& summary) {
  nb::dict dict;
  dict["x"] = to_numpy(summary.x);
  dict["f"] = summary.f;
  dict["grad"] = to_numpy(summary.grad);
  dict["grad_inf_norm"] = summary.grad_inf_norm;
  dict["status"] = static_cast<int>(summary.status);
  dict["status_name"] = std::string(name(summary.status));
  dict["success"] = summary.success();
  dict["message"] = summary.message;
  dict["iterations"] = summary.iterations;
  dict["evaluations"] = counts_dict(summary.evaluations);
  dict["fallbacks"] = counts_dict(summary.fallbacks);
  dict["guarantee"] = summary.guarantee ? nb::object(as_dict(*summary.guarantee)) : nb::none();
  dict["bounds"] = nb::none();
  if (summary.bounds) {
    nb::dict bounds;
    Vector active(static_cast<Index>(summary.bounds->active.size()));
    for (Index i = 0; i < active.size(); ++i) active(i) = summary.bounds->active[static_cast<std::size_t>(i)];
    bounds["active"] = to_numpy(active);
    bounds["multipliers"] = to_numpy(summary.bounds->multipliers);
    bounds["num_active"] = summary.bounds->num_active;
    bounds["num_projected"] = summary.bounds->num_projected;
    dict["bounds"] = bounds;
  }
  dict["lower"] = nb::none();
  if (summary.lower) {
    nb::dict lower;
    lower["x"] = to_numpy(summary.lower->x);
    lower["fun"] = summary.lower->f;
    lower["jac"] = to_numpy(summary.lower->grad);
    dict["lower"] = lower;
  }
  dict["seconds"] = summary.seconds;
  dict["refined_at"] = summary.state.refined_at;
  dict["trace"] = as_rows(summary.trace);
  dict["state"] = nb::cast(std::move(summary.state));
  return dict;
}

// --- running -------------------------------------------------------------------------------------------------------

// What a Python observer may do with the state of the run that called it, as long as it has not returned.
struct RunningState {
  const State* state = nullptr;

  const State& get() const {
    if (state == nullptr)
      throw nb::value_error("state: expected to be asked for inside the callback, found it has returned");
    return *state;
  }
};

// Asks the Python observer, or looks for signals now and then where there is none: an objective in C++ does not.
Observer make_observer(const nb::object& observer) {
  if (observer.is_none())
    return [next = Clock::now()](const Progress&) mutable {
      const auto now = Clock::now();
      if (now < next) return Continue::kYes;
      next = now + std::chrono::milliseconds(20);
      const nb::gil_scoped_acquire gil;
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      return Continue::kYes;
    };
  return [observer = observer.ptr()](const Progress& p) {  // borrowed: the caller holds it
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    const auto running = std::make_shared<RunningState>(RunningState{&p.state});
    struct Returned {
      RunningState& running;
      ~Returned() { running.state = nullptr; }
    } const returned{*running};
    nb::dict counts = counts_dict(p.evaluations);
    counts["refined_at"] = p.state.refined_at;
    const nb::object stop = nb::handle(observer)(p.iteration, to_numpy(p.x), p.f, to_numpy(p.grad), p.grad_inf_norm,
                                                 p.step_size, counts, counts_dict(p.fallbacks), p.seconds, running);
    return PyObject_IsTrue(stop.ptr()) == 1 ? Continue::kNo : Continue::kYes;
  };
}

// Calls a Python function with each line. Copies of the sink are made and go without the GIL.
ProgressSink sink_of(nb::object sink) {
  const auto release = [](nb::object* held) {
    const nb::gil_scoped_acquire gil;
    delete held;
  };
  const std::shared_ptr<nb::object> shared(new nb::object(std::move(sink)), release);
  return [shared](std::string_view line) {
    const nb::gil_scoped_acquire gil;
    (*shared)(nb::str(line.data(), line.size()));
  };
}

// Python's objective, or a copy of a built-in one: they have scratch space, and other threads may run.
std::unique_ptr<Objective> make_objective(nb::handle f, Index n) {
  if (nb::isinstance<Problem>(f)) {
    Problem copy;
    throw_if(make_problem(nb::cast<const Problem&>(f).name, copy));
    return std::move(copy.objective);
  }
  return std::make_unique<PythonObjective>(n, nb::cast<std::shared_ptr<Callables>>(f));
}

nb::dict run_minimize(const nb::object& f, const nb::object& x0, const AlgorithmMaker& maker, Options options,
                      const nb::object& observer, const State* state, const nb::object& lower,
                      const nb::object& upper) {
  if (!lower.is_none()) options.lower = vector_from(lower, "lower bounds");
  if (!upper.is_none()) options.upper = vector_from(upper, "upper bounds");
  const Vector start = state != nullptr ? state->x : vector_from(x0, "x0");
  const std::unique_ptr<Objective> objective = make_objective(f, start.size());
  const Algorithm algorithm = maker.make(options.hyper_parameters);
  options.algorithm = algorithm.name;
  options.keep_trace = true;
  constexpr double kDouble = std::numeric_limits<double>::epsilon();
  const std::shared_ptr<Callables> callables =
      nb::isinstance<Problem>(f) ? nullptr : nb::cast<std::shared_ptr<Callables>>(f);
  FlatRun flat(callables == nullptr ? kDouble : callables->precision, options.gtol);
  options.observer = flat.around(make_observer(observer));
  const NoIterations none(state, options);
  std::optional<Summary> summary;
  {
    const nb::gil_scoped_release no_gil;
    summary = state != nullptr ? resume(*objective, *state, algorithm, options)
                               : minimize(*objective, start, algorithm, options);
  }
  flat.conclude(*summary);
  none.conclude(*summary);
  return as_dict(std::move(*summary));
}

nb::dict run_check_gradient(const nb::object& f, const nb::object& x, double tolerance, const nb::object& lower,
                            const nb::object& upper) {
  const Vector point = vector_from(x, "x");
  const std::unique_ptr<Objective> objective = make_objective(f, point.size());
  GradientCheckOptions options{.tolerance = tolerance, .lower = {}, .upper = {}};
  if (!lower.is_none()) options.lower = vector_from(lower, "lower bounds");
  if (!upper.is_none()) options.upper = vector_from(upper, "upper bounds");
  GradientCheck check;
  {
    const nb::gil_scoped_release no_gil;
    check = check_gradient(*objective, point, options);
  }
  nb::dict dict;
  dict["ok"] = check.ok;
  dict["max_error"] = check.max_error;
  dict["worst"] = check.worst;
  dict["gradient"] = check.gradient;
  dict["difference"] = check.difference;
  dict["message"] = check.message;
  return dict;
}

// --- warm starts and series ------------------------------------------------------------------------------------------

// Calls a Python function v -> H v, from a thread that may not hold the GIL.
LinearOperator operator_of(const nb::object& product) {
  return [product](const Vector& v, Vector& out) {
    const nb::gil_scoped_acquire gil;
    from_numpy(product(to_numpy(v)), "hess_inv0", out);
  };
}

WarmStart warm_from_matrix(const nb::object& x, const nb::object& B) {
  const Vector point = vector_from(x, "x");
  Matrix matrix(point.size(), point.size());
  from_numpy(B, "B", matrix);
  return {point, matrix};
}

nb::bytes bytes_of(const State& state) {
  const std::string bytes = state_bytes(state);
  return nb::bytes(bytes.data(), bytes.size());
}

void set_bytes(State& state, const nb::bytes& bytes) {
  throw_if(state_from_bytes(std::string(bytes.c_str(), bytes.size()), state));
}

// A warm start as the state of a run that has the same x and B.
State state_of(const WarmStart& warm) {
  State state;
  state.algorithm = warm.algorithm();
  state.x = warm.x();
  state.grad = Vector::Zero(state.x.size());
  if (warm.has_B()) state.B = warm.B()->clone();
  return state;
}

nb::dict as_dict(const SeriesReport& report) {
  nb::dict dict;
  dict["num_solves"] = report.num_solves;
  dict["start"] = name(report.start);
  dict["used_B"] = report.used_B;
  dict["misled"] = report.misled;
  dict["pause"] = report.pause;
  dict["start_gain"] = report.start_gain;
  dict["path_gain"] = report.path_gain;
  dict["path_factor"] = report.path_factor;
  return dict;
}

nb::dict series_minimize(Series& series, const nb::object& f, const nb::object& x0, const nb::object& observer) {
  constexpr double kDouble = std::numeric_limits<double>::epsilon();
  const Vector start = vector_from(x0, "x0");
  const std::unique_ptr<Objective> objective = make_objective(f, start.size());
  const std::shared_ptr<Callables> callables =
      nb::isinstance<Problem>(f) ? nullptr : nb::cast<std::shared_ptr<Callables>>(f);
  FlatRun flat(callables == nullptr ? kDouble : callables->precision, series.options().gtol);
  series.set_observer(flat.around(make_observer(observer)));
  std::optional<Summary> summary;
  {
    const nb::gil_scoped_release no_gil;
    summary = series.minimize(*objective, start);
  }
  flat.conclude(*summary);
  return as_dict(std::move(*summary));
}

// The results are in the order of the problems. The first exception of an objective comes out when all have ended.
nb::list series_minimize_batch(Series& series, const nb::list& objectives, const nb::list& starts) {
  std::vector<std::unique_ptr<Objective>> owned;
  std::vector<BatchProblem> problems;
  for (std::size_t i = 0; i < nb::len(objectives); ++i) {
    Vector start = vector_from(starts[i], "X0");
    owned.push_back(make_objective(objectives[i], start.size()));
    problems.push_back({owned.back().get(), std::move(start)});
  }
  series.set_observer({});
  std::vector<BatchResult> results;
  {
    const nb::gil_scoped_release no_gil;
    results = series.minimize_batch(problems);
  }
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  nb::list dicts;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].error != nullptr) std::rethrow_exception(results[i].error);
    if (!nb::isinstance<Problem>(objectives[i]))
      FlatRun(nb::cast<std::shared_ptr<Callables>>(objectives[i])->precision, series.options().gtol)
          .conclude(results[i].summary);
    dicts.append(as_dict(std::move(results[i].summary)));
  }
  return dicts;
}

void bind_series(nb::module_& m) {
  nb::class_<WarmStart>(m, "WarmStart", "What another run knew: a point and B there.")
      .def(nb::init<const State&>(), nb::arg("state"))
      .def(
          "__init__",
          [](WarmStart* warm, const nb::object& x, const nb::object& B) {
            new (warm) WarmStart(warm_from_matrix(x, B));
          },
          nb::arg("x"), nb::arg("B"))
      .def_static(
          "load",
          [](const std::string& path) {
            WarmStart warm;
            throw_if(WarmStart::load(path, warm));
            return warm;
          },
          nb::arg("path"))
      .def(
          "at", [](const WarmStart& warm, const nb::object& x) { return warm.at(vector_from(x, "x")); }, nb::arg("x"),
          "The same knowledge for a run that begins at another point.")
      .def_prop_ro("has_inverse_hessian", &WarmStart::has_B)
      .def_prop_ro("algorithm", [](const WarmStart& warm) { return warm.algorithm(); })
      .def_prop_ro("x", [](const WarmStart& warm) { return to_numpy(warm.x()); })
      .def("__getstate__", [](const WarmStart& warm) { return bytes_of(state_of(warm)); })
      .def("__setstate__", [](WarmStart& warm, const nb::bytes& bytes) {
        State state;
        set_bytes(state, bytes);
        new (&warm) WarmStart(state.x, std::move(state.B), state.algorithm);
      });
  nb::class_<Series>(m, "Series")
      .def(
          "__init__",
          [](Series* series, Options options) {
            options.keep_trace = true;
            new (series) Series(std::move(options));
          },
          nb::arg("options"))
      .def("minimize", &series_minimize, nb::arg("f"), nb::arg("x0"), nb::arg("observer").none() = nb::none())
      .def("minimize_batch", &series_minimize_batch, nb::arg("objectives"), nb::arg("starts"))
      .def_prop_ro("report", [](const Series& series) { return as_dict(series.report()); })
      .def("clear", &Series::clear)
      .def(
          "save", [](const Series& series, const std::string& path) { throw_if(series.save(path)); }, nb::arg("path"))
      .def(
          "load", [](Series& series, const std::string& path) { throw_if(series.load(path)); }, nb::arg("path"))
      .def("to_bytes",
           [](const Series& series) {
             const std::string bytes = series.bytes();
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def(
          "from_bytes",
          [](Series& series, const nb::bytes& bytes) {
            throw_if(series.load_bytes(std::string(bytes.c_str(), bytes.size())));
          },
          nb::arg("data"));
}

// --- states --------------------------------------------------------------------------------------------------------

void require_B(const State& state) {
  if (state.B == nullptr)
    throw nb::value_error(("state: expected one with an inverse Hessian, found one of " + state.algorithm).c_str());
}

Array dense_B(const State& state) {
  require_B(state);
  Matrix B = Matrix::Zero(state.dimension(), state.dimension());
  lower_triangle(*state.B, B);
  return to_numpy(Matrix(B.selfadjointView<Eigen::Lower>()));
}

Array apply_B(const State& state, const nb::object& v) {
  require_B(state);
  Vector vector(state.dimension()), out(state.dimension());
  from_numpy(v, "v", vector);
  apply(*state.B->clone(), vector, out);  // a clone, because applying may rearrange it
  return to_numpy(out);
}

void bind_state(nb::module_& m) {
  nb::class_<RunningState>(m, "RunningState", "The state of a run that goes on, for the time of a callback.")
      .def("copy", [](const RunningState& running) { return State(running.get()); })
      .def(
          "save",
          [](const RunningState& running, const std::string& path) { throw_if(save_state(running.get(), path)); },
          nb::arg("path"));
  nb::class_<State>(m, "State", "The pair (x_k, S_k): all that changes during a run. Pickles as loa's state file.")
      .def(nb::init<>())
      .def_ro("algorithm", &State::algorithm)
      .def_ro("iteration", &State::iteration)
      .def_ro("f", &State::f)
      .def_ro("step_size", &State::step_size)
      .def_prop_ro("n", &State::dimension)
      .def_prop_ro("x", [](const State& s) { return to_numpy(s.x); })
      .def_prop_ro("grad", [](const State& s) { return to_numpy(s.grad); })
      .def_prop_ro("evaluations", [](const State& s) { return counts_dict(s.evaluations); })
      .def_prop_ro("fallbacks", [](const State& s) { return counts_dict(s.fallbacks); })
      .def_prop_ro("has_inverse_hessian", [](const State& s) { return s.B != nullptr; })
      .def("inverse_hessian", &dense_B, "B_{k-1} as an n x n array. Not all algorithms have one.")
      .def("apply_inverse_hessian", &apply_B, nb::arg("v"), "B_{k-1} v.")
      .def("to_bytes", &bytes_of, "The content of a state file.")
      .def_static(
          "from_bytes",
          [](const nb::bytes& bytes) {
            State state;
            set_bytes(state, bytes);
            return state;
          },
          nb::arg("data"))
      .def(
          "save", [](const State& s, const std::string& path) { throw_if(save_state(s, path)); }, nb::arg("path"))
      .def_static(
          "load",
          [](const std::string& path) {
            State state;
            throw_if(load_state(path, state));
            return state;
          },
          nb::arg("path"))
      .def("__getstate__", &bytes_of)
      .def("__setstate__", [](State& state, const nb::bytes& bytes) {
        new (&state) State();
        set_bytes(state, bytes);
      });
}

// --- options, problems, algorithms ---------------------------------------------------------------------------------

void bind_options(nb::module_& m) {
  nb::enum_<Safeguard>(m, "Safeguard")
      .value("off", Safeguard::kOff)
      .value("on", Safeguard::kOn)
      .value("spectrum", Safeguard::kSpectrum);
  nb::class_<HyperParameters> hyper_parameters(m, "HyperParameters");
  nb::class_<Options> options(m, "Options");
  hyper_parameters.def(nb::init<>());
  options.def(nb::init<>()).def_rw("hyper_parameters", &Options::hyper_parameters);
  // With an underscore: they are no options by name.
  options.def("_set_warm", [](Options& all, const WarmStart& warm) { all.warm = warm; });
  options.def("_set_bounds", [](Options& all, const nb::object& lower, const nb::object& upper) {
    all.lower = vector_from(lower, "lower bounds");
    all.upper = vector_from(upper, "upper bounds");
  });
  options.def("_set_progress", [](Options& all, nb::object sink) { all.progress = sink_of(std::move(sink)); });
  options.def("_set_initial_inverse_hessian",
              [](Options& all, const nb::object& product) { all.initial_inverse_hessian = operator_of(product); });
  const auto def = [&]<class Struct, class T>(const char* name, T Struct::*member) {
    if constexpr (std::is_same_v<Struct, Options>)
      options.def_rw(name, member);
    else
      hyper_parameters.def_rw(name, member);
  };
  for (const OptionRow& row : kOptions) std::visit([&](auto member) { def(row.name, member); }, row.member);
  nb::dict renamed;
  for (const auto& [old_name, name] : kRenamed) renamed[old_name] = name;
  m.attr("RENAMED") = renamed;
}

void bind_problem(nb::module_& m) {
  nb::class_<Problem>(m, "Problem", "A built-in problem, made from `name` or `name:key=value,...`.")
      .def(
          "__init__",
          [](Problem* problem, const std::string& spec) {
            Problem made;
            throw_if(make_problem(spec, made));
            new (problem) Problem(std::move(made));
          },
          nb::arg("spec"))
      .def_ro("name", &Problem::name)
      .def_prop_ro("minimum", [](const Problem& p) { return p.minimum.get(); })
      .def_prop_ro("lipschitz", [](const Problem& p) { return p.lipschitz.get(); })
      .def_prop_ro("strong_convexity", [](const Problem& p) { return p.strong_convexity.get(); })
      .def_prop_ro("n", [](const Problem& p) { return p.objective->dimension(); })
      .def_prop_ro("start", [](const Problem& p) { return to_numpy(p.start); })
      .def_prop_ro(
          "lower", [](const Problem& p) { return to_numpy(p.lower); },
          "Lower bounds on the variables, of length 0 where there are none.")
      .def_prop_ro(
          "upper", [](const Problem& p) { return to_numpy(p.upper); },
          "Upper bounds on the variables, of length 0 where there are none.")
      .def(
          "value_and_gradient",
          [](Problem& p, const nb::object& x) {
            Vector point(p.objective->dimension()), grad(point.size());
            from_numpy(x, "x", point);
            const double f = p.objective->value_and_gradient(point, grad);
            return nb::make_tuple(f, to_numpy(grad));
          },
          nb::arg("x"))
      .def(
          "value",
          [](Problem& p, const nb::object& x) {
            Vector point(p.objective->dimension());
            from_numpy(x, "x", point);
            return p.objective->value(point);
          },
          nb::arg("x"))
      .def(
          "hessian",
          [](Problem& p, const nb::object& x) {
            Vector point(p.objective->dimension());
            from_numpy(x, "x", point);
            Matrix H(point.size(), point.size());
            if (!p.objective->hessian(point, H)) throw nb::value_error((p.name + ": has no Hessian").c_str());
            return to_numpy(H);
          },
          nb::arg("x"))
      .def("__getstate__", [](const Problem& p) { return p.name; })
      .def("__setstate__", [](Problem& problem, const std::string& spec) {
        Problem made;
        throw_if(make_problem(spec, made));
        new (&problem) Problem(std::move(made));
      });
}

const AlgorithmInfo& info_of(const std::string& name) {
  for (const AlgorithmInfo& info : algorithms())
    if (info.name == name) return info;
  make_algorithm(name);  // complains
  throw std::invalid_argument(name);
}

// `weights` is a name, a file or a Weights; `model` takes the place of the algorithm's own.
AlgorithmMaker make_maker(const std::string& base, std::variant<std::string, Weights> weights,
                          std::shared_ptr<const PythonModel> model, const std::string& name) {
  AlgorithmMaker maker{.name = name.empty() ? base : name, .make = {}, .info = info_of(base)};
  maker.make = [base, weights, model, name = maker.name](const HyperParameters& gamma) {
    Algorithm made = std::visit([&](const auto& w) { return make_algorithm(base, gamma, w); }, weights);
    made.name = name;
    if (model != nullptr) made.model = model;
    return made;
  };
  maker.make({});  // complains
  return maker;
}

void bind_algorithm(nb::module_& m) {
  nb::class_<PythonModel>(m, "Model")
      .def(
          "__init__",
          [](PythonModel* model, nb::object predict, nb::object pullback, const nb::object& theta) {
            new (model) PythonModel(std::move(predict), std::move(pullback), vector_from(theta, "theta"));
          },
          nb::arg("predict"), nb::arg("pullback").none(), nb::arg("theta"))
      .def_prop_ro("theta", [](const PythonModel& model) { return to_numpy(model.theta()); });
  nb::class_<AlgorithmMaker>(m, "AlgorithmMaker")
      .def(
          "__init__",
          [](AlgorithmMaker* maker, const std::string& base, const std::string& weights,
             std::shared_ptr<PythonModel> model,
             const std::string& name) { new (maker) AlgorithmMaker(make_maker(base, weights, model, name)); },
          nb::arg("base"), nb::arg("weights") = "", nb::arg("model").none() = nb::none(), nb::arg("name") = "")
      .def(
          "__init__",
          [](AlgorithmMaker* maker, const std::string& base, const Weights& weights, std::shared_ptr<PythonModel> model,
             const std::string& name) { new (maker) AlgorithmMaker(make_maker(base, weights, model, name)); },
          nb::arg("base"), nb::arg("weights"), nb::arg("model").none() = nb::none(), nb::arg("name") = "")
      .def_ro("name", &AlgorithmMaker::name)
      .def_prop_ro("needs_hessian", [](const AlgorithmMaker& maker) { return maker.info.needs_hessian; })
      .def_prop_ro("takes_bounds", [](const AlgorithmMaker& maker) { return maker.make({}).storage->takes_bounds(); })
      .def_prop_ro("line_search", [](const AlgorithmMaker& maker) { return maker.info.line_search; });
}

void bind_objective(nb::module_& m) {
  nb::enum_<GradientRule>(m, "GradientRule")
      .value("fused", GradientRule::kFused)
      .value("separate", GradientRule::kSeparate)
      .value("forward", GradientRule::kForward)
      .value("central", GradientRule::kCentral)
      .value("forward_then_central", GradientRule::kForwardThenCentral);

  nb::class_<Callables>(m, "Objective")
      .def(
          "__init__",
          [](Callables* self, nb::object fun, nb::object jac, nb::object value, nb::object hess, nb::object hessp,
             nb::tuple args, GradientRule rule, double step) {
            new (self) Callables{std::move(fun),
                                 std::move(jac),
                                 std::move(value),
                                 std::move(hess),
                                 std::move(hessp),
                                 std::move(args),
                                 rule,
                                 step};
          },
          nb::arg("fun"), nb::arg("jac").none(), nb::arg("value").none(), nb::arg("hess").none(),
          nb::arg("hessp").none(), nb::arg("args"), nb::arg("rule"), nb::arg("step"))
      .def(
          "set_bounds",
          [](Callables& self, const nb::object& lower, const nb::object& upper) {
            self.lower = vector_from(lower, "lower bounds");
            self.upper = vector_from(upper, "upper bounds");
          },
          nb::arg("lower"), nb::arg("upper"), "Of differences.")
      .def_rw("precision", &Callables::precision,
              "Of the values of f, relative; 0: found by the type of the first one.")
      .def_rw("by_differences", &Callables::by_differences,
              "Whether gradients are by differences: by the rule, or inside fun.")
      .def_prop_rw(
          "gradient_error", [](const Callables& self) { return self.gradient_error; },
          [](Callables& self, nb::object error) { self.gradient_error = std::move(error); },
          "Of fused gradients: an object with bound(x, f, curvature) and refine().")
      .def("calls", &Callables::calls, nb::arg("n"), nb::arg("is_refined") = false,
           "Calls of fun for a value and a gradient, before and after gradients were refined.");
}

}  // namespace

nb::dict summary_dict(Summary summary) { return as_dict(std::move(summary)); }

void bind_run(nb::module_& m) {
  bind_state(m);
  bind_series(m);
  bind_options(m);
  bind_problem(m);
  bind_algorithm(m);
  bind_objective(m);
  m.def("minimize", &run_minimize, nb::arg("f"), nb::arg("x0").none(), nb::arg("algorithm"), nb::arg("options"),
        nb::arg("observer").none() = nb::none(), nb::arg("state").none() = nb::none(),
        nb::arg("lower").none() = nb::none(), nb::arg("upper").none() = nb::none());
  m.def("check_gradient", &run_check_gradient, nb::arg("f"), nb::arg("x"), nb::arg("tolerance"),
        nb::arg("lower").none() = nb::none(), nb::arg("upper").none() = nb::none());
}

}  // namespace loa::python
