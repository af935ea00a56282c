// Objectives for the tests.
#pragma once

#include <petscdmda.h>
#include <petsctao.h>

#include <functional>

#include "count_collectives.h"

namespace loa_tao::test {

inline int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

inline int size_of(MPI_Comm comm) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  return size;
}

// sum over i of 10 (x_{i+1} - x_i^2)^2 + (1 - x_i)^2, with the minimum 0 at (1, ..., 1), in slices of a DMDA: a process
// asks its neighbours for one number each.
class Chain {
 public:
  Chain(MPI_Comm comm, PetscInt n) : comm_(comm) {
    DMDACreate1d(comm, DM_BOUNDARY_NONE, n, 1, 1, nullptr, &dm_);
    DMSetUp(dm_);
  }
  ~Chain() { DMDestroy(&dm_); }
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;

  // The start: (-1.2, 1, -1.2, 1, ...).
  Vec make_start() const {
    Vec x = nullptr;
    DMCreateGlobalVector(dm_, &x);
    PetscInt first = 0, last = 0;
    VecGetOwnershipRange(x, &first, &last);
    for (PetscInt i = first; i < last; ++i) VecSetValue(x, i, i % 2 == 0 ? -1.2 : 1.0, INSERT_VALUES);
    VecAssemblyBegin(x);
    VecAssemblyEnd(x);
    return x;
  }

  static PetscErrorCode evaluate(Tao, Vec x, PetscReal* f, Vec gradient, void* context) {
    return static_cast<Chain*>(context)->evaluate(x, f, gradient);
  }

  PetscErrorCode evaluate(Vec x, PetscReal* f, Vec gradient) {
    PetscFunctionBeginUser;
    const long before = num_collectives();
    if (before_evaluation) before_evaluation();
    ++num_evaluations;
    Vec local = nullptr;
    PetscScalar* out = nullptr;
    const PetscScalar* in = nullptr;
    PetscInt first = 0, num = 0, n = 0;
    PetscCall(DMGetLocalVector(dm_, &local));
    PetscCall(DMGlobalToLocal(dm_, x, INSERT_VALUES, local));
    PetscCall(DMDAGetInfo(dm_, nullptr, &n, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                          nullptr, nullptr, nullptr));
    PetscCall(DMDAGetCorners(dm_, &first, nullptr, nullptr, &num, nullptr, nullptr));
    PetscCall(DMDAVecGetArrayRead(dm_, local, &in));
    PetscCall(DMDAVecGetArray(dm_, gradient, &out));
    double sum = 0.0;
    for (PetscInt i = first; i < first + num; ++i) {
      double g = 0.0;
      if (i + 1 < n) {
        const double t = in[i + 1] - in[i] * in[i], u = 1.0 - in[i];
        sum += 10.0 * t * t + u * u;
        g += -40.0 * t * in[i] - 2.0 * u;
      }
      if (i > 0) g += 20.0 * (in[i] - in[i - 1] * in[i - 1]);
      out[i] = sign * g + bias;
    }
    PetscCall(DMDAVecRestoreArray(dm_, gradient, &out));
    PetscCall(DMDAVecRestoreArrayRead(dm_, local, &in));
    PetscCall(DMRestoreLocalVector(dm_, &local));
    PetscCallMPI(MPI_Allreduce(&sum, f, 1, MPI_DOUBLE, MPI_SUM, comm_));
    *f += offset;
    own_collectives += num_collectives() - before;
    PetscFunctionReturn(0);
  }

  PetscInt num_evaluations = 0;
  long own_collectives = 0;  // those of the objective itself
  std::function<void()> before_evaluation;
  double offset = 0.0;
  double sign = 1.0;  // of the gradient; -1 is wrong
  double bias = 0.0;  // of the gradient, far below the resolution of f: keeps the gradient from vanishing

 private:
  MPI_Comm comm_;
  DM dm_ = nullptr;
};

}  // namespace loa_tao::test
