#include "program.h"

#include <cmath>
#include <ctime>
#include <limits>

namespace {

// What the callback of TAO gets: the problem, and how often the solver has asked for f and its gradient.
struct Counted {
  Problem* problem = nullptr;
  PetscInt evaluations = 0;
};

PetscErrorCode evaluate_counted(Tao, Vec x, PetscReal* f, Vec gradient, void* context) {
  PetscFunctionBeginUser;
  auto* counted = static_cast<Counted*>(context);
  ++counted->evaluations;
  PetscCall(counted->problem->evaluate(x, f, gradient));
  PetscFunctionReturn(0);
}

// How long a run took: by the clock, and in seconds of the processor, which other programs on the machine disturb less.
struct Times {
  PetscReal seconds = 0.0, cpu = 0.0;
};

PetscErrorCode now(Times* times) {
  PetscFunctionBeginUser;
  PetscLogDouble seconds = 0.0;
  PetscCall(PetscTime(&seconds));
  *times = {.seconds = seconds, .cpu = static_cast<PetscReal>(std::clock()) / static_cast<PetscReal>(CLOCKS_PER_SEC)};
  PetscFunctionReturn(0);
}

// From begin to end on the slowest process.
PetscErrorCode find_times(Times begin, Times end, Times* times) {
  PetscFunctionBeginUser;
  PetscReal both[2] = {end.seconds - begin.seconds, end.cpu - begin.cpu};
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, both, 2, MPIU_REAL, MPI_MAX, PETSC_COMM_WORLD));
  *times = {.seconds = both[0], .cpu = both[1]};
  PetscFunctionReturn(0);
}

PetscErrorCode print_result(Tao tao, const char* name, Counted& counted, Times times) {
  PetscFunctionBeginUser;
  Vec x = nullptr, gradient = nullptr;
  PetscInt n = 0, iterations = 0;
  PetscMPIInt processes = 0;
  PetscReal f = 0.0, gnorm = 0.0, error = 0.0;
  PetscBool is_error_known = PETSC_FALSE;
  TaoType type = nullptr;
  TaoConvergedReason reason = TAO_CONTINUE_ITERATING;
  const PetscInt evaluations = counted.evaluations;
  PetscCall(TaoGetSolution(tao, &x));
  PetscCall(VecDuplicate(x, &gradient));
  PetscCall(counted.problem->evaluate(x, &f, gradient));
  PetscCall(VecNorm(gradient, NORM_2, &gnorm));
  PetscCall(VecDestroy(&gradient));
  PetscCall(VecGetSize(x, &n));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &processes));
  PetscCall(TaoGetType(tao, &type));
  PetscCall(TaoGetIterationNumber(tao, &iterations));
  PetscCall(TaoGetConvergedReason(tao, &reason));
  PetscCall(counted.problem->find_error(x, &error, &is_error_known));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "result problem=%s n=%d processes=%d type=%s f=%.15e gnorm=%.6e iterations=%d evaluations=%d "
                        "seconds=%.4f cpu=%.4f reason=%s",
                        name, int{n}, int{processes}, type, double{f}, double{gnorm}, int{iterations}, int{evaluations},
                        double{times.seconds}, double{times.cpu}, TaoConvergedReasons[reason]));
  if (is_error_known) PetscCall(PetscPrintf(PETSC_COMM_WORLD, " error=%.6e", double{error}));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  PetscFunctionReturn(0);
}

PetscErrorCode solve(const char* name, Problem& problem, Vec start) {
  PetscFunctionBeginUser;
  Counted counted{.problem = &problem};
  Tao tao = nullptr;
  Times begin, end, times;
  PetscCall(TaoCreate(PETSC_COMM_WORLD, &tao));
  PetscCall(TaoSetType(tao, TAOLMVM));
  PetscCall(TaoSetSolution(tao, start));
  PetscCall(TaoSetObjectiveAndGradient(tao, nullptr, evaluate_counted, &counted));
  PetscCall(TaoSetFromOptions(tao));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(now(&begin));
  PetscCall(TaoSolve(tao));
  PetscCall(now(&end));
  PetscCall(find_times(begin, end, &times));
  PetscCall(print_result(tao, name, counted, times));
  PetscCall(TaoDestroy(&tao));
  PetscFunctionReturn(0);
}

