// A soap film under pressure on the unit square, u = 0 on its border:
//
//   f(u) = integral of sqrt(1 + |grad u|^2) - u,
//
// with forward differences on N x N inner points of a DMDA. The finer the mesh, the worse the condition of the Hessian.
#pragma once

#include <petscdmda.h>
#include <petsctao.h>

#include <cmath>

namespace loa_tao::test {

class Membrane {
 public:
  Membrane(MPI_Comm comm, PetscInt N) : h_(1.0 / static_cast<double>(N + 1)), comm_(comm) {
    DMDACreate2d(comm, DM_BOUNDARY_GHOSTED, DM_BOUNDARY_GHOSTED, DMDA_STENCIL_BOX, N, N, PETSC_DECIDE, PETSC_DECIDE, 1,
                 1, nullptr, nullptr, &dm_);
    DMSetUp(dm_);
  }
  ~Membrane() { DMDestroy(&dm_); }
  Membrane(const Membrane&) = delete;
  Membrane& operator=(const Membrane&) = delete;

  Vec make_start() const {
    Vec u = nullptr;
    DMCreateGlobalVector(dm_, &u);
    VecSet(u, 0.0);
    return u;
  }

  static PetscErrorCode evaluate(Tao, Vec u, PetscReal* f, Vec gradient, void* context) {
    return static_cast<Membrane*>(context)->evaluate(u, f, gradient);
  }

  PetscErrorCode evaluate(Vec global, PetscReal* f, Vec gradient) {
    PetscFunctionBeginUser;
    Vec local = nullptr;
    const PetscScalar* const* u = nullptr;
    PetscScalar** g = nullptr;
    DMDALocalInfo info;
    PetscCall(DMGetLocalVector(dm_, &local));
    PetscCall(VecSet(local, 0.0));
    PetscCall(DMGlobalToLocal(dm_, global, INSERT_VALUES, local));
    PetscCall(DMDAGetLocalInfo(dm_, &info));
    PetscCall(DMDAVecGetArrayRead(dm_, local, &u));
    PetscCall(DMDAVecGetArray(dm_, gradient, &g));
    double sum = 0.0;
    // The cell of a point lies on the side of larger i and j. Cells of points of the border belong to the first slices.
    const auto area = [&](PetscInt i, PetscInt j) {
      return std::sqrt(h_ * h_ + std::pow(u[j][i + 1] - u[j][i], 2) + std::pow(u[j + 1][i] - u[j][i], 2));
    };
    for (PetscInt j = info.ys; j < info.ys + info.ym; ++j)
      for (PetscInt i = info.xs; i < info.xs + info.xm; ++i) {
        sum += h_ * area(i, j) - h_ * h_ * u[j][i];
        if (i == 0) sum += h_ * area(-1, j);
        if (j == 0) sum += h_ * area(i, -1);
        const double own = (2.0 * u[j][i] - u[j][i + 1] - u[j + 1][i]) / area(i, j);
        const double left = (u[j][i] - u[j][i - 1]) / area(i - 1, j), below = (u[j][i] - u[j - 1][i]) / area(i, j - 1);
        g[j][i] = h_ * (own + left + below) - h_ * h_;
      }
    PetscCall(DMDAVecRestoreArray(dm_, gradient, &g));
    PetscCall(DMDAVecRestoreArrayRead(dm_, local, &u));
    PetscCall(DMRestoreLocalVector(dm_, &local));
    PetscCallMPI(MPI_Allreduce(&sum, f, 1, MPI_DOUBLE, MPI_SUM, comm_));
    PetscFunctionReturn(0);
  }

  // The Laplace operator: the Hessian of the flat film, and the inner product of its function space.
  Mat make_laplacian() const {
    Mat A = nullptr;
    DMCreateMatrix(dm_, &A);
    fill_laplacian(A);
    return A;
  }

  static PetscErrorCode hessian(Tao, Vec, Mat H, Mat, void* context) {
    return static_cast<Membrane*>(context)->fill_laplacian(H);
  }

 private:
  PetscErrorCode fill_laplacian(Mat A) const {
    PetscFunctionBeginUser;
    DMDALocalInfo info;
    PetscCall(DMDAGetLocalInfo(dm_, &info));
    for (PetscInt j = info.ys; j < info.ys + info.ym; ++j)
      for (PetscInt i = info.xs; i < info.xs + info.xm; ++i) {
        MatStencil row = {}, columns[5] = {};
        PetscScalar values[5] = {4.0};
        PetscInt num = 1;
        row.i = columns[0].i = i;
        row.j = columns[0].j = j;
        const auto add = [&](PetscInt di, PetscInt dj) {
          if (i + di < 0 || i + di >= info.mx || j + dj < 0 || j + dj >= info.my) return;
          columns[num].i = i + di;
          columns[num].j = j + dj;
          values[num++] = -1.0;
        };
        add(-1, 0);
        add(1, 0);
        add(0, -1);
        add(0, 1);
        PetscCall(MatSetValuesStencil(A, 1, &row, num, columns, values, INSERT_VALUES));
      }
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
    PetscFunctionReturn(0);
  }

  double h_;
  MPI_Comm comm_;
  DM dm_ = nullptr;
};

}  // namespace loa_tao::test
