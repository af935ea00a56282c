// Would catch: a slice taken for the whole vector, processes that wait for each other for ever after an error on one of
// them, a third all-reduce in an iteration, an option or a tolerance of TAO that is not looked at, a reason that says
// another end, a vector that TAO or the user does not find as they left it, bounds on variables that are ignored or
// left, and a state that does not go on as if the run had never stopped.
#include <gmock/gmock.h>
#include <petsctao.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "count_collectives.h"
#include "loa/minimize.h"
#include "problems.h"

namespace loa_tao::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr PetscInt kSize = 57;
const char* const kTypes[] = {"loa", "loa_lbfgs_plus", "loa_lbfgs_plus_d", "loa_lbfgs", "loa_cg"};

// Options of PETSc's database for the time of a test.
class Database {
 public:
  explicit Database(const std::vector<std::string>& options) {
    for (const std::string& option : options) {
      const std::size_t space = option.find(' ');
      names_.push_back(option.substr(0, space));
      PetscOptionsSetValue(nullptr, names_.back().c_str(),
                           space == std::string::npos ? nullptr : option.c_str() + space + 1);
    }
  }
  ~Database() {
    for (const std::string& name : names_) PetscOptionsClearValue(nullptr, name.c_str());
  }

 private:
  std::vector<std::string> names_;
};

// A Tao with its objective and its solution vector.
class Solver {
 public:
  explicit Solver(MPI_Comm comm = PETSC_COMM_WORLD, const std::string& type = "loa", PetscInt n = kSize)
      : chain(comm, n), x(chain.make_start()) {
    TaoCreate(comm, &tao);
    code = TaoSetType(tao, type.c_str());
    TaoSetSolution(tao, x);
    TaoSetObjectiveAndGradient(tao, nullptr, Chain::evaluate, &chain);
    TaoSetTolerances(tao, 1e-6, 0.0, 0.0);
  }
  ~Solver() {
    TaoDestroy(&tao);
    VecDestroy(&x);
  }
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  PetscErrorCode solve() {
    code = TaoSetFromOptions(tao);
    if (code == 0) code = TaoSolve(tao);
    TaoGetConvergedReason(tao, &reason);
    TaoGetSolutionStatus(tao, &iterations, &f, &residual, nullptr, nullptr, nullptr);
    return code;
  }

  // The largest difference from (1, ..., 1).
  double error() const {
    Vec difference = nullptr;
    PetscReal norm = 0.0;
    VecDuplicate(x, &difference);
    VecSet(difference, 1.0);
    VecAXPY(difference, -1.0, x);
    VecNorm(difference, NORM_INFINITY, &norm);
    VecDestroy(&difference);
    return norm;
  }

  std::vector<std::uint64_t> bits() const {
    const PetscScalar* values = nullptr;
    PetscInt n = 0;
    VecGetLocalSize(x, &n);
    VecGetArrayRead(x, &values);
    std::vector<std::uint64_t> result;
    for (PetscInt i = 0; i < n; ++i) result.push_back(std::bit_cast<std::uint64_t>(values[i]));
    VecRestoreArrayRead(x, &values);
    return result;
  }

  Chain chain;
  Vec x;
  Tao tao = nullptr;
  PetscErrorCode code = 0;
  TaoConvergedReason reason = TAO_CONTINUE_ITERATING;
  PetscInt iterations = 0;
  PetscReal f = 0.0, residual = 0.0;
};

// The smallest and the largest of the numbers of all processes.
std::pair<double, double> range_of(double number) {
  double both[] = {-number, number};
  PMPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
  return {-both[0], both[1]};
}

void expect_same_everywhere(double number) {
  const auto [smallest, largest] = range_of(number);
  EXPECT_EQ(smallest, largest);
}

int last_rank() { return size_of(PETSC_COMM_WORLD) - 1; }

// ---- The same minimum on any number of processes.

class TaoLoaTypes : public testing::TestWithParam<const char*> {};

TEST_P(TaoLoaTypes, FindTheMinimumOfOneProcess) {
  Solver alone(PETSC_COMM_SELF, GetParam()), together(PETSC_COMM_WORLD, GetParam());
  ASSERT_EQ(alone.solve(), 0);
  ASSERT_EQ(together.solve(), 0);
  for (const Solver* solver : {&alone, &together}) {
    EXPECT_EQ(solver->reason, TAO_CONVERGED_GATOL);
    EXPECT_LE(solver->residual, 1e-6);
    EXPECT_LT(solver->error(), 1e-6);
  }
  expect_same_everywhere(together.f);
  expect_same_everywhere(together.iterations);
  // Rounding grows with the iterations; conjugate gradients take 20 % more or less.
  EXPECT_NEAR(static_cast<double>(together.chain.num_evaluations), static_cast<double>(alone.chain.num_evaluations),
              0.25 * static_cast<double>(alone.chain.num_evaluations));
  RecordProperty("evaluations", static_cast<int>(together.chain.num_evaluations));
}

INSTANTIATE_TEST_SUITE_P(All, TaoLoaTypes, testing::ValuesIn(kTypes));

