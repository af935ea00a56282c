// SciPy's options of line searches: c1, c2, maxls.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <limits>
#include <optional>

#include "algorithm_maker.h"
#include "bindings.h"
#include "loa/line_search.h"

namespace loa::python {

namespace nb = nanobind;

namespace {

// Another search with at most `max_trials` trials. A search that needs more has failed.
class LimitedSearch final : public LineSearch {
 public:
  LimitedSearch(std::shared_ptr<const LineSearch> search, std::int64_t max_trials)
      : search_(std::move(search)), max_trials_(max_trials) {}

  LineSearchOutcome search(Ray& ray, double first_trial, Trial& accepted) const override {
    ray.limit_trials(max_trials_);
    const LineSearchOutcome outcome = search_->search(ray, first_trial, accepted);
    ray.limit_trials(std::numeric_limits<std::int64_t>::max());
    return outcome == LineSearchOutcome::kExhausted && !ray.exhausted() ? LineSearchOutcome::kFailed : outcome;
  }
  bool needs_descent() const override { return search_->needs_descent(); }
  bool begins_at_first_trial() const override { return search_->begins_at_first_trial(); }
  WolfeConstants constants() const override { return search_->constants(); }
  std::string name() const override { return search_->name(); }

 private:
  std::shared_ptr<const LineSearch> search_;
  std::int64_t max_trials_;
};

// c1 and c2 are those of the strong Wolfe conditions, as in SciPy: the condition of weak-wolfe with a small c2 only
// keeps steps from being short, and a search for it takes more evaluations (Rosenbrock's function, c2 = 0.01: 305 in
// place of 267).
AlgorithmMaker with_search(const AlgorithmMaker& maker, const std::string& name, std::optional<double> c1,
                           std::optional<double> c2, std::optional<std::int64_t> max_trials) {
  if (max_trials && *max_trials < 1) throw nb::value_error("maxls: expected at least 1");
  AlgorithmMaker changed = maker;
  changed.make = [make = maker.make, name, c1, c2, max_trials](const HyperParameters& gamma) {
    Algorithm made = make(gamma);
    const WolfeConstants own = made.line_search->constants();
    std::string search = name.empty() ? made.line_search->name() : name;
    if (name.empty() && search == "weak-wolfe") search = "more-thuente";
    if (!name.empty() || c1 || c2)
      made.line_search = make_line_search(search, {c1.value_or(own.c1), c2.value_or(own.c2)});
    if (max_trials) made.line_search = std::make_shared<LimitedSearch>(made.line_search, *max_trials);
    return made;
  };
  changed.make({});  // complains
  return changed;
}

}  // namespace

void bind_search(nb::module_& m) {
  m.def(
      "with_search", &with_search, nb::arg("algorithm"), nb::arg("line_search"), nb::arg("c1").none(),
      nb::arg("c2").none(), nb::arg("max_trials").none(),
      "The algorithm with another line search (\"\": its own, or with constants one for the strong Wolfe conditions), "
      "other constants (None: those of its own) and a limit.");
}

}  // namespace loa::python
