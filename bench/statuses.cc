// Are successes true? Runs sets of problems from several starts and judges every "converged to working precision" by
// going on from the point that was returned with other algorithms: the claim is false when one of them finds a visibly
// lower f. Deterministic.
//
//   statuses [--starts N] [--gtol EPS] [--offset V] [--jobs J] [--algorithms NAME,...] [SET ...]
//
// --offset adds V to every f, which raises the rounding of f over everything that is left to gain.
// Prints one line for each false claim, and a table with a row for each set and algorithm.
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "experiment/problem_sets.h"
#include "experiment/start.h"
#include "loa/lab.h"

namespace {

constexpr std::int64_t kMaxEvaluations = 3000;
// A decrease that nobody can take for rounding: this many times the spacing of f, and this part of the decrease that
// the run had made.
constexpr double kSpacings = 1e4, kPart = 1e-8;

class Shifted final : public loa::Objective {
 public:
  Shifted(loa::Objective& f, double offset) : f_(f), offset_(offset) {}
  loa::Index dimension() const override { return f_.dimension(); }
  double value_and_gradient(const loa::Vector& x, loa::Vector& grad) override {
    return f_.value_and_gradient(x, grad) + offset_;
  }
  bool hessian_vector(const loa::Vector& x, const loa::Vector& v, loa::Vector& out) override {
    return f_.hessian_vector(x, v, out);
  }
  bool hessian(const loa::Vector& x, loa::Matrix& hessian) override { return f_.hessian(x, hessian); }

 private:
  loa::Objective& f_;
  double offset_;
};

struct Job {
  std::string set, spec, algorithm;
  int start;
};

struct Counts {
  std::int64_t runs = 0, gradient = 0, precision = 0, false_precision = 0, stalled = 0, failed = 0, limit = 0,
               other = 0;
  std::int64_t evaluations = 0, true_failures = 0;
};

struct Settings {
  int starts = 5;
  double gtol = 1e-6, offset = 0.0;
  int jobs = 2;
  std::vector<std::string> algorithms = {"bfgs", "sr1", "bfgs+", "loa", "l-bfgs", "l-bfgs+", "l-bfgs+d"};
};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

// The lowest f that other algorithms find from x.
double polished(loa::Objective& f, const loa::Summary& summary) {
  double lowest = summary.f;
  for (const char* name : {"newton", "bfgs", "bfgs+", "l-bfgs", "conjugate-gradient"}) {
    loa::Options options{.algorithm = name, .gtol = 0.0, .max_evaluations = 1000};
    loa::Matrix hessian(f.dimension(), f.dimension());
    if (options.algorithm == "newton" && !f.hessian(summary.x, hessian)) continue;
    const double reached = loa::minimize(f, summary.x, options).f;
    if (reached < lowest) lowest = reached;
  }
  return lowest;
}

void run(const Job& job, const Settings& settings, Counts& counts, std::string& report) {
  loa::Problem problem;
  if (const loa::Error error = loa::make_problem(job.spec, problem)) {
    report += error.message() + "\n";
    return;
  }
  Shifted f(*problem.objective, settings.offset);
  const loa::Vector x0 =
      job.start == 0 ? problem.start : loa::perturbed_start(problem.start, static_cast<std::uint64_t>(job.start));
  loa::Vector grad(x0.size());
  const double f_start = f.value_and_gradient(x0, grad);
  const loa::Summary summary =
      loa::minimize(f, x0, {.algorithm = job.algorithm, .gtol = settings.gtol, .max_evaluations = kMaxEvaluations});
  ++counts.runs;
  counts.evaluations += summary.evaluations.value;
  const std::string status(loa::name(summary.status));
  const bool precision = status == "converged_to_working_precision";
  if (precision)
    ++counts.precision;
  else if (summary.success())
    ++counts.gradient;
  else if (status == "stalled")
    ++counts.stalled;
  else if (status == "line_search_failed")
    ++counts.failed;
  else if (status == "evaluation_limit_reached")
    ++counts.limit;
  else
    ++counts.other;
  if (!precision && status != "stalled" && status != "line_search_failed") return;
  const double lowest = polished(f, summary);
  const bool lower = summary.f - lowest > kSpacings * std::numeric_limits<double>::epsilon() * std::abs(summary.f) &&
                     summary.f - lowest > kPart * (f_start - lowest);
  if (precision && lower) ++counts.false_precision;
  if (!precision && !lower) ++counts.true_failures;
  if (precision == lower)
    report += fmt::format("{} {} {} start {} {}: {} f={:.17g} lowest={:.17g} |g|={:.2g} evaluations={}\n",
                          precision ? "FALSE" : "PESSIMISTIC", job.set, job.spec, job.start, job.algorithm, status,
                          summary.f, lowest, summary.grad_inf_norm, summary.evaluations.value);
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  std::vector<std::string> sets;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&] { return std::string(i + 1 < argc ? argv[++i] : ""); };
    if (word == "--starts")
      settings.starts = std::atoi(value().c_str());
    else if (word == "--gtol")
      settings.gtol = std::atof(value().c_str());
    else if (word == "--offset")
      settings.offset = std::atof(value().c_str());
    else if (word == "--jobs")
      settings.jobs = std::atoi(value().c_str());
    else if (word == "--algorithms")
      settings.algorithms = split(value());
    else
      sets.push_back(word);
  }
  if (sets.empty()) sets = {"named", "synthetic", "expressions", "middle"};

  std::vector<Job> jobs;
  for (const std::string& set : sets) {
    std::vector<std::string> specs;
    if (const loa::Error error = loa::add_problem_set(set, specs)) {
      fmt::print(stderr, "statuses: {}\n", error.message());
      return 2;
    }
    for (const std::string& spec : specs)
      for (const std::string& algorithm : settings.algorithms)
        for (int start = 0; start < settings.starts; ++start) jobs.push_back({set, spec, algorithm, start});
  }
  std::vector<Counts> counts(jobs.size());
  std::vector<std::string> reports(jobs.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < jobs.size(); i = next++) run(jobs[i], settings, counts[i], reports[i]);
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < settings.jobs; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();

  std::map<std::pair<std::string, std::string>, Counts> table;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    fmt::print("{}", reports[i]);
    Counts& row = table[{jobs[i].set, jobs[i].algorithm}];
    const Counts& c = counts[i];
    row.runs += c.runs, row.gradient += c.gradient, row.precision += c.precision;
    row.false_precision += c.false_precision, row.stalled += c.stalled, row.failed += c.failed, row.limit += c.limit;
    row.other += c.other, row.evaluations += c.evaluations, row.true_failures += c.true_failures;
  }
  fmt::print(
      "| set | algorithm | runs | gradient | working precision | of them false | stalled | search failed | of both at "
      "a minimum | evaluation limit | other | evaluations |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | "
      "--- | --- | --- |\n");
  for (const auto& [key, c] : table)
    fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", key.first, key.second, c.runs,
               c.gradient, c.precision, c.false_precision, c.stalled, c.failed, c.true_failures, c.limit, c.other,
               c.evaluations);
}
