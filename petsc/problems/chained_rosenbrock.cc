// The chained Rosenbrock function (Toint 1978):  f(x) = sum over i < n - 1 of 100 (x_{i+1} - x_i^2)^2 + (1 - x_i)^2.
//
// The start is (-1.2, 1, -1.2, 1, ...), the solution (1, ..., 1) with f = 0; there are other local minima. From that
// start x rests near 0.01 and leaves from one end of the chain to the other, so that every solver takes iterations in
// proportion to n: four for each variable. For large n the chain can be cut into pieces of some length, whose starts
// then differ from each other by 0.1 sin(i), so that n is large and the iterations stay few.
#include <petscdmda.h>

#include <cmath>

#include "program.h"

namespace {

class ChainedRosenbrock final : public Problem {
 public:
  PetscErrorCode set_up(Vec* start) override {
    PetscFunctionBeginUser;
    PetscInt n = 1000;
    PetscReal* x = nullptr;
    PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-n", &n, nullptr));
    piece_ = n;
    PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-piece", &piece_, nullptr));
    PetscCall(DMDACreate1d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, n, 1, 1, nullptr, &chain_));
    PetscCall(DMSetFromOptions(chain_));
    PetscCall(DMSetUp(chain_));
    PetscCall(DMCreateLocalVector(chain_, &x_with_neighbours_));
    PetscCall(DMCreateGlobalVector(chain_, start));
    PetscCall(DMDAGetLocalInfo(chain_, &own_));
    PetscCall(DMDAVecGetArray(chain_, *start, &x));
    for (PetscInt i = own_.xs; i < own_.xs + own_.xm; ++i) {
      x[i] = (i % 2 == 0 ? -1.2 : 1.0) + (piece_ < n ? 0.1 * std::sin(static_cast<PetscReal>(i)) : 0.0);
    }
    PetscCall(DMDAVecRestoreArray(chain_, *start, &x));
    PetscFunctionReturn(0);
  }

  PetscErrorCode evaluate(Vec x_global, PetscReal* f, Vec gradient) override {
    PetscFunctionBeginUser;
    PetscReal *x = nullptr, *g = nullptr, sum = 0.0;
    PetscCall(DMGlobalToLocal(chain_, x_global, INSERT_VALUES, x_with_neighbours_));
    PetscCall(DMDAVecGetArrayRead(chain_, x_with_neighbours_, &x));
    PetscCall(DMDAVecGetArrayWrite(chain_, gradient, &g));
    for (PetscInt i = own_.xs; i < own_.xs + own_.xm; ++i) {
      g[i] = 0.0;
      if (i > 0 && is_linked(i - 1)) g[i] += 200.0 * (x[i] - x[i - 1] * x[i - 1]);
      if (is_linked(i)) {
        const PetscReal curve = x[i + 1] - x[i] * x[i], rest = 1.0 - x[i];
        sum += 100.0 * curve * curve + rest * rest;
        g[i] -= 400.0 * curve * x[i] + 2.0 * rest;
      }
    }
    PetscCall(DMDAVecRestoreArrayRead(chain_, x_with_neighbours_, &x));
    PetscCall(DMDAVecRestoreArrayWrite(chain_, gradient, &g));
    PetscCallMPI(MPI_Allreduce(&sum, f, 1, MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD));
    PetscFunctionReturn(0);
  }

  PetscErrorCode find_error(Vec x, PetscReal* error, PetscBool* is_known) override {
    PetscFunctionBeginUser;
    Vec difference = nullptr;
    *is_known = PETSC_TRUE;
    PetscCall(VecDuplicate(x, &difference));
    PetscCall(VecCopy(x, difference));
    PetscCall(VecShift(difference, -1.0));
    PetscCall(VecNorm(difference, NORM_INFINITY, error));
    PetscCall(VecDestroy(&difference));
    PetscFunctionReturn(0);
  }

  PetscErrorCode tear_down() override {
    PetscFunctionBeginUser;
    PetscCall(VecDestroy(&x_with_neighbours_));
    PetscCall(DMDestroy(&chain_));
    PetscFunctionReturn(0);
  }

 private:
  // Whether there is a term with x_i and x_{i+1}.
  bool is_linked(PetscInt i) const { return i < own_.mx - 1 && (i + 1) % piece_ != 0; }

  PetscInt piece_ = 0;
  DM chain_ = nullptr;
  DMDALocalInfo own_{};
  Vec x_with_neighbours_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  ChainedRosenbrock problem;
  return run_program(argc, argv, "chained_rosenbrock",
                     "The chained Rosenbrock function.\n"
                     "  -n N       variables (1000)\n"
                     "  -piece L   cut the chain into pieces of L variables (N, a whole chain)\n",
                     problem);
}
