// A minimal surface: minimize the area  integral of sqrt(1 + |grad u|^2)  over [-1/2, 1/2]^2 with u given on the
// boundary.
//
// The boundary values are those of Enneper's surface x = v + v w^2 - v^3/3, y = -w - v^2 w + w^3/3, u = v^2 - w^2, as
// in MINPACK-2 (Averick, Carter, More, Xue 1992). Enneper's surface is minimal, so it is the solution inside as well,
// up to the error of the triangles: the line at the end has the largest difference, O(h^2). The start at a node is the
// mean of the straight lines from left to right and from bottom to top.
#include <cmath>

#include "program.h"
#include "triangle_energy.h"

namespace {

// u of Enneper's surface over (x, y): Newton's method for (v, w), which over this square converges from (x, -y).
PetscReal enneper(PetscReal x, PetscReal y) {
  constexpr int kNumSteps = 20;  // more than enough: six steps reach the rounding errors
  PetscReal v = x, w = -y;
  for (int k = 0; k < kNumSteps; ++k) {
    const PetscReal miss_x = v + v * w * w - v * v * v / 3.0 - x, miss_y = -w - v * v * w + w * w * w / 3.0 - y;
    const PetscReal xv = 1.0 + w * w - v * v, xw = 2.0 * v * w, yv = -xw, yw = -1.0 - v * v + w * w;
    const PetscReal determinant = xv * yw - xw * yv;
    v -= (yw * miss_x - xw * miss_y) / determinant;
    w -= (xv * miss_y - yv * miss_x) / determinant;
  }
  return v * v - w * w;
}

constexpr PetscReal kLow = -0.5, kHigh = 0.5;

PetscReal between_sides(PetscReal x, PetscReal y) {
  const PetscReal right = (x - kLow) / (kHigh - kLow), up = (y - kLow) / (kHigh - kLow);
  const PetscReal across = (1.0 - right) * enneper(kLow, y) + right * enneper(kHigh, y);
  const PetscReal along = (1.0 - up) * enneper(x, kLow) + up * enneper(x, kHigh);
  return (across + along) / 2.0;
}

class MinimalSurface final : public Problem {
 public:
  PetscErrorCode set_up(Vec* start) override {
    PetscFunctionBeginUser;
    PetscInt n = 50;
    PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-n", &n, nullptr));
    PetscCall(energy_.create({.n = n, .low = kLow, .side = kHigh - kLow}, enneper));
    PetscCall(energy_.make_vector(between_sides, start));
    PetscFunctionReturn(0);
  }

  PetscErrorCode evaluate(Vec u, PetscReal* f, Vec gradient) override {
    PetscFunctionBeginUser;
    const auto area = [](PetscReal t) {
      const PetscReal root = std::sqrt(1.0 + t);
      return TriangleEnergy::Density{.value = root, .slope = 0.5 / root};
    };
    PetscCall(energy_.evaluate(u, area, 0.0, f, gradient));
    PetscFunctionReturn(0);
  }

  PetscErrorCode find_error(Vec u, PetscReal* error, PetscBool* is_known) override {
    PetscFunctionBeginUser;
    Vec exact = nullptr;
    *is_known = PETSC_TRUE;
    PetscCall(energy_.make_vector(enneper, &exact));
    PetscCall(VecAXPY(exact, -1.0, u));
    PetscCall(VecNorm(exact, NORM_INFINITY, error));
    PetscCall(VecDestroy(&exact));
    PetscFunctionReturn(0);
  }

  PetscErrorCode tear_down() override { return energy_.destroy(); }

 private:
  TriangleEnergy energy_;
};

}  // namespace

int main(int argc, char** argv) {
  MinimalSurface problem;
  return run_program(argc, argv, "minimal_surface",
                     "The minimal surface over a square with the boundary of Enneper's surface.\n"
                     "  -n N   nodes inside along a side (50): N^2 variables\n",
                     problem);
}
