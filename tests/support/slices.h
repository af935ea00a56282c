// Problems whole and in slices, and calls of minimize() on slices in several processes, for the tests of distributed
// runs.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "loa/minimize.h"
#include "support/objectives.h"
#include "support/processes.h"

namespace loa::test {

// How many coordinates each process holds.
using Slicing = std::vector<Index>;

inline Index total(const Slicing& slicing) { return std::accumulate(slicing.begin(), slicing.end(), Index{0}); }
inline Index begin_of(const Slicing& slicing, int rank) {
  return std::accumulate(slicing.begin(), slicing.begin() + rank, Index{0});
}
inline Index size_of(const Slicing& slicing, int rank) { return slicing[static_cast<std::size_t>(rank)]; }
inline Vector slice_of(const Vector& v, const Slicing& slicing, int rank) {
  return v.segment(begin_of(slicing, rank), size_of(slicing, rank));
}

inline std::string name_of(const Slicing& slicing) {
  std::string name;
  for (const Index size : slicing) name += (name.empty() ? "" : "_") + std::to_string(size);
  return name;
}

// Every process collects the whole x beside the algorithm and evaluates the whole f: the value has the bits of a serial
// run, and no call of reduce() is the objective's own.
class Gathered final : public Objective {
 public:
  Gathered(std::unique_ptr<Objective> whole, const ProcessReduction& reduction, const Slicing& slicing)
      : whole_(std::move(whole)),
        reduction_(reduction),
        begin_(begin_of(slicing, reduction.rank())),
        size_(size_of(slicing, reduction.rank())),
        grad_(whole_->dimension()) {}

  Index dimension() const override { return size_; }
  double value_and_gradient(const Vector& x, Vector& grad) override {
    gather(x, x_);
    const double f = whole_->value_and_gradient(x_, grad_);
    grad = grad_.segment(begin_, size_);
    return f;
  }
  bool hessian_vector(const Vector& x, const Vector& v, Vector& out) override {
    gather(x, x_);
    gather(v, v_);
    if (!whole_->hessian_vector(x_, v_, grad_)) return false;
    out = grad_.segment(begin_, size_);
    return true;
  }

 private:
  void gather(const Vector& slice, Vector& whole) const {
    whole.setZero(whole_->dimension());
    whole.segment(begin_, size_) = slice;
    reduction_.exchange({whole.data(), static_cast<std::size_t>(whole.size())});
  }

  std::unique_ptr<Objective> whole_;
  const ProcessReduction& reduction_;
  Index begin_, size_;
  Vector x_, v_, grad_;
};

// ChainedRosenbrock of which a process computes the terms that begin in its slice, and the halves of the gradient that
// belong to it. Two reductions: the values of x at the borders, and f.
class RosenbrockSlice final : public Objective {
 public:
  RosenbrockSlice(const ProcessReduction& reduction, Slicing slicing)
      : reduction_(reduction), slicing_(std::move(slicing)), borders_(2 * slicing_.size()) {}

  Index dimension() const override { return size_of(slicing_, reduction_.rank()); }
  double value_and_gradient(const Vector& x, Vector& grad) override {
    const std::size_t rank = static_cast<std::size_t>(reduction_.rank());
    const Index n = x.size();
    std::fill(borders_.begin(), borders_.end(), 0.0);
    if (n > 0) borders_[2 * rank] = x(0), borders_[2 * rank + 1] = x(n - 1);
    reduction_.sum(borders_);

    double f = 0.0;
    grad.setZero();
    for (Index i = 0; i < n; ++i) {
      const double* next = i + 1 < n ? &x(i + 1) : first_after(rank);
      if (next != nullptr) {
        const double t = *next - x(i) * x(i), u = 1.0 - x(i);
        f += 100.0 * t * t + u * u;
        grad(i) += -400.0 * t * x(i) - 2.0 * u;
      }
      const double* previous = i > 0 ? &x(i - 1) : last_before(rank);
      if (previous != nullptr) grad(i) += 200.0 * (x(i) - *previous * *previous);
    }
    reduction_.sum({&f, 1});
    return f;
  }

