// An inverse problem with a partial differential equation: recover the logarithm m of the diffusivity from noisy
// observations d of the solution u of  -div(exp(m) grad u) = 1  on the unit square, u = 0 on its boundary.
//
//   minimize  J(m) = 1/(2 K^2 sigma^2) sum over sensors of (u_s - d_s)^2  +  (beta/2) integral of |grad m|^2
//
// The grid has N x N nodes with the boundary, a distance h apart, and m lives on all of them. The conductance of the
// edge from node i to j is a_ij = (exp(m_i) + exp(m_j))/2, and A(m) u = h^2 says that at each node inside sum over
// neighbours j of a_ij (u_i - u_j) = h^2. With the adjoint lambda, A(m) lambda = -dJ/du,
//
//   dJ/dm_i = sum over neighbours j of  exp(m_i)/2 (u_i - u_j)(lambda_i - lambda_j) + beta w_ij (m_i - m_j),
//
// where w_ij is 1/2 for edges in the boundary and 1 for the others. So an evaluation is two solves with A(m), which KSP
// does: conjugate gradients with multigrid on the same grid. The start is m = 0. The observations are u of a true m, a
// hill and a hollow, at K x K sensors, with normal noise of sigma = 1 % of the greatest u.
#include <petscdmda.h>
#include <petscksp.h>

#include <cmath>
#include <random>
#include <vector>

#include "program.h"

namespace {

PetscReal hill(PetscReal x, PetscReal y, PetscReal center_x, PetscReal center_y) {
  return std::exp(-30.0 * ((x - center_x) * (x - center_x) + (y - center_y) * (y - center_y)));
}

PetscReal true_m(PetscReal x, PetscReal y) { return hill(x, y, 0.3, 0.6) - hill(x, y, 0.7, 0.35); }

// Noise of one sensor, whatever process has it.
PetscReal normal_noise(PetscInt sensor) {
  std::mt19937_64 generator(static_cast<std::uint64_t>(sensor));
  std::normal_distribution<PetscReal> normal;
  return normal(generator);
}

class Diffusivity final : public Problem {
 public:
  PetscErrorCode set_up(Vec* start) override {
    PetscFunctionBeginUser;
    PetscInt n = 33;
    PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-n", &n, nullptr));
    PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-sensors", &sensors_a_side_, nullptr));
    PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-beta", &beta_, nullptr));
    h_ = 1.0 / static_cast<PetscReal>(n - 1);
    PetscCall(create_grid(n));
    PetscCall(create_solver(n));
    PetscCall(observe());
    PetscCall(DMCreateGlobalVector(nodes_, start));
    PetscCall(VecZeroEntries(*start));
    PetscFunctionReturn(0);
  }

  // Where A(m) cannot be solved with, because exp(m) is too large, J is infinite.
  PetscErrorCode evaluate(Vec m, PetscReal* f, Vec gradient) override {
    PetscFunctionBeginUser;
    bool is_solved = false;
    *f = PETSC_INFINITY;
    PetscCall(VecZeroEntries(gradient));
    PetscCall(assemble(m));
    PetscCall(solve(source_, u_, &is_solved));
    if (!is_solved) PetscFunctionReturn(0);
    PetscReal misfit = 0.0;
    PetscCall(find_misfit(&misfit));
    PetscCall(solve(residual_, lambda_, &is_solved));
    if (!is_solved) PetscFunctionReturn(0);
    PetscCall(finish(misfit, f, gradient));
    PetscFunctionReturn(0);
  }

  PetscErrorCode tear_down() override {
    PetscFunctionBeginUser;
    for (Vec* vector : {&source_, &residual_, &u_, &lambda_, &m_local_, &u_local_, &lambda_local_}) {
      PetscCall(VecDestroy(vector));
    }
    PetscCall(MatDestroy(&matrix_));
    PetscCall(KSPDestroy(&ksp_));
    PetscCall(DMDestroy(&nodes_));
    PetscFunctionReturn(0);
  }

 private:
  struct Sensor {
    PetscInt i = 0, j = 0;
    PetscReal observed = 0.0;
  };

