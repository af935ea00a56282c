// minimize_batch: many runs in lock step, with one call of f for all of them.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithm_maker.h"
#include "bindings.h"
#include "fiber.h"
#include "loa/minimize.h"
#include "no_iterations.h"
#include "noise.h"
#include "numpy.h"
#include "objective.h"
#include "summary_dict.h"

namespace loa::python {
namespace {

// A run needs a few kilobytes of it, and Eigen at most 128 more for what does not fit into a cache.
constexpr std::size_t kStackBytes = std::size_t{512} << 10;
// Each active run has two mappings of memory, of which Linux allows 65530.
constexpr Index kMostAtOnce = 16384;

// One of the runs, and what it asks.
struct Run final : public Objective {
  Run(Index size, std::unique_ptr<Stack> stack) : n(size), fiber(std::move(stack)) {}

  Index dimension() const override { return n; }
  double value_and_gradient(const Vector& point, Vector& gradient) override {
    x = &point;
    grad = &gradient;
    fiber.suspend();
    return f;
  }

  Index n;
  Fiber fiber;
  Index problem = 0;
  const Vector* x = nullptr;
  Vector* grad = nullptr;
  double f = 0.0;
};

class Batch {
 public:
  Batch(const nb::object& evaluate, const Matrix& starts, const AlgorithmMaker& maker, const Options& options,
        Index at_once, bool states, double precision)
      : evaluate_(evaluate),
        precision_(precision),
        starts_(starts),
        at_once_(std::clamp<Index>(at_once, 1, kMostAtOnce)),
        states_(states),
        algorithm_(maker.make(options.hyper_parameters)),
        options_(options),
        summaries_(static_cast<std::size_t>(starts.cols())) {
    options_.algorithm = algorithm_.name;
    options_.keep_trace = true;
  }

  std::vector<std::optional<Summary>> minimize_all() {
    for (Index i = 0; i < std::min(at_once_, starts_.cols()); ++i) {
      active_.push_back(std::make_unique<Run>(starts_.rows(), std::make_unique<Stack>(kStackBytes)));
      begin(*active_.back());
    }
    while (go_on()) answer();
    return std::move(summaries_);
  }

 private:
  void begin(Run& run) {
    run.problem = next_++;
    run.fiber.start([this, &run] {
      const Vector start = starts_.col(run.problem);
      std::optional<Summary>& summary = summaries_[static_cast<std::size_t>(run.problem)];
      FlatRun flat(precision_, options_.gtol);
      Options options = options_;
      options.observer = flat.around({});
      const NoIterations none(nullptr, options);
      summary = minimize(run, start, algorithm_, options);
      flat.conclude(*summary);
      none.conclude(*summary);
      if (!states_) summary->state = State();
    });
  }

  // Lets all runs go on to their next question. A run that has ended makes room for the next problem. Returns whether
  // there are questions.
  bool go_on() {
    const nb::gil_scoped_release no_gil;
    for (const auto& run : active_) {
      run->fiber.resume();
      while (run->fiber.done() && next_ < starts_.cols()) {
        begin(*run);
        run->fiber.resume();
      }
    }
    std::erase_if(active_, [](const auto& run) { return run->fiber.done(); });
    // The order of the problems, also where one took the place of another.
    std::ranges::sort(active_, {}, [](const auto& run) { return run->problem; });
    return !active_.empty();
  }

  void answer() {
    const Index num = static_cast<Index>(active_.size());
    points_.resize(num, starts_.rows());
    numbers_.resize(num);
    for (Index i = 0; i < num; ++i) {
      const Run& run = *active_[static_cast<std::size_t>(i)];
      points_.row(i) = run.x->transpose();
      numbers_[i] = static_cast<double>(run.problem);
    }
    const nb::object pair = evaluate_(to_numpy(points_), to_numpy(numbers_));
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (precision_ == 0.0) precision_ = precision_of(pair[0]);
    values_.resize(num);
    gradients_.resize(num, starts_.rows());
    from_numpy(pair[0], "fun: values", values_);
    from_numpy(pair[1], "fun: gradients", gradients_);
    for (Index i = 0; i < num; ++i) {
      Run& run = *active_[static_cast<std::size_t>(i)];
      run.f = values_[i];
      *run.grad = gradients_.row(i).transpose();
    }
  }