 private:
  // The neighbours of the slice; null at the ends of x.
  const double* first_after(std::size_t rank) const {
    for (std::size_t other = rank + 1; other < slicing_.size(); ++other)
      if (slicing_[other] > 0) return &borders_[2 * other];
    return nullptr;
  }
  const double* last_before(std::size_t rank) const {
    for (std::size_t other = rank; other-- > 0;)
      if (slicing_[other] > 0) return &borders_[2 * other + 1];
    return nullptr;
  }

  const ProcessReduction& reduction_;
  Slicing slicing_;
  std::vector<double> borders_;
};

// sum over j of log(1 + exp(-z_j)) + ridge/2 ||x||^2 with z = A x, of which a process has some columns of A. One
// reduction: z and ||x||^2.
class Logistic final : public Objective {
 public:
  static constexpr double kRidge = 0.1;

  Logistic(Matrix A, const Reduction& reduction) : A_(std::move(A)), reduction_(reduction), sums_(A_.rows() + 1) {}

  // Columns [begin, begin + size) of the data.
  static Matrix data(Index n, Index begin, Index size) {
    Matrix A(20, n);
    for (Index j = 0; j < n; ++j) A.col(j) = random_vector(A.rows(), 100 + static_cast<std::uint64_t>(j));
    return A.middleCols(begin, size);
  }

  Index dimension() const override { return A_.cols(); }
  double value_and_gradient(const Vector& x, Vector& grad) override {
    sums_.head(A_.rows()).noalias() = A_ * x;
    sums_(A_.rows()) = x.squaredNorm();
    reduction_.sum({sums_.data(), static_cast<std::size_t>(sums_.size())});
    double f = 0.5 * kRidge * sums_(A_.rows());
    grad = kRidge * x;
    for (Index j = 0; j < A_.rows(); ++j) {
      const double z = sums_(j);
      f += z > 0.0 ? std::log1p(std::exp(-z)) : std::log1p(std::exp(z)) - z;
      if (grad.size() > 0) grad -= A_.row(j).transpose() / (1.0 + std::exp(z));  // a row of no columns has no address
    }
    return f;
  }

 private:
  Matrix A_;
  const Reduction& reduction_;
  Vector sums_;
};

// A problem whole and in slices.
struct TestProblem {
  std::string name;
  std::function<Vector(Index n)> start;
  std::function<std::unique_ptr<Objective>(Index n)> whole;
  std::function<std::unique_ptr<Objective>(const ProcessReduction&, const Slicing&)> slice;
  double strong_convexity;  // smallest eigenvalue of the Hessian where the run ends
};

inline std::unique_ptr<Objective> coupled_quadratic(Index n) {
  return std::make_unique<Quadratic>(random_spd(n, 100.0, 3), random_vector(n, 4), 1.0);
}

inline std::unique_ptr<Objective> linear(Index n) {
  return std::make_unique<FunctionObjective>(n, [](const Vector& x, Vector& grad) {
    grad.setOnes();
    return x.sum();
  });
}

inline const std::vector<TestProblem>& sliced_problems() {
  static const std::vector<TestProblem> list = {
      {.name = "quadratic",
       .start = [](Index n) { return random_vector(n, 5); },
       .whole = coupled_quadratic,
       .slice = [](const ProcessReduction& reduction, const Slicing& slicing) -> std::unique_ptr<Objective> {
         return std::make_unique<Gathered>(coupled_quadratic(total(slicing)), reduction, slicing);
       },
       .strong_convexity = 1.0},
      // 0.499 at (1, ..., 1) for n = 13; a half of that is on the safe side of where a run stops.
      {.name = "rosenbrock",
       .start = [](Index n) { return ChainedRosenbrock::start(n); },
       .whole = [](Index n) -> std::unique_ptr<Objective> { return std::make_unique<ChainedRosenbrock>(n); },
       .slice = [](const ProcessReduction& reduction, const Slicing& slicing) -> std::unique_ptr<Objective> {
         return std::make_unique<RosenbrockSlice>(reduction, slicing);
       },
       .strong_convexity = 0.25},
      {.name = "logistic",
       .start = [](Index n) { return random_vector(n, 6); },
       .whole = [](Index n) -> std::unique_ptr<Objective> {
         return std::make_unique<Logistic>(Logistic::data(n, 0, n), Reduction::serial());
       },
       .slice = [](const ProcessReduction& reduction, const Slicing& slicing) -> std::unique_ptr<Objective> {
         const int rank = reduction.rank();
         return std::make_unique<Logistic>(
             Logistic::data(total(slicing), begin_of(slicing, rank), size_of(slicing, rank)), reduction);
       },
       .strong_convexity = Logistic::kRidge},
      // f falls for ever along -1.
      {.name = "unbounded",
       .start = [](Index n) { return random_vector(n, 7); },
       .whole = linear,
       .slice = [](const ProcessReduction& reduction, const Slicing& slicing) -> std::unique_ptr<Objective> {
         return std::make_unique<Gathered>(linear(total(slicing)), reduction, slicing);
       },
       .strong_convexity = 0.0},
  };
  return list;
}

inline const TestProblem& problem(const std::string& name) {
  for (const TestProblem& p : sliced_problems())
    if (p.name == name) return p;
  throw std::invalid_argument("no problem " + name);
}

// What comes back from a process: the parts of a Summary that can be compared.
struct Result {
  Status status = Status::kRunning;
  double f = 0.0, grad_inf_norm = 0.0, state_f = 0.0;
  std::int64_t iterations = 0;
  Evaluations evaluations;
  Fallbacks fallbacks;
  Vector x, grad, state_x;
  std::vector<TraceRow> trace;
  std::string algorithm, message;