  PetscErrorCode create_grid(PetscInt n) {
    PetscFunctionBeginUser;
    PetscCall(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, n, n, PETSC_DECIDE,
                           PETSC_DECIDE, 1, 1, nullptr, nullptr, &nodes_));
    PetscCall(DMSetFromOptions(nodes_));
    PetscCall(DMSetUp(nodes_));
    PetscCall(DMDAGetLocalInfo(nodes_, &own_));
    for (Vec* vector : {&source_, &residual_, &u_, &lambda_}) PetscCall(DMCreateGlobalVector(nodes_, vector));
    for (Vec* vector : {&m_local_, &u_local_, &lambda_local_}) PetscCall(DMCreateLocalVector(nodes_, vector));
    PetscReal** source = nullptr;
    PetscCall(DMDAVecGetArrayWrite(nodes_, source_, &source));
    for_own_nodes([&](PetscInt i, PetscInt j) { source[j][i] = is_inside(i, j) ? h_ * h_ : 0.0; });
    PetscCall(DMDAVecRestoreArrayWrite(nodes_, source_, &source));
    PetscFunctionReturn(0);
  }

  // One more level of multigrid for each time that the number of cells along a side can be halved.
  PetscErrorCode create_solver(PetscInt n) {
    PetscFunctionBeginUser;
    constexpr PetscInt kFewestCells = 8;  // a coarsest grid that every process of a few has nodes of
    PetscInt levels = 1;
    for (PetscInt cells = n - 1; cells % 2 == 0 && cells / 2 >= kFewestCells; cells /= 2) ++levels;
    PC pc = nullptr;
    PetscCall(DMSetMatType(nodes_, MATAIJ));
    PetscCall(DMCreateMatrix(nodes_, &matrix_));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp_));
    PetscCall(KSPSetDM(ksp_, nodes_));
    PetscCall(KSPSetDMActive(ksp_, PETSC_FALSE));
    PetscCall(KSPSetOperators(ksp_, matrix_, matrix_));
    PetscCall(KSPSetType(ksp_, KSPCG));
    // A gradient must be that of its f to more digits than the run asks for.
    PetscCall(KSPSetTolerances(ksp_, 1e-11, PETSC_DEFAULT, PETSC_DEFAULT, 200));
    PetscCall(KSPGetPC(ksp_, &pc));
    PetscCall(PCSetType(pc, PCMG));
    PetscCall(PCMGSetLevels(pc, levels, nullptr));
    PetscCall(PCMGSetGalerkin(pc, PC_MG_GALERKIN_BOTH));
    PetscCall(KSPSetFromOptions(ksp_));
    PetscFunctionReturn(0);
  }

  // Makes the observations: u of the true m, and noise.
  PetscErrorCode observe() {
    PetscFunctionBeginUser;
    constexpr PetscReal kNoise = 0.01;
    Vec m = nullptr;
    PetscReal **m_array = nullptr, **u = nullptr, greatest = 0.0;
    bool is_solved = false;
    PetscCall(DMCreateGlobalVector(nodes_, &m));
    PetscCall(DMDAVecGetArrayWrite(nodes_, m, &m_array));
    for_own_nodes([&](PetscInt i, PetscInt j) {
      m_array[j][i] = true_m(static_cast<PetscReal>(i) * h_, static_cast<PetscReal>(j) * h_);
    });
    PetscCall(DMDAVecRestoreArrayWrite(nodes_, m, &m_array));
    PetscCall(assemble(m));
    PetscCall(VecDestroy(&m));
    PetscCall(solve(source_, u_, &is_solved));
    PetscCheck(is_solved, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED, "no solution for the true diffusivity");
    PetscCall(VecMax(u_, nullptr, &greatest));
    sigma_ = kNoise * greatest;
    PetscCall(DMDAVecGetArrayRead(nodes_, u_, &u));
    for (PetscInt s = 0; s < sensors_a_side_ * sensors_a_side_; ++s) {
      const PetscInt i = node_of_sensor(s % sensors_a_side_), j = node_of_sensor(s / sensors_a_side_);
      const bool is_own = i >= own_.xs && i < own_.xs + own_.xm && j >= own_.ys && j < own_.ys + own_.ym;
      if (is_own) sensors_.push_back({.i = i, .j = j, .observed = u[j][i] + sigma_ * normal_noise(s)});
    }
    PetscCall(DMDAVecRestoreArrayRead(nodes_, u_, &u));
    PetscFunctionReturn(0);
  }

  PetscInt node_of_sensor(PetscInt k) const {
    const PetscReal place = static_cast<PetscReal>(k + 1) / static_cast<PetscReal>(sensors_a_side_ + 1);
    return static_cast<PetscInt>(std::lround(place * static_cast<PetscReal>(own_.mx - 1)));
  }

  bool is_inside(PetscInt i, PetscInt j) const { return i > 0 && i < own_.mx - 1 && j > 0 && j < own_.my - 1; }

  template <typename Action>
  void for_own_nodes(Action action) const {
    for (PetscInt j = own_.ys; j < own_.ys + own_.ym; ++j) {
      for (PetscInt i = own_.xs; i < own_.xs + own_.xm; ++i) action(i, j);
    }
  }

  // Calls action(i_neighbour, j_neighbour) for the two to four neighbours of a node.
  template <typename Action>
  void for_neighbours(PetscInt i, PetscInt j, Action action) const {
    if (i > 0) action(i - 1, j);
    if (i < own_.mx - 1) action(i + 1, j);
    if (j > 0) action(i, j - 1);
    if (j < own_.my - 1) action(i, j + 1);
  }

  PetscErrorCode assemble(Vec m_global) {
    PetscFunctionBeginUser;
    PetscReal** m = nullptr;
    PetscCall(DMGlobalToLocal(nodes_, m_global, INSERT_VALUES, m_local_));
    PetscCall(DMDAVecGetArrayRead(nodes_, m_local_, &m));
    for (PetscInt j = own_.ys; j < own_.ys + own_.ym; ++j) {
      for (PetscInt i = own_.xs; i < own_.xs + own_.xm; ++i) PetscCall(assemble_row(m, i, j));
    }
    PetscCall(DMDAVecRestoreArrayRead(nodes_, m_local_, &m));
    PetscCall(MatAssemblyBegin(matrix_, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(matrix_, MAT_FINAL_ASSEMBLY));
    PetscCall(KSPSetOperators(ksp_, matrix_, matrix_));
    PetscFunctionReturn(0);
  }

  // u = 0 at a neighbour on the boundary, so its column is left out, and A is symmetric. The rows of the boundary say
  // u = 0, with a number on the diagonal as large as those of the rows inside.
  PetscErrorCode assemble_row(PetscReal** m, PetscInt i, PetscInt j) {
    PetscFunctionBeginUser;
    const MatStencil row{.k = 0, .j = j, .i = i, .c = 0};
    MatStencil columns[5] = {row, row, row, row, row};
    PetscReal values[5] = {0.0, 0.0, 0.0, 0.0, 0.0};
    PetscInt count = 1;
    for_neighbours(i, j, [&](PetscInt a, PetscInt b) {
      const PetscReal conductance = (std::exp(m[j][i]) + std::exp(m[b][a])) / 2.0;
      values[0] += conductance;
      if (!is_inside(i, j) || !is_inside(a, b)) return;
      columns[count].i = a;
      columns[count].j = b;
      values[count++] = -conductance;
    });
    PetscCall(MatSetValuesStencil(matrix_, 1, &row, count, columns, values, INSERT_VALUES));
    PetscFunctionReturn(0);
  }

  PetscErrorCode solve(Vec right_side, Vec solution, bool* is_solved) {
    PetscFunctionBeginUser;
    KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
    PetscCall(KSPSolve(ksp_, right_side, solution));
    PetscCall(KSPGetConvergedReason(ksp_, &reason));
    *is_solved = reason > 0;
    PetscFunctionReturn(0);
  }

  // This process' share of the first term of J, and -dJ/du in residual_.
  PetscErrorCode find_misfit(PetscReal* misfit) {
    PetscFunctionBeginUser;
    PetscReal **u = nullptr, **residual = nullptr;
    const PetscReal weight = 1.0 / (static_cast<PetscReal>(sensors_a_side_ * sensors_a_side_) * sigma_ * sigma_);
    PetscCall(VecZeroEntries(residual_));
    PetscCall(DMDAVecGetArrayRead(nodes_, u_, &u));
    PetscCall(DMDAVecGetArray(nodes_, residual_, &residual));
    for (const Sensor& sensor : sensors_) {
      const PetscReal difference = u[sensor.j][sensor.i] - sensor.observed;
      *misfit += 0.5 * weight * difference * difference;
      residual[sensor.j][sensor.i] -= weight * difference;
    }
    PetscCall(DMDAVecRestoreArrayRead(nodes_, u_, &u));
    PetscCall(DMDAVecRestoreArray(nodes_, residual_, &residual));
    PetscFunctionReturn(0);
  }

  // Adds the regularization, and makes the gradient from m, u and lambda.
  PetscErrorCode finish(PetscReal misfit, PetscReal* f, Vec gradient) {
    PetscFunctionBeginUser;
    PetscReal **m = nullptr, **u = nullptr, **lambda = nullptr, **g = nullptr, sum = misfit;
    PetscCall(DMGlobalToLocal(nodes_, u_, INSERT_VALUES, u_local_));
    PetscCall(DMGlobalToLocal(nodes_, lambda_, INSERT_VALUES, lambda_local_));
    PetscCall(DMDAVecGetArrayRead(nodes_, m_local_, &m));
    PetscCall(DMDAVecGetArrayRead(nodes_, u_local_, &u));
    PetscCall(DMDAVecGetArrayRead(nodes_, lambda_local_, &lambda));
    PetscCall(DMDAVecGetArrayWrite(nodes_, gradient, &g));
    for_own_nodes([&](PetscInt i, PetscInt j) {
      const PetscReal half_exp = std::exp(m[j][i]) / 2.0;
      g[j][i] = 0.0;
      for_neighbours(i, j, [&](PetscInt a, PetscInt b) {
        const bool is_in_boundary = !is_inside(i, j) && !is_inside(a, b);
        const PetscReal weight = beta_ * (is_in_boundary ? 0.5 : 1.0), change = m[j][i] - m[b][a];
        g[j][i] += half_exp * (u[j][i] - u[b][a]) * (lambda[j][i] - lambda[b][a]) + weight * change;
        sum += 0.25 * weight * change * change;  // each edge is seen from both ends
      });
    });
    PetscCall(DMDAVecRestoreArrayRead(nodes_, m_local_, &m));
    PetscCall(DMDAVecRestoreArrayRead(nodes_, u_local_, &u));
    PetscCall(DMDAVecRestoreArrayRead(nodes_, lambda_local_, &lambda));
    PetscCall(DMDAVecRestoreArrayWrite(nodes_, gradient, &g));
    PetscCallMPI(MPI_Allreduce(&sum, f, 1, MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD));
    PetscFunctionReturn(0);
  }

  PetscInt sensors_a_side_ = 15;
  PetscReal beta_ = 3e-2, sigma_ = 0.0, h_ = 0.0;
  DM nodes_ = nullptr;
  DMDALocalInfo own_{};
  std::vector<Sensor> sensors_;
  Mat matrix_ = nullptr;
  KSP ksp_ = nullptr;
  Vec source_ = nullptr, residual_ = nullptr, u_ = nullptr, lambda_ = nullptr;
  Vec m_local_ = nullptr, u_local_ = nullptr, lambda_local_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  Diffusivity problem;
  return run_program(argc, argv, "diffusivity",
                     "Recovers the logarithm of a diffusivity from noisy observations.\n"
                     "  -n N         nodes along a side (33): N^2 variables; N - 1 should be divisible by powers of 2\n"
                     "  -sensors K   sensors along a side (15)\n"
                     "  -beta B      weight of the regularization (0.03)\n",
                     problem);
}
