// A program of PETSc that knows nothing of loa: a soap film on N x N points, -n N, solved by whatever -tao_type says.
#include "membrane.h"

int main(int argc, char** argv) {
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  {
    PetscInt N = 31;
    PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-n", &N, nullptr));
    loa_tao::test::Membrane membrane(PETSC_COMM_WORLD, N);
    Vec u = membrane.make_start();
    Mat hessian = membrane.make_laplacian();
    Tao tao = nullptr;
    PetscReal f = 0.0;
    PetscInt iterations = 0;
    PetscCall(TaoCreate(PETSC_COMM_WORLD, &tao));
    PetscCall(TaoSetType(tao, TAOLMVM));
    PetscCall(TaoSetSolution(tao, u));
    PetscCall(TaoSetObjectiveAndGradient(tao, nullptr, loa_tao::test::Membrane::evaluate, &membrane));
    PetscCall(TaoSetHessian(tao, hessian, hessian, loa_tao::test::Membrane::hessian, &membrane));
    PetscCall(TaoSetTolerances(tao, 0.0, 0.0, 1e-6));
    PetscCall(TaoSetFromOptions(tao));
    PetscCall(TaoSolve(tao));
    PetscCall(TaoGetSolutionStatus(tao, &iterations, &f, nullptr, nullptr, nullptr, nullptr));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "energy %.8f after %" PetscInt_FMT " iterations\n", f, iterations));
    PetscCall(TaoDestroy(&tao));
    PetscCall(MatDestroy(&hessian));
    PetscCall(VecDestroy(&u));
  }
  return PetscFinalize();
}
