// Would catch: a metric that is not used, one that is used in a part of the algorithm only, so that iterations grow
// with the mesh all the same, a slice of it taken for the whole, and an error in it on one process for which the others
// wait.
#include <gtest/gtest.h>
#include <petscksp.h>

#include <algorithm>
#include <string>
#include <vector>

#include "loa_tao.h"
#include "membrane.h"
#include "problems.h"

namespace loa_tao::test {
namespace {

enum class Metric { kNone, kMat, kKsp, kHessian };

struct Outcome {
  PetscErrorCode code = 0;
  TaoConvergedReason reason = TAO_CONTINUE_ITERATING;
  PetscInt iterations = 0;
  PetscReal f = 0.0;
};

// A film on N x N points until the norm of the gradient is 1e-6 of that at the start: a test that does not depend on
// the mesh.
Outcome solve(PetscInt N, Metric metric, const char* type = "loa", MPI_Comm comm = PETSC_COMM_WORLD) {
  Membrane membrane(comm, N);
  Vec u = membrane.make_start();
  Mat laplacian = membrane.make_laplacian();
  KSP ksp = nullptr;
  Tao tao = nullptr;
  TaoCreate(comm, &tao);
  TaoSetType(tao, type);
  TaoSetSolution(tao, u);
  TaoSetObjectiveAndGradient(tao, nullptr, Membrane::evaluate, &membrane);
  TaoSetTolerances(tao, 0.0, 0.0, 1e-6);
  if (metric == Metric::kMat) TaoLoaSetMetric(tao, (PetscObject)laplacian);
  if (metric == Metric::kKsp) {
    KSPCreate(comm, &ksp);
    KSPSetOperators(ksp, laplacian, laplacian);
    KSPSetType(ksp, KSPCG);
    KSPSetTolerances(ksp, 1e-9, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT);
    TaoLoaSetMetric(tao, (PetscObject)ksp);
  }
  if (metric == Metric::kHessian) {
    TaoSetHessian(tao, laplacian, laplacian, Membrane::hessian, &membrane);
    PetscOptionsSetValue(nullptr, "-tao_loa_metric", "hessian");
  }
  Outcome outcome;
  outcome.code = TaoSetFromOptions(tao);
  if (outcome.code == 0) outcome.code = TaoSolve(tao);
  PetscOptionsClearValue(nullptr, "-tao_loa_metric");
  TaoGetConvergedReason(tao, &outcome.reason);
  TaoGetSolutionStatus(tao, &outcome.iterations, &outcome.f, nullptr, nullptr, nullptr, nullptr);
  TaoDestroy(&tao);
  KSPDestroy(&ksp);
  MatDestroy(&laplacian);
  VecDestroy(&u);
  return outcome;
}

TEST(TaoLoaMetric, KeepsIterationsFromGrowingWithTheMesh) {
  std::vector<PetscInt> without, with;
  for (const PetscInt N : {15, 31, 63}) {
    const Outcome plain = solve(N, Metric::kNone), metric = solve(N, Metric::kMat);
    for (const Outcome& outcome : {plain, metric}) {
      ASSERT_EQ(outcome.code, 0);
      EXPECT_EQ(outcome.reason, TAO_CONVERGED_GTTOL);
    }
    EXPECT_NEAR(plain.f, metric.f, 1e-9);
    without.push_back(plain.iterations);
    with.push_back(metric.iterations);
    RecordProperty("without_" + std::to_string(N), static_cast<int>(plain.iterations));
    RecordProperty("with_" + std::to_string(N), static_cast<int>(metric.iterations));
  }
  EXPECT_GT(without[1], without[0] * 3 / 2);
  EXPECT_GT(without[2], without[1] * 3 / 2);
  EXPECT_LE(*std::max_element(with.begin(), with.end()), *std::min_element(with.begin(), with.end()) + 2);
  EXPECT_LE(with[2], without[2] / 4);
}

TEST(TaoLoaMetric, IsTheSameFromAMatAKspAndTheHessian) {
  const Outcome mat = solve(15, Metric::kMat);
  for (const Metric metric : {Metric::kKsp, Metric::kHessian}) {
    const Outcome other = solve(15, metric);
    ASSERT_EQ(other.code, 0);
    EXPECT_EQ(other.iterations, mat.iterations);
    EXPECT_NEAR(other.f, mat.f, 1e-12);
  }
}

TEST(TaoLoaMetric, IsTheSameOnOneProcess) {
  const Outcome alone = solve(15, Metric::kMat, "loa", PETSC_COMM_SELF), together = solve(15, Metric::kMat);
  EXPECT_EQ(alone.iterations, together.iterations);
  EXPECT_NEAR(alone.f, together.f, 1e-12);
}

// Types that have no B_0 for it say so.
TEST(TaoLoaMetric, IsForTwoAlgorithms) {
  for (const char* type : {"loa_lbfgs_plus", "loa_lbfgs_plus_d"})
    EXPECT_EQ(solve(15, Metric::kMat, type).code, 0) << type;
  for (const char* type : {"loa_lbfgs", "loa_cg"})
    EXPECT_EQ(solve(15, Metric::kMat, type).code, PETSC_ERR_ARG_WRONG) << type;
}

TEST(TaoLoaMetric, IsAMatOrAKsp) {
  Membrane membrane(PETSC_COMM_WORLD, 15);
  Vec u = membrane.make_start();
  Tao tao = nullptr;
  TaoCreate(PETSC_COMM_WORLD, &tao);
  TaoSetType(tao, "loa");
  TaoSetSolution(tao, u);
  TaoSetObjectiveAndGradient(tao, nullptr, Membrane::evaluate, &membrane);
  TaoLoaSetMetric(tao, (PetscObject)u);
  EXPECT_EQ(TaoSolve(tao), PETSC_ERR_ARG_WRONG);
  TaoDestroy(&tao);
  VecDestroy(&u);
}

// Besides those of the objective; this metric has none.
TEST(TaoLoaMetric, TakesTwoAllReducesAnIteration) {
  Chain chain(PETSC_COMM_WORLD, 57);
  Vec x = chain.make_start();
  PetscInt num = 0;
  VecGetLocalSize(x, &num);
  Mat M = nullptr;
  KSP ksp = nullptr;
  PC pc = nullptr;
  MatCreateConstantDiagonal(PETSC_COMM_WORLD, num, num, 57, 57, 1.0, &M);
  KSPCreate(PETSC_COMM_WORLD, &ksp);
  KSPSetOperators(ksp, M, M);
  KSPSetType(ksp, KSPPREONLY);
  KSPGetPC(ksp, &pc);
  PCSetType(pc, PCNONE);
  std::vector<long> counts;
  long before = 0;
  chain.before_evaluation = [&] {
    const long now = num_collectives() - chain.own_collectives;
    if (chain.num_evaluations >= 5) counts.push_back(now - before);
    before = now;
  };
  Tao tao = nullptr;
  TaoCreate(PETSC_COMM_WORLD, &tao);
  TaoSetType(tao, "loa");
  TaoSetSolution(tao, x);
  TaoSetObjectiveAndGradient(tao, nullptr, Chain::evaluate, &chain);
  TaoLoaSetMetric(tao, (PetscObject)ksp);
  ASSERT_EQ(TaoSolve(tao), 0);
  ASSERT_GE(counts.size(), 20u);
  EXPECT_LE(*std::max_element(counts.begin(), counts.end()), size_of(PETSC_COMM_WORLD) == 1 ? 0 : 2);
  TaoDestroy(&tao);
  KSPDestroy(&ksp);
  MatDestroy(&M);
  VecDestroy(&x);
}

// A preconditioner that fails on one process, at its third product.
TEST(TaoLoaMetric, FailsOnAllProcesses) {
  Chain chain(PETSC_COMM_WORLD, 57);
  Vec x = chain.make_start();
  PetscInt num = 0, calls = 0;
  VecGetLocalSize(x, &num);
  Mat M = nullptr;
  KSP ksp = nullptr;
  PC pc = nullptr;
  MatCreateConstantDiagonal(PETSC_COMM_WORLD, num, num, 57, 57, 1.0, &M);
  KSPCreate(PETSC_COMM_WORLD, &ksp);
  KSPSetOperators(ksp, M, M);
  KSPSetType(ksp, KSPPREONLY);
  KSPGetPC(ksp, &pc);
  PCSetType(pc, PCSHELL);
  PCShellSetContext(pc, &calls);
  const auto fail = [](PC self, Vec in, Vec out) -> PetscErrorCode {
    PetscFunctionBeginUser;
    PetscInt* num_calls = nullptr;
    PetscCall(PCShellGetContext(self, &num_calls));
    PetscCall(VecCopy(in, out));
    PetscCheck(++*num_calls != 3 || rank_in(PETSC_COMM_WORLD) != size_of(PETSC_COMM_WORLD) - 1, PETSC_COMM_SELF,
               PETSC_ERR_MAT_LU_ZRPVT, "no");
    PetscFunctionReturn(0);
  };
  PCShellSetApply(pc, fail);
  Tao tao = nullptr;
  TaoCreate(PETSC_COMM_WORLD, &tao);
  TaoSetType(tao, "loa");
  TaoSetSolution(tao, x);
  TaoSetObjectiveAndGradient(tao, nullptr, Chain::evaluate, &chain);
  TaoLoaSetMetric(tao, (PetscObject)ksp);
  EXPECT_EQ(TaoSolve(tao), PETSC_ERR_MAT_LU_ZRPVT);
  TaoDestroy(&tao);
  KSPDestroy(&ksp);
  MatDestroy(&M);
  VecDestroy(&x);
}

}  // namespace
}  // namespace loa_tao::test
