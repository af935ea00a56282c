#include "loa/series.h"

#include <exception>
#include <new>
#include <utility>

#include "algorithm/series_memory.h"
#include "base/parallel.h"
#include "base/text.h"

namespace loa {

// How a run begins.
struct Series::Plan {
  Options options;
  Vector x0;  // where a cold run begins
  SeriesStart start = SeriesStart::kGiven, cold_start = SeriesStart::kGiven;

  bool tries_B() const { return options.warm.has_B(); }
};

const char* name(SeriesStart start) {
  switch (start) {
    case SeriesStart::kGiven:
      return "given";
    case SeriesStart::kLast:
      return "last";
    case SeriesStart::kPath:
      return "path";
  }
  return "";
}

Series::Series(Options options) : options_(std::move(options)), memory_(std::make_unique<Memory>()) {}
Series::Series(const Series& other) : options_(other.options_), memory_(std::make_unique<Memory>(*other.memory_)) {}
Series& Series::operator=(const Series& other) { return *this = Series(other); }
Series::Series(Series&& other) noexcept = default;
Series& Series::operator=(Series&& other) noexcept = default;
Series::~Series() = default;

const SeriesReport& Series::report() const { return memory_->report; }

void Series::clear() { *memory_ = Memory(); }

Series::Plan Series::plan(const Vector& x0) const {
  const Memory& memory = *memory_;
  Plan plan{.options = options_, .x0 = x0};
  if (memory.report.num_solves == 0) return plan;
  plan.options.warm = {};
  if (!memory.knows_a_point() || memory.dimension() != x0.size()) return plan;
  const SeriesStart known = memory.trusts_given()  ? SeriesStart::kGiven
                            : memory.trusts_path() ? SeriesStart::kPath
                                                   : SeriesStart::kLast;
  const Vector point = known == SeriesStart::kGiven  ? x0
                       : known == SeriesStart::kPath ? memory.on_path()
                                                     : memory.last();
  if (memory.trusts_start()) {
    plan.x0 = point;
    plan.start = plan.cold_start = known;
  }
  if (!memory.trusts_B()) return plan;
  plan.options.warm = memory.B().at(point);
  plan.start = known;
  return plan;
}

Summary Series::minimize(Objective& f, const Vector& x0) {
  const Plan plan = this->plan(x0);
  Summary summary = loa::minimize(f, plan.x0, plan.options);
  if (memory_->dimension() != x0.size()) clear();
  memory_->learn(x0, plan.tries_B(), summary, options_);
  memory_->report.start = plan.tries_B() && !memory_->report.used_B ? plan.cold_start : plan.start;
  return summary;
}

Summary Series::minimize(const Function& f, const Vector& x0) {
  FunctionObjective objective(x0.size(), f);
  return minimize(objective, x0);
}

std::vector<BatchResult> Series::minimize_batch(std::span<const BatchProblem> problems) {
  std::vector<Plan> plans;
  for (const BatchProblem& problem : problems) plans.push_back(plan(problem.x0));
  std::vector<BatchResult> results(problems.size());
  parallel_for(static_cast<Index>(problems.size()), num_threads(), [&](Index index, int) {
    const auto i = static_cast<std::size_t>(index);
    try {
      results[i].summary = loa::minimize(*problems[i].f, plans[i].x0, plans[i].options);
    } catch (...) {
      results[i].error = std::current_exception();
    }
  });
  bool used_B = false;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    if (results[i].error != nullptr) continue;
    if (memory_->dimension() != problems[i].x0.size()) clear();
    memory_->learn(problems[i].x0, plans[i].tries_B(), results[i].summary, options_);
    used_B = used_B || memory_->report.used_B;
  }
  memory_->report.used_B = used_B;
  if (!plans.empty()) memory_->report.start = plans.front().start;
  return results;
}

Error Series::save(const std::string& path) const { return printable(memory_->tensors().write(path).message()); }

namespace {

template <typename Memory>
Error take_or_too_large(const TensorFile& file, const std::string& name, Memory& memory) {
  try {
    if (const Error error = memory.take(file)) return printable(name + ": " + error.message());
  } catch (const std::bad_alloc&) {
    return printable(name + ": found a series that is too large for the memory of this machine");
  }
  return {};
}

}  // namespace

Error Series::load(const std::string& path) {
  TensorFile file;
  if (Error error = file.read(path)) return printable(error.message());
  return take_or_too_large(file, path, *memory_);
}

std::string Series::bytes() const { return memory_->tensors().write_bytes(); }

Error Series::load_bytes(const std::string& bytes) {
  TensorFile file;
  if (Error error = file.read_bytes(bytes, "series")) return error;
  return take_or_too_large(file, "series", *memory_);
}

}  // namespace loa