// On one process TaoSolve() is minimize(), to the last bit.
TEST(TaoLoa, IsMinimizeBitForBit) {
  Solver solver(PETSC_COMM_SELF);
  ASSERT_EQ(solver.solve(), 0);
  Chain chain(PETSC_COMM_SELF, kSize);
  Vec x = chain.make_start(), grad = nullptr;
  VecDuplicate(x, &grad);
  const auto copy_in = [](const loa::Vector& from, Vec to) {
    PetscScalar* values = nullptr;
    VecGetArray(to, &values);
    std::copy(from.begin(), from.end(), values);
    VecRestoreArray(to, &values);
  };
  const auto copy_out = [](Vec from, loa::Vector& to) {
    const PetscScalar* values = nullptr;
    VecGetArrayRead(from, &values);
    std::copy_n(values, to.size(), to.begin());
    VecRestoreArrayRead(from, &values);
  };
  loa::Vector x0(kSize);
  copy_out(x, x0);
  const auto f = [&](const loa::Vector& point, loa::Vector& gradient) {
    PetscReal value = 0.0;
    copy_in(point, x);
    chain.evaluate(x, &value, grad);
    copy_out(grad, gradient);
    return value;
  };
  loa::Options options;
  options.algorithm = "l-bfgs+d";
  options.gtol = 0.0;
  options.observer = [](const loa::Progress& progress) {
    return progress.grad_norm <= 1e-6 ? loa::Continue::kNo : loa::Continue::kYes;
  };
  const loa::Summary summary = loa::minimize(f, x0, options);
  EXPECT_EQ(chain.num_evaluations, solver.chain.num_evaluations);
  EXPECT_EQ(summary.state.f, solver.f);
  EXPECT_EQ(summary.iterations + 1, solver.iterations);
  std::vector<std::uint64_t> bits;
  for (const double value : summary.state.x) bits.push_back(std::bit_cast<std::uint64_t>(value));
  EXPECT_EQ(bits, solver.bits());
  VecDestroy(&x);
  VecDestroy(&grad);
}

// Vectors with ghost points share their array with another vector, so that theirs cannot be replaced: they are copied.
TEST(TaoLoa, CopiesVectorsWithGhosts) {
  Solver plain, ghosted;
  PetscInt num = 0, first = 0, last = 0;
  VecGetLocalSize(plain.x, &num);
  VecGetOwnershipRange(plain.x, &first, &last);
  const PetscInt neighbour = last < kSize ? last : 0;
  Vec x = nullptr;
  VecCreateGhost(PETSC_COMM_WORLD, num, kSize, 1, &neighbour, &x);
  VecCopy(plain.x, x);
  TaoSetSolution(ghosted.tao, x);
  ASSERT_EQ(plain.solve(), 0);
  ASSERT_EQ(ghosted.solve(), 0);
  VecAXPY(plain.x, -1.0, x);
  PetscReal norm = 1.0;
  VecNorm(plain.x, NORM_INFINITY, &norm);
  EXPECT_EQ(norm, 0.0);
  VecDestroy(&x);
}

