#include "triangle_energy.h"

PetscErrorCode TriangleEnergy::create(Square square, const Function& boundary) {
  PetscFunctionBeginUser;
  square_ = square;
  h_ = square.side / static_cast<PetscReal>(square.n + 1);
  // The box stencil: a triangle reaches to the node diagonally before or after.
  PetscCall(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_GHOSTED, DM_BOUNDARY_GHOSTED, DMDA_STENCIL_BOX, square.n,
                         square.n, PETSC_DECIDE, PETSC_DECIDE, 1, 1, nullptr, nullptr, &nodes_));
  PetscCall(DMSetFromOptions(nodes_));
  PetscCall(DMSetUp(nodes_));
  PetscCall(DMCreateLocalVector(nodes_, &u_with_edge_));
  PetscCall(VecDuplicate(u_with_edge_, &g_with_edge_));
  // The boundary is written once: what comes from other processes later does not touch it.
  DMDALocalInfo own;
  PetscReal** u = nullptr;
  PetscCall(DMDAGetLocalInfo(nodes_, &own));
  PetscCall(DMDAVecGetArray(nodes_, u_with_edge_, &u));
  for (PetscInt j = own.gys; j < own.gys + own.gym; ++j) {
    for (PetscInt i = own.gxs; i < own.gxs + own.gxm; ++i) {
      const bool is_inside = i >= 0 && i < square.n && j >= 0 && j < square.n;
      u[j][i] = is_inside ? 0.0 : boundary(coordinate(i), coordinate(j));
    }
  }
  PetscCall(DMDAVecRestoreArray(nodes_, u_with_edge_, &u));
  PetscFunctionReturn(0);
}

PetscErrorCode TriangleEnergy::destroy() {
  PetscFunctionBeginUser;
  PetscCall(VecDestroy(&u_with_edge_));
  PetscCall(VecDestroy(&g_with_edge_));
  PetscCall(DMDestroy(&nodes_));
  PetscFunctionReturn(0);
}

PetscErrorCode TriangleEnergy::make_vector(const Function& function, Vec* u) const {
  PetscFunctionBeginUser;
  DMDALocalInfo own;
  PetscReal** array = nullptr;
  PetscCall(DMCreateGlobalVector(nodes_, u));
  PetscCall(DMDAGetLocalInfo(nodes_, &own));
  PetscCall(DMDAVecGetArray(nodes_, *u, &array));
  for (PetscInt j = own.ys; j < own.ys + own.ym; ++j) {
    for (PetscInt i = own.xs; i < own.xs + own.xm; ++i) array[j][i] = function(coordinate(i), coordinate(j));
  }
  PetscCall(DMDAVecRestoreArray(nodes_, *u, &array));
  PetscFunctionReturn(0);
}