// f(x + step p) - f(x - step p) over 2 step.
PetscErrorCode central_difference(Problem& problem, Vec x, Vec p, PetscReal step, PetscReal* slope) {
  PetscFunctionBeginUser;
  Vec trial = nullptr, unused = nullptr;
  PetscReal ahead = 0.0, behind = 0.0;
  PetscCall(VecDuplicate(x, &trial));
  PetscCall(VecDuplicate(x, &unused));
  PetscCall(VecWAXPY(trial, step, p, x));
  PetscCall(problem.evaluate(trial, &ahead, unused));
  PetscCall(VecWAXPY(trial, -step, p, x));
  PetscCall(problem.evaluate(trial, &behind, unused));
  *slope = (ahead - behind) / (2.0 * step);
  PetscCall(VecDestroy(&trial));
  PetscCall(VecDestroy(&unused));
  PetscFunctionReturn(0);
}

// Along random p, and at a point a little off the start, where no symmetry of the start hides a mistake. Components of
// p have either sign, so that each component of a wrong gradient counts.
PetscErrorCode check_gradient(const char* name, Problem& problem, Vec start) {
  PetscFunctionBeginUser;
  constexpr int kNumDirections = 5;
  // The error of a central difference is step^2 |f'''| + eps |f| / step; their sum is least near the cube root of eps.
  const PetscReal step = std::cbrt(std::numeric_limits<PetscReal>::epsilon());
  Vec p = nullptr, gradient = nullptr;
  PetscRandom random = nullptr;
  PetscReal worst = 0.0, f = 0.0, slope = 0.0, difference = 0.0, length = 0.0, gnorm = 0.0;
  PetscInt n = 0;
  PetscMPIInt processes = 0;
  PetscCall(PetscRandomCreate(PETSC_COMM_WORLD, &random));
  PetscCall(PetscRandomSetInterval(random, -1.0, 1.0));
  PetscCall(PetscRandomSetFromOptions(random));
  PetscCall(VecDuplicate(start, &p));
  PetscCall(VecDuplicate(start, &gradient));
  PetscCall(VecGetSize(start, &n));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &processes));
  PetscCall(VecSetRandom(p, random));
  PetscCall(VecAXPY(start, 0.1, p));
  PetscCall(problem.evaluate(start, &f, gradient));
  PetscCall(VecNorm(gradient, NORM_2, &gnorm));
  for (int i = 0; i < kNumDirections; ++i) {
    PetscCall(VecSetRandom(p, random));
    PetscCall(VecNorm(p, NORM_2, &length));
    PetscCall(VecDot(gradient, p, &slope));
    PetscCall(central_difference(problem, start, p, step, &difference));
    // A random p is nearly orthogonal to g: <g, p> is of the order of ||g|| ||p|| / sqrt(n).
    const PetscReal scale = gnorm * length / std::sqrt(static_cast<PetscReal>(n));
    const PetscReal error = std::abs(slope - difference) / scale;
    worst = error > worst || std::isnan(error) ? error : worst;
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "gradient problem=%s n=%d processes=%d error=%.3e\n", name, int{n},
                        int{processes}, double{worst}));
  PetscCall(VecDestroy(&p));
  PetscCall(VecDestroy(&gradient));
  PetscCall(PetscRandomDestroy(&random));
  PetscFunctionReturn(0);
}

PetscErrorCode run(const char* name, Problem& problem) {
  PetscFunctionBeginUser;
  Vec start = nullptr;
  PetscBool only_check = PETSC_FALSE;
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-check_gradient", &only_check, nullptr));
  PetscCall(problem.set_up(&start));
  if (only_check) {
    PetscCall(check_gradient(name, problem, start));
  } else {
    PetscCall(solve(name, problem, start));
  }
  PetscCall(VecDestroy(&start));
  PetscCall(problem.tear_down());
  PetscFunctionReturn(0);
}

}  // namespace

PetscErrorCode Problem::find_error(Vec, PetscReal*, PetscBool* is_known) {
  PetscFunctionBeginUser;
  *is_known = PETSC_FALSE;
  PetscFunctionReturn(0);
}

int run_program(int argc, char** argv, const char* name, const char* help, Problem& problem) {
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, help));
  PetscCall(run(name, problem));
  PetscCall(PetscFinalize());
  return 0;
}