  const nb::object& evaluate_;
  double precision_;      // of the values of f, as in Callables
  const Matrix& starts_;  // one column for each problem
  const Index at_once_;
  const bool states_;
  Algorithm algorithm_;
  Options options_;
  std::vector<std::optional<Summary>> summaries_;
  Index next_ = 0;
  std::vector<std::unique_ptr<Run>> active_;
  Matrix points_, gradients_;
  Vector numbers_, values_;
};

// What became of all problems. Summaries are turned into Python objects when someone looks.
struct BatchSummary {
  std::vector<std::optional<Summary>> summaries;
  Index n;

  const Summary& at(std::size_t i) const {
    if (i >= summaries.size()) throw nb::index_error();
    return *summaries[i];
  }
  Array numbers(double (*of)(const Summary&)) const {
    Vector out(static_cast<Index>(summaries.size()));
    for (Index i = 0; i < out.size(); ++i) out[i] = of(at(static_cast<std::size_t>(i)));
    return to_numpy(out);
  }
  Array rows(const Vector Summary::*member) const {
    Matrix out(static_cast<Index>(summaries.size()), n);
    for (Index i = 0; i < out.rows(); ++i) out.row(i) = (at(static_cast<std::size_t>(i)).*member).transpose();
    return to_numpy(out);
  }
};

BatchSummary run_minimize_batch(const nb::object& evaluate, const nb::object& starts, Index num, Index n,
                                const AlgorithmMaker& maker, Options options, Index at_once, bool states,
                                double precision, const nb::object& lower, const nb::object& upper) {
  if (!lower.is_none()) options.lower = vector_from(lower, "lower bounds");
  if (!upper.is_none()) options.upper = vector_from(upper, "upper bounds");
  Matrix rows(num, n);
  from_numpy(starts, "X0", rows);
  const Matrix columns = rows.transpose();
  return {Batch(evaluate, columns, maker, options, at_once, states, precision).minimize_all(), n};
}

}  // namespace

void bind_batch(nb::module_& m) {
  nb::class_<BatchSummary>(m, "BatchSummary", "What became of the problems of minimize_batch.")
      .def("__len__", [](const BatchSummary& batch) { return batch.summaries.size(); })
      .def(
          "summary", [](const BatchSummary& batch, std::size_t i) { return summary_dict(batch.at(i)); }, nb::arg("i"))
      .def_prop_ro("x", [](const BatchSummary& batch) { return batch.rows(&Summary::x); })
      .def_prop_ro("grad", [](const BatchSummary& batch) { return batch.rows(&Summary::grad); })
      .def_prop_ro("f", [](const BatchSummary& batch) { return batch.numbers([](const Summary& s) { return s.f; }); })
      .def_prop_ro("iterations",
                   [](const BatchSummary& batch) {
                     return batch.numbers([](const Summary& s) { return static_cast<double>(s.iterations); });
                   })
      .def_prop_ro("evaluations",
                   [](const BatchSummary& batch) {
                     return batch.numbers([](const Summary& s) { return static_cast<double>(s.evaluations.value); });
                   })
      .def_prop_ro("success",
                   [](const BatchSummary& batch) {
                     return batch.numbers([](const Summary& s) { return s.success() ? 1.0 : 0.0; });
                   })
      .def_prop_ro("statuses", [](const BatchSummary& batch) {
        return batch.numbers([](const Summary& s) { return static_cast<double>(s.status); });
      });
  m.def(
      "status_name", [](int status) { return std::string(name(static_cast<Status>(status))); }, nb::arg("status"));
  m.def("minimize_batch", &run_minimize_batch, nb::arg("evaluate"), nb::arg("starts"), nb::arg("num"), nb::arg("n"),
        nb::arg("algorithm"), nb::arg("options"), nb::arg("at_once"), nb::arg("states"), nb::arg("precision"),
        nb::arg("lower").none() = nb::none(), nb::arg("upper").none() = nb::none(),
        "evaluate(X, numbers) -> (values, gradients) for the problems of these numbers, all that are still running.");
}

}  // namespace loa::python