// sum of (x_i - i)^4 + (x_i - i)^2 on slices of which the first is empty.
TEST(TaoLoa, RunsOnAnEmptySlice) {
  const int size = size_of(PETSC_COMM_WORLD), rank = rank_in(PETSC_COMM_WORLD);
  const PetscInt num = size == 1 ? 12 : rank == 0 ? 0 : 6;
  Vec x = nullptr;
  VecCreateMPI(PETSC_COMM_WORLD, num, PETSC_DETERMINE, &x);
  const auto quartic = [](Tao, Vec at, PetscReal* f, Vec gradient, void*) -> PetscErrorCode {
    PetscFunctionBeginUser;
    PetscInt first = 0, last = 0;
    const PetscScalar* in = nullptr;
    PetscScalar* out = nullptr;
    PetscCall(VecGetOwnershipRange(at, &first, &last));
    PetscCall(VecGetArrayRead(at, &in));
    PetscCall(VecGetArrayWrite(gradient, &out));
    double sum = 0.0;
    for (PetscInt i = 0; i < last - first; ++i) {
      const double t = in[i] - static_cast<double>(first + i);
      sum += t * t * t * t + t * t;
      out[i] = 4.0 * t * t * t + 2.0 * t;
    }
    PetscCall(VecRestoreArrayRead(at, &in));
    PetscCall(VecRestoreArrayWrite(gradient, &out));
    PetscCallMPI(MPI_Allreduce(&sum, f, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
    PetscFunctionReturn(0);
  };
  Tao tao = nullptr;
  TaoCreate(PETSC_COMM_WORLD, &tao);
  TaoSetType(tao, "loa");
  TaoSetSolution(tao, x);
  TaoSetObjectiveAndGradient(tao, nullptr, quartic, nullptr);
  ASSERT_EQ(TaoSolve(tao), 0);
  TaoConvergedReason reason = TAO_CONTINUE_ITERATING;
  TaoGetConvergedReason(tao, &reason);
  EXPECT_EQ(reason, TAO_CONVERGED_GATOL);
  PetscInt first = 0;
  VecGetOwnershipRange(x, &first, nullptr);
  const PetscScalar* values = nullptr;
  VecGetArrayRead(x, &values);
  for (PetscInt i = 0; i < num; ++i) EXPECT_NEAR(values[i], static_cast<double>(first + i), 1e-7);
  VecRestoreArrayRead(x, &values);
  TaoDestroy(&tao);
  VecDestroy(&x);
}

// ---- All-reduces.

// Between two evaluations, besides those of the objective, with a monitor and TAO's own test, from the
// fifth evaluation to the last. An iteration with one trial is what happens between two evaluations.
TEST(TaoLoa, TakesTwoAllReducesAnIteration) {
  for (const std::string type : {"loa", "loa_lbfgs_plus", "loa_lbfgs_plus_d", "loa_lbfgs"}) {
    SCOPED_TRACE(type);
    Solver solver(PETSC_COMM_WORLD, type);
    std::vector<long> counts;
    long before = 0;
    solver.chain.before_evaluation = [&] {
      const long now = num_collectives() - solver.chain.own_collectives;
      if (solver.chain.num_evaluations >= 5) counts.push_back(now - before);
      before = now;
    };
    PetscInt num_monitored = 0;
    const auto monitor = [](Tao, void* context) -> PetscErrorCode {
      ++*static_cast<PetscInt*>(context);
      return 0;
    };
    TaoSetMonitor(solver.tao, monitor, &num_monitored, nullptr);
    ASSERT_EQ(solver.solve(), 0);
    ASSERT_GE(counts.size(), 20u);
    const long largest = *std::max_element(counts.begin(), counts.end());
    EXPECT_LE(largest, size_of(PETSC_COMM_WORLD) == 1 ? 0 : 2);
    if (type == "loa_lbfgs_plus") {
      EXPECT_LE(largest, 1);
    }
    // The wrapper counts at all.
    if (size_of(PETSC_COMM_WORLD) > 1) {
      EXPECT_GE(*std::min_element(counts.begin(), counts.end()), 1);
    }
    EXPECT_EQ(num_monitored, solver.iterations + 1);
    RecordProperty(type, static_cast<int>(largest));
  }
}

// ---- Tolerances, limits, reasons.

TEST(TaoLoaReasons, AreThoseOfTaosTolerances) {
  struct Case {
    std::vector<std::string> options;
    TaoConvergedReason reason;
  };
  const std::vector<Case> cases = {
      {{"-tao_gatol 1e-3", "-tao_grtol 0"}, TAO_CONVERGED_GATOL},
      {{"-tao_gatol 0", "-tao_grtol 1e-3"}, TAO_CONVERGED_GRTOL},
      {{"-tao_gatol 0", "-tao_gttol 1e-3"}, TAO_CONVERGED_GTTOL},
      {{"-tao_fmin 20", "-tao_gatol 0"}, TAO_CONVERGED_MINF},
      {{"-tao_max_it 7"}, TAO_DIVERGED_MAXITS},
      {{"-tao_max_it 0"}, TAO_DIVERGED_MAXITS},
      {{"-tao_max_funcs 9"}, TAO_DIVERGED_MAXFCN},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.options.front());
    const Database database(one.options);
    Solver solver;
    solver.chain.offset = 10.0;  // so that f and its gradient do not vanish together
    ASSERT_EQ(solver.solve(), 0);
    EXPECT_STREQ(TaoConvergedReasons[solver.reason], TaoConvergedReasons[one.reason]);
    expect_same_everywhere(solver.reason);
    if (one.options.front() == "-tao_max_it 7") {
      EXPECT_EQ(solver.iterations, 7);
    }
    if (one.options.front() == "-tao_max_it 0") {
      EXPECT_EQ(solver.chain.num_evaluations, 1);
    }
    if (one.reason == TAO_DIVERGED_MAXFCN) {
      EXPECT_LE(solver.chain.num_evaluations, 9);
    }
    // Where the run ended is what the user finds.
    PetscReal f = 0.0;
    Vec gradient = nullptr;
    VecDuplicate(solver.x, &gradient);
    solver.chain.evaluate(solver.x, &f, gradient);
    EXPECT_EQ(f, solver.f);
    VecDestroy(&gradient);
  }
}

TEST(TaoLoaReasons, AtTheStart) {
  Solver solver;
  VecSet(solver.x, 1.0);
  ASSERT_EQ(solver.solve(), 0);
  EXPECT_EQ(solver.reason, TAO_CONVERGED_GATOL);
  EXPECT_EQ(solver.iterations, 0);
  EXPECT_EQ(solver.chain.num_evaluations, 1);
}

// Without tolerances f cannot be lowered any further at the end.
TEST(TaoLoaReasons, AtWorkingPrecision) {
  const Database database({"-tao_gatol 0", "-tao_max_it 5000", "-tao_max_funcs 100000"});
  Solver solver;
  solver.chain.offset = 10.0;
  solver.chain.bias = 1e-10;
  ASSERT_EQ(solver.solve(), 0);
  EXPECT_STREQ(TaoConvergedReasons[solver.reason], TaoConvergedReasons[TAO_CONVERGED_STEPTOL]);
  expect_same_everywhere(solver.reason);
  EXPECT_LT(solver.error(), 1e-4);
}

TEST(TaoLoaReasons, OfAWrongGradient) {
  Solver solver;
  solver.chain.sign = -1.0;
  ASSERT_EQ(solver.solve(), 0);
  EXPECT_STREQ(TaoConvergedReasons[solver.reason], TaoConvergedReasons[TAO_DIVERGED_LS_FAILURE]);
  expect_same_everywhere(solver.reason);
}

TEST(TaoLoaReasons, OfAUsersTest) {
  Solver solver;
  const auto test = [](Tao tao, void*) -> PetscErrorCode {
    PetscInt iteration = 0;
    TaoGetIterationNumber(tao, &iteration);
    if (iteration >= 6) TaoSetConvergedReason(tao, TAO_CONVERGED_USER);
    return 0;
  };
  TaoSetConvergenceTest(solver.tao, test, nullptr);
  ASSERT_EQ(solver.solve(), 0);
  EXPECT_EQ(solver.reason, TAO_CONVERGED_USER);
  EXPECT_EQ(solver.iterations, 6);
}

TEST(TaoLoaReasons, OfAMonitorThatEndsTheRun) {
  Solver solver;
  const auto monitor = [](Tao tao, void*) -> PetscErrorCode {
    PetscInt iteration = 0;
    TaoGetIterationNumber(tao, &iteration);
    if (iteration == 4) TaoSetConvergedReason(tao, TAO_DIVERGED_USER);
    return 0;
  };
  TaoSetMonitor(solver.tao, monitor, nullptr, nullptr);
  ASSERT_EQ(solver.solve(), 0);
  EXPECT_EQ(solver.reason, TAO_DIVERGED_USER);
  EXPECT_EQ(solver.iterations, 4);
}

// ---- History, monitors, view, options.

TEST(TaoLoa, KeepsTheHistory) {
  Solver solver;
  std::vector<PetscReal> f(500, -1.0), residuals(500, -1.0);
  TaoSetConvergenceHistory(solver.tao, f.data(), residuals.data(), nullptr, nullptr, 500, PETSC_TRUE);
  ASSERT_EQ(solver.solve(), 0);
  PetscInt num = 0;
  TaoGetConvergenceHistory(solver.tao, nullptr, nullptr, nullptr, nullptr, &num);
  ASSERT_EQ(num, solver.iterations + 1);
  const auto last = static_cast<std::size_t>(num) - 1;
  EXPECT_EQ(f[last], solver.f);
  EXPECT_EQ(residuals[last], solver.residual);
  for (std::size_t i = 0; i < last; ++i) EXPECT_GT(residuals[i], 1e-6);
  Solver start;
  PetscReal value = 0.0, norm = 0.0;
  Vec gradient = nullptr;
  VecDuplicate(start.x, &gradient);
  start.chain.evaluate(start.x, &value, gradient);
  VecNorm(gradient, NORM_2, &norm);
  EXPECT_EQ(f[0], value);
  EXPECT_NEAR(residuals[0], norm, 1e-12 * norm);
  VecDestroy(&gradient);
}

// A monitor finds the iterate in TAO's vectors.
TEST(TaoLoa, ShowsTheIterateToMonitors) {
  Solver solver;
  struct Seen {
    Chain* chain;
    PetscInt num = 0;
    double largest_error = 0.0;
  } seen{&solver.chain};
  const auto monitor = [](Tao tao, void* context) -> PetscErrorCode {
    PetscFunctionBeginUser;
    auto* found = static_cast<Seen*>(context);
    Vec x = nullptr, gradient = nullptr, copy = nullptr;
    PetscReal f = 0.0, norm = 0.0, reported = 0.0, residual = 0.0;
    PetscCall(TaoGetSolution(tao, &x));
    PetscCall(TaoGetGradient(tao, &gradient, nullptr, nullptr));
    PetscCall(TaoGetSolutionStatus(tao, nullptr, &reported, &residual, nullptr, nullptr, nullptr));
    PetscCall(VecNorm(gradient, NORM_2, &norm));
    PetscCall(VecDuplicate(x, &copy));
    PetscCall(found->chain->evaluate(x, &f, copy));
    PetscCall(VecDestroy(&copy));
    found->largest_error = std::max({found->largest_error, std::abs(f - reported), std::abs(norm / residual - 1.0)});
    ++found->num;
    PetscFunctionReturn(0);
  };
  TaoSetMonitor(solver.tao, monitor, &seen, nullptr);
  ASSERT_EQ(solver.solve(), 0);
  EXPECT_EQ(seen.num, solver.iterations + 1);
  EXPECT_LT(seen.largest_error, 1e-12);
}

TEST(TaoLoa, MeasuresTheGradientInTheUsersNorm) {
  Solver solver;
  PetscInt num = 0;
  VecGetLocalSize(solver.x, &num);
  Mat M = nullptr;
  MatCreateConstantDiagonal(PETSC_COMM_WORLD, num, num, kSize, kSize, 1e-8, &M);
  TaoSetGradientNorm(solver.tao, M);
  ASSERT_EQ(solver.solve(), 0);
  EXPECT_EQ(solver.reason, TAO_CONVERGED_GATOL);
  PetscReal norm = 0.0;
  Vec gradient = nullptr;
  TaoGetGradient(solver.tao, &gradient, nullptr, nullptr);
  VecNorm(gradient, NORM_2, &norm);
  EXPECT_NEAR(solver.residual, 1e-4 * norm, 1e-12 * norm);
  EXPECT_GT(norm, 1e-4);  // it would have gone on in the 2-norm
  MatDestroy(&M);
}

std::string view_of(const Solver& solver) {
  const std::string path = "tao_view." + std::to_string(size_of(PETSC_COMM_WORLD)) + ".txt";
  PetscViewer viewer = nullptr;
  PetscViewerASCIIOpen(PETSC_COMM_WORLD, path.c_str(), &viewer);
  TaoView(solver.tao, viewer);
  PetscViewerDestroy(&viewer);
  MPI_Barrier(PETSC_COMM_WORLD);
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  MPI_Barrier(PETSC_COMM_WORLD);
  if (rank_in(PETSC_COMM_WORLD) == 0) std::filesystem::remove(path);
  return text;
}

TEST(TaoLoa, IsViewed) {
  Solver solver;
  ASSERT_EQ(solver.solve(), 0);
  const std::string text = view_of(solver);
  for (const char* part : {"type: loa", "algorithm: l-bfgs+d", "line search: weak-wolfe", "pairs kept: 10",
                           "threads a process: 1", "restarts: 0"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_THAT(text, Not(HasSubstr("metric")));
}

TEST(TaoLoa, ReadsItsOptions) {
  const Database database({"-tao_loa_algorithm l-sr1", "-tao_loa_line_search hager-zhang", "-tao_loa_memory 4",
                           "-tao_loa_threads 2", "-tao_loa_safeguard on"});
  Solver solver;
  ASSERT_EQ(solver.solve(), 0);
  const std::string text = view_of(solver);
  for (const char* part : {"algorithm: l-sr1", "line search: hager-zhang", "pairs kept: 4", "threads a process: 2"})
    EXPECT_THAT(text, HasSubstr(part));
  // A type that is an algorithm stays one.
  Solver fixed(PETSC_COMM_WORLD, "loa_lbfgs");
  ASSERT_EQ(fixed.solve(), 0);
  EXPECT_THAT(view_of(fixed), HasSubstr("algorithm: l-bfgs\n"));
}

TEST(TaoLoa, TakesThePrefixOfTheTao) {
  const Database database({"-first_tao_loa_memory 3", "-tao_loa_memory 5"});
  Solver solver;
  TaoSetOptionsPrefix(solver.tao, "first_");
  ASSERT_EQ(solver.solve(), 0);
  EXPECT_THAT(view_of(solver), HasSubstr("pairs kept: 3"));
}

TEST(TaoLoa, SolvesAgain) {
  Solver solver;
  ASSERT_EQ(solver.solve(), 0);
  const PetscInt first = solver.chain.num_evaluations;
  const std::vector<std::uint64_t> bits = solver.bits();
  Vec start = solver.chain.make_start();
  VecCopy(start, solver.x);
  VecDestroy(&start);
  ASSERT_EQ(solver.solve(), 0);
  EXPECT_EQ(solver.chain.num_evaluations, 2 * first);
  EXPECT_EQ(solver.bits(), bits);
}

// Two TaoSolve() in a row, the second from near the minimum: with -tao_recycle_history it begins with the B of the
// first, which has pairs enough to know all directions. Measured: 6 to 9 evaluations, 19 to 23 without it.
TEST(TaoLoa, RecyclesItsHistory) {
  const Database memory({"-tao_loa_memory 20"});
  for (const char* type : {"loa", "loa_lbfgs_plus", "loa_lbfgs_plus_d", "loa_lbfgs"}) {
    SCOPED_TRACE(type);
    const auto evaluations_of_second = [&] {
      Solver solver(PETSC_COMM_WORLD, type, 10);
      EXPECT_EQ(solver.solve(), 0);
      const PetscInt of_first = solver.chain.num_evaluations;
      VecShift(solver.x, 0.01);
      EXPECT_EQ(solver.solve(), 0);
      EXPECT_EQ(solver.reason, TAO_CONVERGED_GATOL);
      EXPECT_LT(solver.error(), 1e-5);
      return solver.chain.num_evaluations - of_first;
    };
    const PetscInt cold = evaluations_of_second();
    const Database database({"-tao_recycle_history"});
    const PetscInt warm = evaluations_of_second();
    expect_same_everywhere(static_cast<double>(warm));
    EXPECT_LT(2 * warm, cold);
  }
}

// The same with a bound at which some variables end, which no run may leave.
TEST(TaoLoa, RecyclesItsHistoryInBounds) {
  const Database memory({"-tao_loa_memory 20"});
  for (const char* type : {"loa", "loa_lbfgs_plus", "loa_lbfgs_plus_d", "loa_lbfgs"}) {
    SCOPED_TRACE(type);
    const auto evaluations_of_second = [&] {
      Solver solver(PETSC_COMM_WORLD, type, 10);
      Vec low = nullptr, high = nullptr;
      VecDuplicate(solver.x, &low);
      VecDuplicate(solver.x, &high);
      VecSet(low, PETSC_NINFINITY);
      VecSet(high, 0.7);
      TaoSetVariableBounds(solver.tao, low, high);
      EXPECT_EQ(solver.solve(), 0);
      const PetscInt of_first = solver.chain.num_evaluations;
      VecShift(solver.x, -0.01);
      EXPECT_EQ(solver.solve(), 0);
      EXPECT_EQ(solver.reason, TAO_CONVERGED_GATOL);
      PetscReal most = 0.0;
      VecMax(solver.x, nullptr, &most);
      EXPECT_EQ(most, 0.7);
      VecDestroy(&low);
      VecDestroy(&high);
      return solver.chain.num_evaluations - of_first;
    };
    const PetscInt cold = evaluations_of_second();
    const Database database({"-tao_recycle_history"});
    const PetscInt warm = evaluations_of_second();
    expect_same_everywhere(static_cast<double>(warm));
    EXPECT_LT(warm, cold);
  }
}

// The start is outside of the bounds, and all variables but some end at their upper one. TAO's infinity is no bound.
TEST(TaoLoa, KeepsBoundsOnVariables) {
  for (const char* type : {"loa", "loa_lbfgs_plus", "loa_lbfgs_plus_d", "loa_lbfgs"}) {
    SCOPED_TRACE(type);
    Solver solver(PETSC_COMM_WORLD, type);
    Vec low = nullptr, high = nullptr;
    VecDuplicate(solver.x, &low);
    VecDuplicate(solver.x, &high);
    VecSet(low, PETSC_NINFINITY);
    VecSet(high, 0.7);
    TaoSetVariableBounds(solver.tao, low, high);
    ASSERT_EQ(solver.solve(), 0);
    EXPECT_EQ(solver.reason, TAO_CONVERGED_GATOL);
    PetscReal most = 0.0, residual = 0.0;
    VecMax(solver.x, nullptr, &most);
    EXPECT_EQ(most, 0.7);
    Vec gradient = nullptr;
    VecDuplicate(solver.x, &gradient);
    TaoComputeGradient(solver.tao, solver.x, gradient);
    VecBoundGradientProjection(gradient, solver.x, low, high, gradient);
    VecNorm(gradient, NORM_2, &residual);
    EXPECT_LE(residual, 1e-6);
    EXPECT_NEAR(solver.residual, residual, 1e-9);
    VecDestroy(&gradient);
    VecDestroy(&low);
    VecDestroy(&high);
  }
  Solver without(PETSC_COMM_WORLD, "loa_cg");
  Vec low = nullptr;
  VecDuplicate(without.x, &low);
  VecSet(low, -2.0);
  TaoSetVariableBounds(without.tao, low, nullptr);
  EXPECT_EQ(without.solve(), PETSC_ERR_ARG_WRONG);
  VecDestroy(&low);
}

// ---- What is not there, and mistakes.

TEST(TaoLoaErrors, OfWhatIsNotThere) {
  const Database database({"-tao_recycle_history"});
  Solver without_B(PETSC_COMM_WORLD, "loa_cg");
  EXPECT_EQ(without_B.solve(), PETSC_ERR_SUP);
  EXPECT_EQ(without_B.chain.num_evaluations, 0);
}

TEST(TaoLoaErrors, OfOptions) {
  const std::vector<std::pair<std::string, PetscErrorCode>> cases = {
      {"-tao_loa_algorithm bfgs+-", PETSC_ERR_ARG_WRONG},
      {"-tao_loa_line_search none", PETSC_ERR_ARG_WRONG},
      {"-tao_loa_memory 0", PETSC_ERR_ARG_WRONG},
      {"-tao_loa_threads -1", PETSC_ERR_ARG_OUTOFRANGE},
      {"-tao_loa_weights missing_file", PETSC_ERR_ARG_WRONG},
      {"-tao_loa_resume missing", PETSC_ERR_FILE_READ},
      {"-tao_loa_save_every 2", PETSC_ERR_ARG_INCOMP},
      {"-tao_loa_metric hessian", PETSC_ERR_ARG_WRONGSTATE},
      {"-tao_loa_save missing/folder/state", PETSC_ERR_FILE_WRITE}};
  for (const auto& [option, code] : cases) {
    SCOPED_TRACE(option);
    const Database database({option});
    Solver solver;
    EXPECT_EQ(solver.solve(), code);
  }
}

// A matrix of all variables cannot be in slices.
TEST(TaoLoaErrors, OfAlgorithmsWithAMatrix) {
  const Database database({"-tao_loa_algorithm bfgs+"});
  Solver solver;
  EXPECT_EQ(solver.solve(), size_of(PETSC_COMM_WORLD) == 1 ? 0 : PETSC_ERR_ARG_WRONG);
}

// ---- Failures on one process. That a test ends at all is half of what it says.

// What happens to the objective of one process.
enum class Accident { kErrorCode, kException, kNan };

// The sum of the objective is made before the accident, so that no process waits in it.
struct AfterTheSum {
  Solver* solver;
  Accident accident;
  PetscInt at;
  static PetscErrorCode evaluate(Tao tao, Vec x, PetscReal* f, Vec gradient, void* context) {
    PetscFunctionBeginUser;
    auto* self = static_cast<AfterTheSum*>(context);
    PetscCall(Chain::evaluate(tao, x, f, gradient, &self->solver->chain));
    if (self->solver->chain.num_evaluations < self->at || rank_in(PETSC_COMM_WORLD) != last_rank())
      PetscFunctionReturn(0);
    if (self->accident == Accident::kNan) *f = std::numeric_limits<double>::quiet_NaN();
    if (self->accident == Accident::kException) throw std::logic_error("an objective that throws");
    PetscCheck(self->accident != Accident::kErrorCode, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "no");
    PetscFunctionReturn(0);
  }
};

// An error code on one process is the code of all; an exception is an error of the user's.
TEST(TaoLoaFailures, OfTheObjectiveOnOneProcess) {
  for (const Accident accident : {Accident::kErrorCode, Accident::kException, Accident::kNan})
    for (const PetscInt at : {1, 2, 3, 12})
      for (const std::string type : {"loa", "loa_lbfgs", "loa_cg"}) {
        SCOPED_TRACE(testing::Message() << type << ", accident " << static_cast<int>(accident) << " at " << at);
        Solver solver(PETSC_COMM_WORLD, type);
        AfterTheSum objective{&solver, accident, at};
        TaoSetObjectiveAndGradient(solver.tao, nullptr, AfterTheSum::evaluate, &objective);
        solver.solve();
        expect_same_everywhere(solver.code);
        expect_same_everywhere(solver.reason);
        if (accident == Accident::kErrorCode) {
          EXPECT_EQ(solver.code, PETSC_ERR_ARG_SIZ);
        } else if (accident == Accident::kException || at == 1) {
          EXPECT_EQ(solver.code, PETSC_ERR_USER);
        } else {
          // f is NaN from here on: no point is better than the last one.
          EXPECT_EQ(solver.code, 0);
          EXPECT_LT(solver.reason, 0);
          EXPECT_TRUE(std::isfinite(solver.f));
        }
        // The vectors are the user's again: nothing is in place or locked.
        PetscInt locks = 0;
        VecLockGet(solver.x, &locks);
        EXPECT_EQ(locks, 0);
        EXPECT_EQ(VecSet(solver.x, 1.0), 0);
      }
}

TEST(TaoLoaFailures, OfAMonitorOnOneProcess) {
  for (const PetscInt at : {0, 1, 7}) {
    SCOPED_TRACE(at);
    Solver solver;
    PetscInt iteration = at;
    const auto monitor = [](Tao tao, void* context) -> PetscErrorCode {
      PetscFunctionBeginUser;
      PetscInt now = 0;
      TaoGetIterationNumber(tao, &now);
      PetscCheck(now != *static_cast<PetscInt*>(context) || rank_in(PETSC_COMM_WORLD) != last_rank(), PETSC_COMM_SELF,
                 PETSC_ERR_FILE_UNEXPECTED, "no");
      PetscFunctionReturn(0);
    };
    TaoSetMonitor(solver.tao, monitor, &iteration, nullptr);
    EXPECT_EQ(solver.solve(), PETSC_ERR_FILE_UNEXPECTED);
  }
}

// The other processes converge at the iterate at which the monitor of one throws.
TEST(TaoLoaFailures, OfAMonitorThatThrows) {
  for (const PetscInt at : {0, 5}) {
    SCOPED_TRACE(at);
    const Database database({"-tao_max_it 5"});
    Solver solver;
    PetscInt iteration = at;
    const auto monitor = [](Tao tao, void* context) -> PetscErrorCode {
      PetscInt now = 0;
      TaoGetIterationNumber(tao, &now);
      if (now == *static_cast<PetscInt*>(context) && rank_in(PETSC_COMM_WORLD) == last_rank())
        throw std::logic_error("a monitor that throws");
      return 0;
    };
    TaoSetMonitor(solver.tao, monitor, &iteration, nullptr);
    EXPECT_EQ(solver.solve(), PETSC_ERR_USER);
  }
}

// The error comes with the last iterate, after which f is asked no more.
TEST(TaoLoaFailures, OfAMonitorAtTheEnd) {
  Solver solver;
  const Database database({"-tao_max_it 5"});
  const auto monitor = [](Tao tao, void*) -> PetscErrorCode {
    PetscFunctionBeginUser;
    PetscInt now = 0;
    TaoGetIterationNumber(tao, &now);
    PetscCheck(now != 5 || rank_in(PETSC_COMM_WORLD) != last_rank(), PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "no");
    PetscFunctionReturn(0);
  };
  TaoSetMonitor(solver.tao, monitor, nullptr, nullptr);
  EXPECT_EQ(solver.solve(), PETSC_ERR_FILE_UNEXPECTED);
}

TEST(TaoLoaFailures, OfAUsersTestOnOneProcess) {
  for (const PetscInt at : {0, 1, 7}) {
    SCOPED_TRACE(at);
    Solver solver;
    PetscInt iteration = at;
    const auto test = [](Tao tao, void* context) -> PetscErrorCode {
      PetscFunctionBeginUser;
      PetscInt now = 0;
      TaoGetIterationNumber(tao, &now);
      PetscCheck(now != *static_cast<PetscInt*>(context) || rank_in(PETSC_COMM_WORLD) != last_rank(), PETSC_COMM_SELF,
                 PETSC_ERR_FP, "no");
      PetscCall(TaoDefaultConvergenceTest(tao, nullptr));
      PetscFunctionReturn(0);
    };
    TaoSetConvergenceTest(solver.tao, test, &iteration);
    EXPECT_EQ(solver.solve(), PETSC_ERR_FP);
  }
}

// ---- States.

std::string state_prefix() {
  return (std::filesystem::temp_directory_path() / ("loa_tao_test_" + std::to_string(size_of(PETSC_COMM_WORLD))))
      .string();
}

void remove_states() {
  MPI_Barrier(PETSC_COMM_WORLD);
  std::filesystem::remove(state_prefix() + "." + std::to_string(rank_in(PETSC_COMM_WORLD)));
  MPI_Barrier(PETSC_COMM_WORLD);
}

TEST(TaoLoaStates, GoOnBitForBit) {
  for (const std::string type : kTypes) {
    SCOPED_TRACE(type);
    Solver whole(PETSC_COMM_WORLD, type), first(PETSC_COMM_WORLD, type), second(PETSC_COMM_WORLD, type);
    for (const Solver* solver : {&whole, &first, &second}) TaoSetTolerances(solver->tao, 0.0, 0.0, 1e-7);
    ASSERT_EQ(whole.solve(), 0);
    {
      const Database database({"-tao_loa_save " + state_prefix(), "-tao_max_it 11"});
      ASSERT_EQ(first.solve(), 0);
      EXPECT_EQ(first.reason, TAO_DIVERGED_MAXITS);
    }
    const Database database({"-tao_loa_resume " + state_prefix()});
    ASSERT_EQ(second.solve(), 0);
    EXPECT_EQ(second.reason, TAO_CONVERGED_GTTOL);
    EXPECT_EQ(second.iterations, whole.iterations);
    EXPECT_EQ(second.f, whole.f);
    EXPECT_EQ(second.bits(), whole.bits());
    EXPECT_EQ(first.chain.num_evaluations + second.chain.num_evaluations, whole.chain.num_evaluations);
    remove_states();
  }
}

// A run that was killed: its last state is that of iteration 10.
TEST(TaoLoaStates, AreSavedOnTheWay) {
  Solver whole, killed, second;
  ASSERT_EQ(whole.solve(), 0);
  {
    const Database database({"-tao_loa_save " + state_prefix(), "-tao_loa_save_every 5"});
    AfterTheSum objective{&killed, Accident::kErrorCode, 16};
    TaoSetObjectiveAndGradient(killed.tao, nullptr, AfterTheSum::evaluate, &objective);
    ASSERT_EQ(killed.solve(), PETSC_ERR_ARG_SIZ);
  }
  const Database database({"-tao_loa_resume " + state_prefix()});
  ASSERT_EQ(second.solve(), 0);
  EXPECT_EQ(second.bits(), whole.bits());
  EXPECT_LT(second.chain.num_evaluations, whole.chain.num_evaluations - 8);
  remove_states();
}

// One process finds another file than it has written, and all are told.
TEST(TaoLoaStates, ThatAreDamagedAreRefused) {
  for (const std::string damage : {"no first line", "half of it", "nothing"}) {
    SCOPED_TRACE(damage);
    Solver first, second;
    {
      const Database database({"-tao_loa_save " + state_prefix(), "-tao_max_it 11"});
      ASSERT_EQ(first.solve(), 0);
    }
    if (rank_in(PETSC_COMM_WORLD) == last_rank()) {
      const std::string path = state_prefix() + "." + std::to_string(last_rank());
      std::ifstream in(path, std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
      std::ofstream(path, std::ios::binary) << (damage == "half of it"      ? bytes.substr(0, bytes.size() / 2)
                                                : damage == "no first line" ? bytes.substr(bytes.find('\n') + 1)
                                                                            : "");
    }
    const Database database({"-tao_loa_resume " + state_prefix()});
    EXPECT_EQ(second.solve(), PETSC_ERR_FILE_READ);
    EXPECT_EQ(second.chain.num_evaluations, 0);
    remove_states();
  }
}

TEST(TaoLoaStates, OfAnotherRunAreRefused) {
  Solver first, other(PETSC_COMM_WORLD, "loa_lbfgs"), alone(PETSC_COMM_SELF);
  {
    const Database database({"-tao_loa_save " + state_prefix(), "-tao_max_it 11"});
    ASSERT_EQ(first.solve(), 0);
  }
  const Database database({"-tao_loa_resume " + state_prefix()});
  EXPECT_EQ(other.solve(), PETSC_ERR_ARG_WRONG);
  EXPECT_EQ(alone.solve(), size_of(PETSC_COMM_WORLD) == 1 ? 0 : PETSC_ERR_FILE_READ);
  remove_states();
}

}  // namespace
}  // namespace loa_tao::test
