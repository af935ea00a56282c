// Would catch: an inner product, a norm, a test or a limit that looks at one slice only, processes that decide
// differently and then wait for each other for ever, an event on one process (an exception, a NaN, a stop, a limit, a
// mistake in the call) that the others do not hear of, an algorithm that runs on slices though it keeps a whole matrix,
// a state that forgets that it is a slice, and a third all-reduce in an iteration.
#include <gmock/gmock.h>

#include <memory>
#include <numeric>
#include <optional>
#include <set>

#include "loa/minimize.h"
#include "support/objectives.h"
#include "support/processes.h"

namespace loa {
namespace {

using test::kInf;
using test::kNaN;
using test::ProcessesOutcome;
using test::ProcessOutcome;
using test::ProcessReduction;
using test::random_vector;
using test::run_processes;
using test::same_bits;
using testing::HasSubstr;

// How many coordinates each process holds.
using Slicing = std::vector<Index>;

Index total(const Slicing& slicing) { return std::accumulate(slicing.begin(), slicing.end(), Index{0}); }
Index begin_of(const Slicing& slicing, int rank) {
  return std::accumulate(slicing.begin(), slicing.begin() + rank, Index{0});
}
Index size_of(const Slicing& slicing, int rank) { return slicing[static_cast<std::size_t>(rank)]; }
Vector slice_of(const Vector& v, const Slicing& slicing, int rank) {
  return v.segment(begin_of(slicing, rank), size_of(slicing, rank));
}

std::string name_of(const Slicing& slicing) {
  std::string name;
  for (const Index size : slicing) name += (name.empty() ? "" : "_") + std::to_string(size);
  return name;
}

// ---- Objectives on slices.

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
      grad -= A_.row(j).transpose() / (1.0 + std::exp(z));
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

std::unique_ptr<Objective> coupled_quadratic(Index n) {
  return std::make_unique<test::Quadratic>(test::random_spd(n, 100.0, 3), random_vector(n, 4), 1.0);
}

std::unique_ptr<Objective> linear(Index n) {
  return std::make_unique<FunctionObjective>(n, [](const Vector& x, Vector& grad) {
    grad.setOnes();
    return x.sum();
  });
}

const std::vector<TestProblem>& problems() {
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
       .start = [](Index n) { return test::ChainedRosenbrock::start(n); },
       .whole = [](Index n) -> std::unique_ptr<Objective> { return std::make_unique<test::ChainedRosenbrock>(n); },
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

const TestProblem& problem(const std::string& name) {
  for (const TestProblem& p : problems())
    if (p.name == name) return p;
  throw std::invalid_argument("no problem " + name);
}

// Does something to the result of another objective on this process, after its collective part. Evaluations count
// from 1.
class Tampered final : public Objective {
 public:
  using Tamper = std::function<void(int evaluation, double& f, Vector& grad)>;

  Tampered(std::unique_ptr<Objective> f, Tamper tamper) : f_(std::move(f)), tamper_(std::move(tamper)) {}

  Index dimension() const override { return f_->dimension(); }
  double value_and_gradient(const Vector& x, Vector& grad) override {
    double f = f_->value_and_gradient(x, grad);
    tamper_(++num_evaluations_, f, grad);
    return f;
  }

 private:
  std::unique_ptr<Objective> f_;
  Tamper tamper_;
  int num_evaluations_ = 0;
};

// ---- Runs.

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

Result result_of(const Summary& s) {
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

std::string packed(Result run) {
  test::Packer pack;
  run.visit(pack);
  return pack.bytes();
}

Result unpacked(const std::string& bytes) {
  test::Unpacker unpack(bytes);
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
ProcessesOutcome minimize_slices(const TestProblem& problem, const Slicing& slicing, const Options& options,
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

Result minimize_whole(const TestProblem& problem, Index n, const Options& options) {
  const std::unique_ptr<Objective> f = problem.whole(n);
  return result_of(minimize(*f, problem.start(n), options));
}

// What the processes returned, after checks that they came back, and with a summary each. Empty otherwise.
std::vector<Result> results_of(const ProcessesOutcome& outcome) {
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
void expect_agreement(const std::vector<Result>& runs) {
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
bool expect_same_end(const ProcessesOutcome& outcome) {
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
void expect_exceptions(const ProcessesOutcome& outcome) {
  EXPECT_TRUE(expect_same_end(outcome));
  for (const ProcessOutcome& process : outcome.processes) EXPECT_NE(process.bytes, "");
}

void expect_status(const ProcessesOutcome& outcome, Status status) {
  const std::vector<Result> runs = results_of(outcome);
  expect_agreement(runs);
  for (const Result& run : runs) EXPECT_EQ(name(run.status), name(status));
}

// The slices put together.
Vector joined(const std::vector<Result>& runs, Vector Result::*member) {
  std::vector<double> values;
  for (const Result& run : runs) values.insert(values.end(), (run.*member).begin(), (run.*member).end());
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

double relative_difference(double a, double b) {
  return a == b ? 0.0 : std::abs(a - b) / std::max(std::abs(a), std::abs(b));
}

// Those that keep an n x n matrix, which no slice can hold.
const std::set<std::string> kWholeMatrix = {"newton", "bfgs", "sr1", "bfgs+", "sr1+", "loa", "loa-bfgs"};

std::vector<std::string> algorithm_names(bool whole_matrix) {
  std::vector<std::string> names;
  for (const AlgorithmInfo& info : algorithms())
    if (kWholeMatrix.contains(info.name) == whole_matrix) names.push_back(info.name);
  return names;
}

// "l-bfgs+d" -> "l_bfgs_plus_d", for the name of a test.
std::string test_name(const std::string& algorithm) {
  std::string text;
  for (const char c : algorithm) {
    if (text.ends_with("_plus")) text += '_';
    text += c == '+' ? std::string("_plus") : std::string(1, c);
  }
  return test::test_name(text);
}
std::string algorithm_test_name(const testing::TestParamInfo<std::string>& info) { return test_name(info.param); }

using AlgorithmAndProblem = std::tuple<std::string, std::string>;
std::string pair_test_name(const testing::TestParamInfo<AlgorithmAndProblem>& info) {
  return test_name(std::get<0>(info.param)) + "_on_" + std::get<1>(info.param);
}

// A slice of f is f: a mistake in these objectives would look like one in the library.
TEST(DistributedObjectives, AreTheWholeOnes) {
  for (const TestProblem& p : problems())
    for (const Slicing& slicing :
         {Slicing{7, 6}, Slicing{13, 0}, Slicing{0, 5, 8}, Slicing{6, 0, 7}, Slicing{1, 11, 1}}) {
      SCOPED_TRACE(p.name + " " + name_of(slicing));
      const Vector x = random_vector(13, 9);
      Vector grad(13);
      const double f = p.whole(13)->value_and_gradient(x, grad);
      const ProcessesOutcome outcome =
          run_processes(static_cast<int>(slicing.size()), [&](const ProcessReduction& reduction) {
            const std::unique_ptr<Objective> slice = p.slice(reduction, slicing);
            Result result;
            result.x = slice_of(x, slicing, reduction.rank());
            result.grad.resize(slice->dimension());
            result.f = slice->value_and_gradient(result.x, result.grad);
            return packed(result);
          });
      const std::vector<Result> results = results_of(outcome);
      ASSERT_FALSE(results.empty());
      expect_agreement(results);
      EXPECT_NEAR(results[0].f, f, 1e-13 * std::abs(f));
      EXPECT_LT((joined(results, &Result::grad) - grad).norm(), 1e-13 * grad.norm());
    }
}

TEST(Distributed, ListOfWholeMatricesNamesAlgorithms) { EXPECT_EQ(algorithm_names(true).size(), kWholeMatrix.size()); }

// ---- The same run as the serial one.

// The slices are uneven on purpose; one of a single coordinate and one of none are among them.
const std::vector<Slicing> kSlicings = {{7, 6}, {13, 0}, {5, 1, 7}, {6, 0, 7}};

class DistributedRun : public testing::TestWithParam<AlgorithmAndProblem> {};

// Sums of slices differ from whole sums in the last digits, and each iteration makes the difference larger: the first
// iterates agree to 1e-10, and the ends to what the tolerance on the gradient leaves open.
TEST_P(DistributedRun, IsTheSerialOne) {
  const auto& [algorithm, problem_name] = GetParam();
  const TestProblem& p = problem(problem_name);
  Options options;
  options.algorithm = algorithm;
  options.gtol = 1e-6;
  options.max_iterations = 500;
  options.keep_trace = true;
  const Result serial = minimize_whole(p, 13, options);
  for (const Slicing& slicing : kSlicings) {
    SCOPED_TRACE(name_of(slicing));
    const std::vector<Result> runs = results_of(minimize_slices(p, slicing, options));
    ASSERT_FALSE(runs.empty());
    expect_agreement(runs);
    const Result& run = runs[0];
    EXPECT_EQ(name(run.status), name(serial.status));
    for (std::size_t rank = 0; rank < runs.size(); ++rank) {
      EXPECT_EQ(runs[rank].x.size(), slicing[rank]);
      EXPECT_EQ(runs[rank].grad.size(), slicing[rank]);
      EXPECT_EQ(runs[rank].state_x.size(), slicing[rank]);
    }
    for (std::size_t k = 0; k < std::min<std::size_t>({11, run.trace.size(), serial.trace.size()}); ++k) {
      EXPECT_LT(relative_difference(run.trace[k].f, serial.trace[k].f), 1e-10) << "iterate " << k;
      EXPECT_LT(relative_difference(run.trace[k].grad_inf_norm, serial.trace[k].grad_inf_norm), 1e-9)
          << "iterate " << k;
      EXPECT_LT(relative_difference(run.trace[k].step_size, serial.trace[k].step_size), 1e-9) << "iterate " << k;
      EXPECT_EQ(run.trace[k].evaluations, serial.trace[k].evaluations) << "iterate " << k;
    }
    // A few more or less; after a hundred iterations nothing is left of the first digits that agreed. Measured:
    // conjugate-gradient on rosenbrock takes 212, 289 or 337 iterations, as sums are ordered.
    const double length = static_cast<double>(serial.iterations);
    const double slack = length <= 20.0 ? 0.0 : length <= 100.0 ? 2.0 + 0.1 * length : 0.5 * length;
    EXPECT_NEAR(static_cast<double>(run.iterations), length, slack);
    EXPECT_NEAR(static_cast<double>(run.evaluations.value), static_cast<double>(serial.evaluations.value), 2.0 * slack);

    // ||x - x*|| <= ||g||/mu at both ends of the comparison.
    const Vector x = joined(runs, &Result::x), grad = joined(runs, &Result::grad);
    EXPECT_LE((x - serial.x).norm(), (grad.norm() + serial.grad.norm()) / p.strong_convexity);
    EXPECT_EQ(run.grad_inf_norm, grad.lpNorm<Eigen::Infinity>());
    // f - f* <= ||g||^2/(2 mu).
    EXPECT_LE(
        std::abs(run.f - serial.f),
        (grad.squaredNorm() + serial.grad.squaredNorm()) / (2.0 * p.strong_convexity) + 1e-13 * std::abs(serial.f));
  }
}

INSTANTIATE_TEST_SUITE_P(Algorithms, DistributedRun,
                         testing::Combine(testing::ValuesIn(algorithm_names(false)),
                                          testing::Values("quadratic", "rosenbrock", "logistic")),
                         pair_test_name);

class DistributedWholeMatrix : public testing::TestWithParam<std::string> {};

TEST_P(DistributedWholeMatrix, IsRefusedOnEveryProcess) {
  for (const Slicing& slicing : kSlicings) {
    SCOPED_TRACE(name_of(slicing));
    Options options;
    options.algorithm = GetParam();
    const ProcessesOutcome outcome = minimize_slices(problem("quadratic"), slicing, options);
    ASSERT_EQ(outcome.failure, "");
    for (const ProcessOutcome& process : outcome.processes) {
      EXPECT_EQ(process.kind, ProcessOutcome::Kind::kInvalidArgument);
      EXPECT_THAT(process.bytes, HasSubstr("'" + GetParam() + "'"));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Algorithms, DistributedWholeMatrix, testing::ValuesIn(algorithm_names(true)),
                         algorithm_test_name);

class DistributedOverOneProcess : public testing::TestWithParam<std::string> {};

// A reduction that says that it is not distributed changes nothing, dense algorithms included.
TEST_P(DistributedOverOneProcess, IsTheSerialRunBitForBit) {
  for (const std::string problem_name : {"quadratic", "rosenbrock"}) {
    const TestProblem& p = problem(problem_name);
    Options options;
    options.algorithm = GetParam();
    options.max_iterations = 40;
    options.keep_trace = true;
    const Result serial = minimize_whole(p, 13, options);
    const ProcessesOutcome outcome = minimize_slices(p, {13}, options, [&](int, Call& call) { call.f = p.whole(13); });
    std::vector<Result> runs = results_of(outcome);
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_TRUE(same_bits(runs[0].x, serial.x));
    EXPECT_TRUE(same_bits(runs[0].grad, serial.grad));
    EXPECT_TRUE(same_bits(runs[0].state_x, serial.state_x));
    runs.push_back(serial);
    expect_agreement(runs);
  }
}

INSTANTIATE_TEST_SUITE_P(Algorithms, DistributedOverOneProcess, testing::ValuesIn([] {
                           std::vector<std::string> names = algorithm_names(false);
                           for (std::string& name : algorithm_names(true)) names.push_back(std::move(name));
                           return names;
                         }()),
                         algorithm_test_name);

// ---- All-reduces.

class AllReduces : public testing::TestWithParam<std::string> {};

// Counted between two looks of the observer, in iterations that evaluate f once and replace nothing.
TEST_P(AllReduces, AreTwoAnIterationAtMost) {
  for (const std::string problem_name : {"quadratic", "rosenbrock"}) {
    const TestProblem& p = problem(problem_name);
    const Slicing slicing = {20, 11, 9};
    const ProcessesOutcome outcome = run_processes(3, [&](const ProcessReduction& reduction) {
      Gathered f(p.whole(40), reduction, slicing);
      Options options;
      options.algorithm = GetParam();
      options.max_iterations = 60;
      options.gtol = 0.0;
      options.reduction = &reduction;
      std::vector<std::int64_t> counts;
      std::int64_t calls = 0;
      Evaluations evaluations;
      Fallbacks fallbacks;
      options.observer = [&](const Progress& progress) {
        const std::int64_t new_calls = reduction.num_calls() - std::exchange(calls, reduction.num_calls());
        const Evaluations before = std::exchange(evaluations, progress.evaluations);
        const bool replaced = !(std::exchange(fallbacks, progress.fallbacks) == progress.fallbacks);
        // The first iteration ends what the start began.
        if (progress.iteration >= 2 && progress.evaluations.value == before.value + 1 &&
            progress.evaluations.gradient == before.gradient + 1 && !replaced)
          counts.push_back(new_calls);
        return Continue::kYes;
      };
      minimize(f, slice_of(p.start(40), slicing, reduction.rank()), options);
      test::Packer pack;
      pack(counts);
      return pack.bytes();
    });
    ASSERT_EQ(outcome.failure, "");
    for (const ProcessOutcome& process : outcome.processes) {
      ASSERT_FALSE(process.threw()) << process.bytes;
      std::vector<std::int64_t> counts;
      test::Unpacker unpack(process.bytes);
      unpack(counts);
      ASSERT_GE(counts.size(), 10u);
      const std::int64_t largest = *std::ranges::max_element(counts), smallest = *std::ranges::min_element(counts);
      EXPECT_LE(largest, 2);
      EXPECT_GE(smallest, 1);
      RecordProperty(problem_name + "_largest", static_cast<int>(largest));
      RecordProperty(problem_name + "_smallest", static_cast<int>(smallest));
      RecordProperty(problem_name + "_iterations", static_cast<int>(counts.size()));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(LimitedMemory, AllReduces, testing::Values("l-bfgs", "l-bfgs+", "l-bfgs+d"),
                         algorithm_test_name);

// ---- What happens on one process ends all.

const std::vector<Slicing> kSlicingsForEvents = {{4, 3}, {3, 1, 3}, {4, 0, 3}};

class EventOnOneProcess : public testing::TestWithParam<std::string> {
 protected:
  static Options options() {
    Options options;
    options.algorithm = GetParam();
    options.max_iterations = 60;
    options.keep_trace = true;
    return options;
  }

  // Runs with a change of the call of one process, for each process and slicing.
  static void for_each_culprit(const std::function<void(Call& call)>& change,
                               const std::function<void(const ProcessesOutcome&, int culprit)>& expect,
                               const std::string& problem_name = "rosenbrock") {
    for (const Slicing& slicing : kSlicingsForEvents)
      for (int culprit = 0; culprit < static_cast<int>(slicing.size()); ++culprit) {
        if (size_of(slicing, culprit) == 0) continue;
        SCOPED_TRACE(testing::Message() << name_of(slicing) << ", process " << culprit);
        expect(minimize_slices(problem(problem_name), slicing, options(),
                               [&](int rank, Call& call) {
                                 if (rank == culprit) change(call);
                               }),
               culprit);
      }
  }

  static void tamper(Call& call, Tampered::Tamper tamper) {
    call.f = std::make_unique<Tampered>(std::move(call.f), std::move(tamper));
  }

  // Of the culprit its own, of the others one that is not empty.
  static void expect_own_exception(const ProcessesOutcome& outcome, int culprit, const std::string& what) {
    expect_exceptions(outcome);
    if (!outcome.failure.empty()) return;
    EXPECT_EQ(outcome.processes[static_cast<std::size_t>(culprit)].bytes, what);
  }
};

TEST_P(EventOnOneProcess, TimeIsUp) {
  for_each_culprit([](Call& call) { call.options.max_seconds = 0.0; },
                   [](const ProcessesOutcome& outcome, int) { expect_status(outcome, Status::kTimeLimitReached); });
}

TEST_P(EventOnOneProcess, ObserverStops) {
  for (const std::int64_t last : {0, 1, 3}) {
    for_each_culprit(
        [last](Call& call) {
          call.options.observer = [last](const Progress& progress) {
            return progress.iteration < last ? Continue::kYes : Continue::kNo;
          };
        },
        [last](const ProcessesOutcome& outcome, int) {
          const std::vector<Result> runs = results_of(outcome);
          expect_agreement(runs);
          for (const Result& run : runs) {
            EXPECT_EQ(name(run.status), name(Status::kStoppedByObserver));
            EXPECT_EQ(run.iterations, last);
          }
        });
  }
}

// An observer that only looks, on one process only, changes nothing.
TEST_P(EventOnOneProcess, ObserverLooks) {
  for (const Slicing& slicing : kSlicingsForEvents) {
    SCOPED_TRACE(name_of(slicing));
    std::vector<Result> unseen = results_of(minimize_slices(problem("rosenbrock"), slicing, options()));
    const std::vector<Result> seen =
        results_of(minimize_slices(problem("rosenbrock"), slicing, options(), [](int rank, Call& call) {
          if (rank == 1) call.options.observer = [](const Progress&) { return Continue::kYes; };
        }));
    ASSERT_EQ(unseen.size(), slicing.size());
    ASSERT_EQ(seen.size(), slicing.size());
    EXPECT_TRUE(same_bits(joined(unseen, &Result::x), joined(seen, &Result::x)));
    unseen.insert(unseen.end(), seen.begin(), seen.end());
    expect_agreement(unseen);
  }
}

TEST_P(EventOnOneProcess, ObserverThrows) {
  for (const std::int64_t last : {0, 3}) {
    for_each_culprit(
        [last](Call& call) {
          call.options.observer = [last](const Progress& progress) {
            if (progress.iteration == last) throw std::runtime_error("the observer's own");
            return Continue::kYes;
          };
        },
        [](const ProcessesOutcome& outcome, int culprit) {
          expect_own_exception(outcome, culprit, "the observer's own");
        });
  }
}

TEST_P(EventOnOneProcess, ObjectiveThrows) {
  for (const int last : {1, 2, 3, 6}) {
    SCOPED_TRACE(testing::Message() << "in evaluation " << last);
    for_each_culprit(
        [last](Call& call) {
          tamper(call, [last](int evaluation, double&, Vector&) {
            if (evaluation == last) throw std::runtime_error("the objective's own");
          });
        },
        [](const ProcessesOutcome& outcome, int culprit) {
          expect_own_exception(outcome, culprit, "the objective's own");
        });
  }
}

// f must be the same everywhere. Where it is NaN on one process it counts as NaN on all: a point outside of the domain.
TEST_P(EventOnOneProcess, ValueIsNaNOnce) {
  for_each_culprit(
      [](Call& call) { tamper(call, [](int evaluation, double& f, Vector&) { f = evaluation == 1 ? kNaN : f; }); },
      [](const ProcessesOutcome& outcome, int) { expect_status(outcome, Status::kStartIsNotFinite); });
  for (const int when : {2, 3, 6}) {
    SCOPED_TRACE(testing::Message() << "in evaluation " << when);
    for_each_culprit(
        [when](Call& call) {
          tamper(call, [when](int evaluation, double& f, Vector&) { f = evaluation == when ? kNaN : f; });
        },
        [](const ProcessesOutcome& outcome, int) { EXPECT_FALSE(expect_same_end(outcome)); });
  }
}

TEST_P(EventOnOneProcess, ValueBecomesNaN) {
  for (const int first : {2, 3, 6}) {
    SCOPED_TRACE(testing::Message() << "from evaluation " << first);
    for_each_culprit(
        [first](Call& call) {
          tamper(call, [first](int evaluation, double& f, Vector&) { f = evaluation >= first ? kNaN : f; });
        },
        [](const ProcessesOutcome& outcome, int) {
          EXPECT_FALSE(expect_same_end(outcome));
          for (const Result& run : results_of(outcome)) {
            EXPECT_FALSE(is_success(run.status)) << name(run.status);
            EXPECT_TRUE(std::isfinite(run.f));
          }
        });
  }
}

TEST_P(EventOnOneProcess, GradientHasANaNOnce) {
  for_each_culprit(
      [](Call& call) {
        tamper(call, [](int evaluation, double&, Vector& grad) {
          if (evaluation == 1) grad(0) = kNaN;
        });
      },
      [](const ProcessesOutcome& outcome, int) { expect_status(outcome, Status::kStartIsNotFinite); });
  for (const int when : {2, 3, 6}) {
    SCOPED_TRACE(testing::Message() << "in evaluation " << when);
    for_each_culprit(
        [when](Call& call) {
          tamper(call, [when](int evaluation, double&, Vector& grad) {
            if (evaluation == when) grad(grad.size() - 1) = kNaN;
          });
        },
        [](const ProcessesOutcome& outcome, int) { EXPECT_FALSE(expect_same_end(outcome)); });
  }
}

TEST_P(EventOnOneProcess, GradientBecomesNaN) {
  for (const int first : {2, 3, 6}) {
    SCOPED_TRACE(testing::Message() << "from evaluation " << first);
    for_each_culprit(
        [first](Call& call) {
          tamper(call, [first](int evaluation, double&, Vector& grad) {
            if (evaluation >= first) grad.setConstant(kNaN);
          });
        },
        [](const ProcessesOutcome& outcome, int) {
          EXPECT_FALSE(expect_same_end(outcome));
          for (const Result& run : results_of(outcome)) {
            EXPECT_FALSE(is_success(run.status)) << name(run.status);
            EXPECT_TRUE(run.grad.allFinite());
          }
        });
  }
}

// The objective hides it: f and the gradient are finite. The start itself is not.
TEST_P(EventOnOneProcess, StartIsNotFinite) {
  for (const double bad : {kNaN, kInf})
    for_each_culprit(
        [bad](Call& call) {
          call.x0(0) = bad;
          tamper(call, [](int, double& f, Vector& grad) {
            f = 1.0;
            grad.setOnes();
          });
        },
        [](const ProcessesOutcome& outcome, int) { expect_status(outcome, Status::kStartIsNotFinite); });
}

TEST_P(EventOnOneProcess, StartHasAnotherLength) {
  for_each_culprit([](Call& call) { call.x0 = Vector::Ones(call.x0.size() + 1); },
                   [](const ProcessesOutcome& outcome, int culprit) {
                     expect_exceptions(outcome);
                     if (!outcome.failure.empty()) return;
                     const ProcessOutcome& process = outcome.processes[static_cast<std::size_t>(culprit)];
                     EXPECT_EQ(process.kind, ProcessOutcome::Kind::kInvalidArgument);
                     EXPECT_THAT(process.bytes, HasSubstr("expected a start of length"));
                   });
}

TEST_P(EventOnOneProcess, OptionsAreWrong) {
  const std::vector<std::function<void(Options&)>> mistakes = {
      [](Options& options) { options.gtol = -1.0; },
      [](Options& options) { options.algorithm = "no-such-algorithm"; },
      [](Options& options) { options.line_search = "no-such-search"; },
      [](Options& options) { options.first_step = -1.0; },
      [](Options& options) { options.weights = "no-such-weights"; },
  };
  for (std::size_t i = 0; i < mistakes.size(); ++i) {
    SCOPED_TRACE(testing::Message() << "mistake " << i);
    for_each_culprit([&](Call& call) { mistakes[i](call.options); },
                     [](const ProcessesOutcome& outcome, int culprit) {
                       expect_exceptions(outcome);
                       if (!outcome.failure.empty()) return;
                       EXPECT_EQ(outcome.processes[static_cast<std::size_t>(culprit)].kind,
                                 ProcessOutcome::Kind::kInvalidArgument);
                     });
  }
}

// Options that change what is computed must be the same everywhere. No process knows which one is right, so all refuse.
TEST_P(EventOnOneProcess, OptionsDiffer) {
  const std::string other = GetParam() == "l-bfgs" ? "conjugate-gradient" : "l-bfgs";
  const std::vector<std::function<void(Options&)>> differences = {
      [&](Options& options) { options.algorithm = other; },
      [](Options& options) { options.line_search = "paper"; },
      [](Options& options) { options.safeguard = Safeguard::kOff; },
      [](Options& options) { options.hyper_parameters.step_size = 1e-5; },
      [](Options& options) { options.hyper_parameters.memory = 3; },
      [](Options& options) { options.first_step = 1e-5; },
  };
  for (std::size_t i = 0; i < differences.size(); ++i) {
    SCOPED_TRACE(testing::Message() << "difference " << i);
    for_each_culprit([&](Call& call) { differences[i](call.options); },
                     [](const ProcessesOutcome& outcome, int) {
                       expect_exceptions(outcome);
                       for (const ProcessOutcome& process : outcome.processes) {
                         EXPECT_EQ(process.kind, ProcessOutcome::Kind::kInvalidArgument) << process.bytes;
                         EXPECT_THAT(process.bytes, HasSubstr("process"));
                       }
                     });
  }
}

// Tolerances and limits that differ are refused, or all processes end by the same one.
TEST_P(EventOnOneProcess, LimitsDiffer) {
  const std::vector<std::function<void(Options&)>> differences = {
      [](Options& options) { options.gtol = 1.0; },          [](Options& options) { options.gtol_relative = 0.5; },
      [](Options& options) { options.ftol = 0.1; },          [](Options& options) { options.max_iterations = 3; },
      [](Options& options) { options.max_evaluations = 5; },
  };
  for (std::size_t i = 0; i < differences.size(); ++i) {
    SCOPED_TRACE(testing::Message() << "difference " << i);
    for_each_culprit([&](Call& call) { differences[i](call.options); },
                     [](const ProcessesOutcome& outcome, int) { expect_same_end(outcome); });
  }
}

INSTANTIATE_TEST_SUITE_P(Algorithms, EventOnOneProcess, testing::ValuesIn(algorithm_names(false)), algorithm_test_name);

// ---- Settings and ends of runs.

// A setting that takes other ways through the library.
struct Setting {
  std::string name;
  std::string problem;
  std::function<void(Options&)> change;
};

std::vector<Setting> settings() {
  std::vector<Setting> list = {
      {"ftol", "quadratic", [](Options& options) { options.ftol = 1e-3; }},
      {"gtol_relative", "rosenbrock", [](Options& options) { options.gtol_relative = 1e-2; }},
      {"first_step", "rosenbrock", [](Options& options) { options.first_step = 1e-3; }},
      {"step_size", "quadratic", [](Options& options) { options.hyper_parameters.step_size = 0.01; }},
      {"memory", "rosenbrock", [](Options& options) { options.hyper_parameters.memory = 2; }},
      {"safeguard off", "rosenbrock", [](Options& options) { options.safeguard = Safeguard::kOff; }},
      {"safeguard bounded", "quadratic", [](Options& options) { options.safeguard = Safeguard::kBounded; }},
      {"unbounded", "unbounded", [](Options&) {}},
  };
  for (const std::int64_t limit : {1, 2, 3, 4, 7})
    list.push_back({"max_evaluations " + std::to_string(limit), "rosenbrock",
                    [limit](Options& options) { options.max_evaluations = limit; }});
  for (const std::int64_t limit : {0, 1, 2})
    list.push_back({"max_iterations " + std::to_string(limit), "rosenbrock",
                    [limit](Options& options) { options.max_iterations = limit; }});
  for (const LineSearchInfo& search : line_searches())
    list.push_back({"line search " + search.name, "quadratic",
                    [&search](Options& options) { options.line_search = search.name; }});
  return list;
}

class DistributedSetting : public testing::TestWithParam<std::string> {};

// Ten iterations of it, with the status of the serial run. A call that the serial run refuses is refused by all.
TEST_P(DistributedSetting, IsTheSerialOne) {
  for (const Setting& setting : settings())
    for (const Slicing& slicing : {Slicing{7, 6}, Slicing{6, 0, 7}}) {
      SCOPED_TRACE(setting.name + " " + name_of(slicing));
      const TestProblem& p = problem(setting.problem);
      Options options;
      options.algorithm = GetParam();
      options.max_iterations = 10;
      options.keep_trace = true;
      setting.change(options);
      std::optional<Result> serial;
      try {
        serial = minimize_whole(p, 13, options);
      } catch (const std::invalid_argument&) {
      }
      const ProcessesOutcome outcome = minimize_slices(p, slicing, options);
      if (!serial) {
        expect_exceptions(outcome);
        for (const ProcessOutcome& process : outcome.processes)
          EXPECT_EQ(process.kind, ProcessOutcome::Kind::kInvalidArgument);
        continue;
      }
      const std::vector<Result> results = results_of(outcome);
      if (results.empty()) continue;
      expect_agreement(results);
      EXPECT_EQ(name(results[0].status), name(serial->status));
      EXPECT_EQ(results[0].iterations, serial->iterations);
      EXPECT_EQ(results[0].evaluations.value, serial->evaluations.value);
      EXPECT_EQ(results[0].evaluations.gradient, serial->evaluations.gradient);
      EXPECT_EQ(results[0].fallbacks, serial->fallbacks);
      EXPECT_LT(relative_difference(results[0].f, serial->f), 1e-9);
      // The largest coordinates, because squares of those of an unbounded run overflow.
      EXPECT_LE((joined(results, &Result::x) - serial->x).lpNorm<Eigen::Infinity>(),
                1e-8 * serial->x.lpNorm<Eigen::Infinity>());
    }
}

// Without a tolerance the run ends where f can no longer be lowered: probes for the noise of f, last searches and
// returns to better points, all of which every process has to make.
TEST_P(DistributedSetting, EndsAtWorkingPrecision) {
  for (const TestProblem& p : problems())
    for (const Slicing& slicing : {Slicing{7, 6}, Slicing{6, 0, 7}}) {
      if (p.name == "unbounded") continue;
      SCOPED_TRACE(p.name + " " + name_of(slicing));
      Options options;
      options.algorithm = GetParam();
      options.gtol = 0.0;
      options.max_iterations = 1000;
      const Result serial = minimize_whole(p, 13, options);
      const std::vector<Result> results = results_of(minimize_slices(p, slicing, options));
      if (results.empty()) continue;
      expect_agreement(results);
      // Where a slow method is told that it stalls, the last digits decide when.
      EXPECT_EQ(is_success(results[0].status), is_success(serial.status))
          << name(results[0].status) << ' ' << name(serial.status);
      if (is_success(serial.status)) EXPECT_LE(std::abs(results[0].f - serial.f), 1e-12 * (1.0 + std::abs(serial.f)));
    }
}

INSTANTIATE_TEST_SUITE_P(Algorithms, DistributedSetting, testing::ValuesIn(algorithm_names(false)),
                         algorithm_test_name);

// ---- auto.

// By themselves 550 coordinates would take a limited memory, and 50 a matrix.
TEST(DistributedAuto, ChoosesTheSameOnAllProcesses) {
  Options options;
  options.max_iterations = 20;
  options.keep_trace = true;
  for (const Slicing& slicing : {Slicing{550, 50}, Slicing{300, 300}, Slicing{1, 0, 600}}) {
    SCOPED_TRACE(name_of(slicing));
    const Result serial = minimize_whole(problem("rosenbrock"), total(slicing), options);
    const std::vector<Result> runs = results_of(minimize_slices(problem("rosenbrock"), slicing, options));
    ASSERT_FALSE(runs.empty());
    expect_agreement(runs);
    EXPECT_EQ(runs[0].algorithm, serial.algorithm);
    EXPECT_EQ(name(runs[0].status), name(serial.status));
    EXPECT_EQ(runs[0].iterations, serial.iterations);
  }
}

// Few coordinates in all would take a matrix, which no slice can hold.
TEST(DistributedAuto, WorksWithFewCoordinates) {
  for (const Slicing& slicing : kSlicings) {
    SCOPED_TRACE(name_of(slicing));
    const std::vector<Result> runs = results_of(minimize_slices(problem("quadratic"), slicing, {}));
    ASSERT_FALSE(runs.empty());
    expect_agreement(runs);
    EXPECT_TRUE(is_success(runs[0].status));
    EXPECT_FALSE(kWholeMatrix.contains(runs[0].algorithm)) << runs[0].algorithm;
  }
}

// ---- resume().

class DistributedResume : public testing::TestWithParam<std::string> {};

TEST_P(DistributedResume, ContinuesAsTheUninterruptedRun) {
  const TestProblem& p = problem("rosenbrock");
  for (const Slicing& slicing : kSlicings) {
    SCOPED_TRACE(name_of(slicing));
    Options options;
    options.algorithm = GetParam();
    options.gtol = 0.0;
    options.max_iterations = 25;
    const std::vector<Result> whole = results_of(minimize_slices(p, slicing, options));
    for (const std::int64_t k : {0, 7}) {
      const ProcessesOutcome outcome =
          run_processes(static_cast<int>(slicing.size()), [&](const ProcessReduction& reduction) {
            const std::unique_ptr<Objective> f = p.slice(reduction, slicing);
            Options part = options;
            part.reduction = &reduction;
            part.max_iterations = k;
            const Vector x0 = slice_of(p.start(total(slicing)), slicing, reduction.rank());
            const std::string bytes = state_bytes(minimize(*f, x0, part).state);
            State state;
            if (const std::string error = state_from_bytes(bytes, state); !error.empty())
              throw std::runtime_error(error);
            part.max_iterations = options.max_iterations;
            return packed(result_of(resume(*f, state, part)));
          });
      std::vector<Result> resumed = results_of(outcome);
      ASSERT_EQ(resumed.size(), slicing.size());
      ASSERT_EQ(whole.size(), slicing.size());
      for (std::size_t rank = 0; rank < slicing.size(); ++rank) {
        EXPECT_TRUE(same_bits(resumed[rank].x, whole[rank].x)) << "process " << rank;
        EXPECT_TRUE(same_bits(resumed[rank].grad, whole[rank].grad)) << "process " << rank;
        EXPECT_TRUE(same_bits(resumed[rank].state_x, whole[rank].state_x)) << "process " << rank;
      }
      resumed.insert(resumed.end(), whole.begin(), whole.end());
      expect_agreement(resumed);
    }
  }
}

// One process comes with a state from another iteration: all refuse.
TEST_P(DistributedResume, RefusesStatesOfDifferentIterations) {
  const TestProblem& p = problem("rosenbrock");
  const Slicing slicing = {7, 6};
  const ProcessesOutcome outcome = run_processes(2, [&](const ProcessReduction& reduction) {
    const std::unique_ptr<Objective> f = p.slice(reduction, slicing);
    Options options;
    options.algorithm = GetParam();
    options.gtol = 0.0;
    options.reduction = &reduction;
    const Vector x0 = slice_of(p.start(total(slicing)), slicing, reduction.rank());
    State states[2];
    for (int i = 0; i < 2; ++i) {
      options.max_iterations = 3 + i;
      states[i] = minimize(*f, x0, options).state;
    }
    options.max_iterations = 10;
    return packed(result_of(resume(*f, states[reduction.rank()], options)));
  });
  expect_exceptions(outcome);
}

INSTANTIATE_TEST_SUITE_P(Algorithms, DistributedResume, testing::ValuesIn(algorithm_names(false)), algorithm_test_name);

}  // namespace
}  // namespace loa