  template <typename Archive>
  void visit(Archive& archive) {
    archive(status);
    archive(f);
    archive(grad_inf_norm);
    archive(state_f);
    archive(iterations);
    archive(evaluations);
    archive(fallbacks);
    archive(x);
    archive(grad);
    archive(state_x);
    archive(trace);
    archive(algorithm);
    archive(message);
  }
};

inline Result result_of(const Summary& s) {
  return {.status = s.status,
          .f = s.f,
          .grad_inf_norm = s.grad_inf_norm,
          .state_f = s.state.f,
          .iterations = s.iterations,
          .evaluations = s.evaluations,
          .fallbacks = s.fallbacks,
          .x = s.x,
          .grad = s.grad,
          .state_x = s.state.x,
          .trace = s.trace,
          .algorithm = s.state.algorithm,
          .message = s.message};
}

inline std::string packed(Result run) {
  Packer pack;
  run.visit(pack);
  return pack.bytes();
}

inline Result unpacked(const std::string& bytes) {
  Unpacker unpack(bytes);
  Result run;
  run.visit(unpack);
  return run;
}

// Changes what one process hands to minimize().
struct Call {
  std::unique_ptr<Objective> f;
  Vector x0;
  Options options;
};
using Change = std::function<void(int rank, Call& call)>;

// Calls minimize() on every slice.
inline ProcessesOutcome minimize_slices(const TestProblem& problem, const Slicing& slicing, const Options& options,
                                        const Change& change = {}) {
  return run_processes(static_cast<int>(slicing.size()), [&](const ProcessReduction& reduction) {
    const int rank = reduction.rank();
    Call call{.f = problem.slice(reduction, slicing),
              .x0 = slice_of(problem.start(total(slicing)), slicing, rank),
              .options = options};
    call.options.reduction = &reduction;
    if (change) change(rank, call);
    return packed(result_of(minimize(*call.f, call.x0, call.options)));
  });
}

inline Result minimize_whole(const TestProblem& problem, Index n, const Options& options) {
  const std::unique_ptr<Objective> f = problem.whole(n);
  return result_of(minimize(*f, problem.start(n), options));
}

// What the processes returned, after checks that they came back, and with a summary each. Empty otherwise.
inline std::vector<Result> results_of(const ProcessesOutcome& outcome) {
  EXPECT_EQ(outcome.failure, "");
  std::vector<Result> runs;
  for (std::size_t rank = 0; rank < outcome.processes.size(); ++rank) {
    const ProcessOutcome& process = outcome.processes[rank];
    EXPECT_FALSE(process.threw()) << "process " << rank << ": " << process.bytes;
    if (process.threw()) return {};
    runs.push_back(unpacked(process.bytes));
  }
  return runs;
}

// What is not of a slice must be the same on all processes, bit for bit.
inline void expect_agreement(const std::vector<Result>& runs) {
  for (std::size_t rank = 1; rank < runs.size(); ++rank) {
    SCOPED_TRACE(testing::Message() << "process " << rank << " and process 0");
    const Result &a = runs[0], &b = runs[rank];
    EXPECT_EQ(name(a.status), name(b.status));
    EXPECT_EQ(a.message, b.message);
    EXPECT_EQ(a.algorithm, b.algorithm);
    EXPECT_TRUE(same_bits(a.f, b.f)) << a.f << ' ' << b.f;
    EXPECT_TRUE(same_bits(a.state_f, b.state_f)) << a.state_f << ' ' << b.state_f;
    EXPECT_TRUE(same_bits(a.grad_inf_norm, b.grad_inf_norm)) << a.grad_inf_norm << ' ' << b.grad_inf_norm;
    EXPECT_EQ(a.iterations, b.iterations);
    EXPECT_EQ(a.evaluations, b.evaluations);
    EXPECT_EQ(a.fallbacks, b.fallbacks);
    ASSERT_EQ(a.trace.size(), b.trace.size());
    for (std::size_t k = 0; k < a.trace.size(); ++k) {
      EXPECT_TRUE(same_bits(a.trace[k].f, b.trace[k].f)) << "iterate " << k;
      EXPECT_TRUE(same_bits(a.trace[k].grad_inf_norm, b.trace[k].grad_inf_norm)) << "iterate " << k;
      EXPECT_TRUE(same_bits(a.trace[k].step_size, b.trace[k].step_size)) << "iterate " << k;
      EXPECT_EQ(a.trace[k].evaluations, b.trace[k].evaluations) << "iterate " << k;
    }
  }
}

// All processes threw, or all have the same summary. Returns whether they threw.
inline bool expect_same_end(const ProcessesOutcome& outcome) {
  EXPECT_EQ(outcome.failure, "");
  if (!outcome.failure.empty()) return false;
  const bool threw = outcome.processes[0].threw();
  std::vector<Result> runs;
  for (std::size_t rank = 0; rank < outcome.processes.size(); ++rank) {
    const ProcessOutcome& process = outcome.processes[rank];
    const std::string found = process.threw() ? process.bytes : std::string(name(unpacked(process.bytes).status));
    EXPECT_EQ(process.threw(), threw) << "process " << rank << ": " << found;
    if (!process.threw()) runs.push_back(unpacked(process.bytes));
  }
  expect_agreement(runs);
  return threw;
}

// Every process ended with an exception.
inline void expect_exceptions(const ProcessesOutcome& outcome) {
  EXPECT_TRUE(expect_same_end(outcome));
  for (const ProcessOutcome& process : outcome.processes) EXPECT_NE(process.bytes, "");
}

inline void expect_status(const ProcessesOutcome& outcome, Status status) {
  const std::vector<Result> runs = results_of(outcome);
  expect_agreement(runs);
  for (const Result& run : runs) EXPECT_EQ(name(run.status), name(status));
}

// The slices put together.
inline Vector joined(const std::vector<Result>& runs, Vector Result::*member) {
  std::vector<double> values;
  for (const Result& run : runs) values.insert(values.end(), (run.*member).begin(), (run.*member).end());
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

inline double relative_difference(double a, double b) {
  return a == b ? 0.0 : std::abs(a - b) / std::max(std::abs(a), std::abs(b));
}

// Those that keep an n x n matrix, which no slice can hold.
inline const std::set<std::string> kWholeMatrix = {"newton", "bfgs",    "sr1",        "bfgs+", "bfgs+d",
                                                   "sr1+",   "ss-bfgs", "ss-broyden", "loa",   "loa-bfgs"};

inline std::vector<std::string> algorithm_names(bool whole_matrix) {
  std::vector<std::string> names;
  for (const AlgorithmInfo& info : algorithms())
    if (kWholeMatrix.contains(info.name) == whole_matrix) names.push_back(info.name);
  return names;
}

// "l-bfgs+d" -> "l_bfgs_plus_d", for the name of a test.
inline std::string algorithm_name(const std::string& algorithm) {
  std::string text;
  for (const char c : algorithm) {
    if (text.ends_with("_plus")) text += '_';
    text += c == '+' ? std::string("_plus") : std::string(1, c);
  }
  return test_name(text);
}
inline std::string algorithm_test_name(const testing::TestParamInfo<std::string>& info) {
  return algorithm_name(info.param);
}

}  // namespace loa::test
