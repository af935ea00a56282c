// Torsion of a bar with a square section: minimize  integral of |grad u|^2/2 - c u  over the unit square, u = 0 on the
// boundary.
//
// This is the elastic-plastic torsion problem of MINPACK-2 (Averick, Carter, More, Xue 1992) where the bar stays
// elastic: the bound |u| <= distance to the boundary, which makes parts of it plastic, is left out, so f is quadratic.
// The start is that bound. At the solution f = -(c^2/2) 0.0351443 + O(h^2), half of the torsion constant of the square.
#include <algorithm>

#include "program.h"
#include "triangle_energy.h"

namespace {

class Torsion final : public Problem {
 public:
  PetscErrorCode set_up(Vec* start) override {
    PetscFunctionBeginUser;
    PetscInt n = 50;
    PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-n", &n, nullptr));
    PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-c", &load_, nullptr));
    PetscCall(energy_.create({.n = n}, [](PetscReal, PetscReal) { return 0.0; }));
    const auto distance = [](PetscReal x, PetscReal y) { return std::min({x, 1.0 - x, y, 1.0 - y}); };
    PetscCall(energy_.make_vector(distance, start));
    PetscFunctionReturn(0);
  }

  PetscErrorCode evaluate(Vec u, PetscReal* f, Vec gradient) override {
    PetscFunctionBeginUser;
    const auto half = [](PetscReal t) { return TriangleEnergy::Density{.value = t / 2.0, .slope = 0.5}; };
    PetscCall(energy_.evaluate(u, half, load_, f, gradient));
    PetscFunctionReturn(0);
  }

  PetscErrorCode tear_down() override { return energy_.destroy(); }

 private:
  PetscReal load_ = 5.0;
  TriangleEnergy energy_;
};

}  // namespace

int main(int argc, char** argv) {
  Torsion problem;
  return run_program(argc, argv, "torsion",
                     "Elastic torsion of a square bar.\n"
                     "  -n N   nodes inside along a side (50): N^2 variables\n"
                     "  -c C   load, twice the angle of twist (5)\n",
                     problem);
}
