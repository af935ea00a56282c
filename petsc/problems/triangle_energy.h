// The energy  E(u) = integral of phi(|grad u|^2) - load u  over a square, for u that is piecewise linear on triangles.
//
// The square [low, low + side]^2 has n x n nodes inside, a distance h = side/(n + 1) apart; a diagonal cuts each of the
// (n + 1)^2 cells into two triangles. u is given on the boundary and unknown at the nodes inside, which are distributed
// as a DMDA. A triangle with the values a, b, c at its right angle and the two other corners has |grad u|^2 =
// ((b - a)^2 + (c - a)^2)/h^2, so the energy is a sum of (h^2/2) phi(...) over all triangles, less h^2 load u over
// nodes.
#pragma once

#include <petscdmda.h>

#include <functional>

class TriangleEnergy {
 public:
  struct Square {
    PetscInt n = 0;  // nodes inside, along one side
    PetscReal low = 0.0, side = 1.0;
  };
  using Function = std::function<PetscReal(PetscReal x, PetscReal y)>;

  // What phi is at t = |grad u|^2.
  struct Density {
    PetscReal value = 0.0, slope = 0.0;
  };

  // `boundary` gives u at the nodes of the boundary.
  PetscErrorCode create(Square square, const Function& boundary);
  PetscErrorCode destroy();

  // A new vector with the values of `function` at the nodes.
  PetscErrorCode make_vector(const Function& function, Vec* u) const;

  // E(u) and its gradient. `phi` is called with t and returns a Density.
  template <typename Phi>
  PetscErrorCode evaluate(Vec u, Phi phi, PetscReal load, PetscReal* energy, Vec gradient) const;

 private:
  PetscReal coordinate(PetscInt i) const { return square_.low + static_cast<PetscReal>(i + 1) * h_; }

  // Adds the energy of the triangles that touch nodes of this process to `energy`, if the cell is counted here, and
  // their share of the gradient to g. Cells reach over the edge by one node, at both ends.
  template <typename Phi>
  void add_triangles(const DMDALocalInfo& own, Phi phi, const PetscReal* const* u, PetscReal** g,
                     PetscReal* energy) const;

  Square square_;
  PetscReal h_ = 0.0;
  DM nodes_ = nullptr;
  Vec u_with_edge_ = nullptr, g_with_edge_ = nullptr;  // with neighbours of other processes, and the boundary
};

template <typename Phi>
void TriangleEnergy::add_triangles(const DMDALocalInfo& own, Phi phi, const PetscReal* const* u, PetscReal** g,
                                   PetscReal* energy) const {
  const PetscReal area = h_ * h_ / 2.0, per_h2 = 1.0 / (h_ * h_);
  for (PetscInt j = own.ys - 1; j < own.ys + own.ym; ++j) {
    for (PetscInt i = own.xs - 1; i < own.xs + own.xm; ++i) {
      // The cell belongs to the process of its lower left node, or of the node next to it if that is on the boundary.
      const bool is_counted = (i >= own.xs || i < 0) && (j >= own.ys || j < 0);
      const PetscReal right = u[j][i + 1] - u[j][i], up = u[j + 1][i] - u[j][i];
      const Density lower = phi((right * right + up * up) * per_h2);
      const PetscReal left = u[j + 1][i] - u[j + 1][i + 1], down = u[j][i + 1] - u[j + 1][i + 1];
      const Density upper = phi((left * left + down * down) * per_h2);
      if (is_counted) *energy += area * (lower.value + upper.value);
      // area * slope * 2/h^2 is slope alone.
      g[j][i] -= lower.slope * (right + up);
      g[j][i + 1] += lower.slope * right + upper.slope * down;
      g[j + 1][i] += lower.slope * up + upper.slope * left;
      g[j + 1][i + 1] -= upper.slope * (left + down);
    }
  }
}

template <typename Phi>
PetscErrorCode TriangleEnergy::evaluate(Vec u, Phi phi, PetscReal load, PetscReal* energy, Vec gradient) const {
  PetscFunctionBeginUser;
  DMDALocalInfo own;
  PetscReal **u_array = nullptr, **g_array = nullptr, total = 0.0;
  PetscScalar sum = 0.0;
  PetscCall(DMDAGetLocalInfo(nodes_, &own));
  PetscCall(DMGlobalToLocal(nodes_, u, INSERT_VALUES, u_with_edge_));
  PetscCall(VecZeroEntries(g_with_edge_));
  PetscCall(DMDAVecGetArrayRead(nodes_, u_with_edge_, &u_array));
  PetscCall(DMDAVecGetArray(nodes_, g_with_edge_, &g_array));
  add_triangles(own, phi, u_array, g_array, &total);
  PetscCall(DMDAVecRestoreArrayRead(nodes_, u_with_edge_, &u_array));
  PetscCall(DMDAVecRestoreArray(nodes_, g_with_edge_, &g_array));
  PetscCall(DMLocalToGlobal(nodes_, g_with_edge_, INSERT_VALUES, gradient));
  PetscCallMPI(MPI_Allreduce(&total, energy, 1, MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD));
  if (load != 0.0) {
    PetscCall(VecSum(u, &sum));
    *energy -= load * h_ * h_ * sum;
    PetscCall(VecShift(gradient, -load * h_ * h_));
  }
  PetscFunctionReturn(0);
}
