// The built-in problems, by name.
//
// Layer: problem.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "loa/error.h"
#include "loa/export.h"
#include "loa/objective.h"

LOA_EXPORT_BEGIN
namespace loa {

// A number that is known, or not, or is found out when it is first asked for: once, whichever threads ask, and by all
// copies together. Reads like a std::optional<double>.
class KnownNumber {
 public:
  KnownNumber() = default;  // not known
  KnownNumber(double value) : value_(value) {}
  KnownNumber(std::optional<double> value) : value_(value) {}
  // `find` is called at most once, and returns what a std::optional<double> can be made from.
  template <class Find>
  requires std::is_invocable_v<Find> KnownNumber(Find find) : later_(std::make_shared<Later>(std::move(find))) {}

  const std::optional<double>& get() const {
    if (later_ == nullptr) return value_;
    std::call_once(later_->once, [this] {
      later_->value = later_->find();
      later_->is_found = true;
      later_->find = nullptr;  // with what it holds
    });
    return later_->value;
  }
  bool is_found() const { return later_ == nullptr || later_->is_found; }  // whether get() has nothing left to do

  explicit operator bool() const { return get().has_value(); }
  bool has_value() const { return get().has_value(); }
  double operator*() const { return *get(); }
  double value() const { return get().value(); }
  double value_or(double other) const { return get().value_or(other); }
  friend bool operator==(const KnownNumber& a, const KnownNumber& b) { return a.get() == b.get(); }

 private:
  struct Later {
    explicit Later(std::function<std::optional<double>()> f) : find(std::move(f)) {}
    std::once_flag once;
    std::function<std::optional<double>()> find;
    std::optional<double> value;
    std::atomic<bool> is_found = false;
  };
  std::optional<double> value_;
  std::shared_ptr<Later> later_;
};

// An objective with its start and what is known about it.
struct Problem {
  std::string name;  // the spec it was made from
  std::unique_ptr<Objective> objective;
  Vector start;                      // the standard start, or a seeded one
  Vector lower, upper;               // bounds for Options::lower and upper; empty: none
  KnownNumber minimum;               // f at the (global) minimizer, when known
  std::vector<double> local_minima;  // other values of f at which descent methods legitimately end; may be -infinity
  KnownNumber lipschitz;             // L, a Lipschitz constant of the gradient, when known
  KnownNumber strong_convexity;      // mu, when f is known to be strongly convex
};

// A row of problems().
struct ProblemInfo {
  std::string name;         // "quadratic", "mgh:brown-badly-scaled"
  std::string description;  // one line, with the keys it understands
};

// Every name that make_problem understands.
const std::vector<ProblemInfo>& problems();

// Makes a problem from SPEC: `name` or `name:key=value,...`, for instance `quadratic:n=100,seed=3`,
// `logistic:data=FILE,reduction=sum,l2=1/m`, `mgh:brown-badly-scaled`. Returns no error and fills `problem`, or
// one line that says what was found and what was expected.
Error make_problem(const std::string& spec, Problem& problem);

}  // namespace loa
LOA_EXPORT_END
