// What the programs of this folder have in common: options, the solver, and the line that says how the run ended.
//
// Each program is an ordinary TAO program. The solver is the one that -tao_type names, and every option of PETSc works.
#pragma once

#include <petsctao.h>

// One problem: min f(x). Its functions return PETSc's error codes, and all processes call them together.
class Problem {
 public:
  virtual ~Problem() = default;

  // Reads the problem's own options and makes the start of the run, which the caller destroys.
  virtual PetscErrorCode set_up(Vec* start) = 0;

  // f at x, the same on all processes, and the gradient of f.
  virtual PetscErrorCode evaluate(Vec x, PetscReal* f, Vec gradient) = 0;

  // How far x is from the solution that is known, if one is: the line at the end shows it.
  virtual PetscErrorCode find_error(Vec x, PetscReal* error, PetscBool* is_known);

  // Destroys what set_up has made.
  virtual PetscErrorCode tear_down() = 0;
};

// The main function of a program. It runs the solver and prints one line,
//   result problem=NAME n=... processes=... type=... f=... gnorm=... iterations=... evaluations=... seconds=...
//   cpu=... reason=...
// gnorm is ||g||_2 at the solution, evaluated after the run; evaluations are calls of Problem::evaluate during the run;
// seconds are those of TaoSolve on the slowest process, by the clock and of the processor. With -check_gradient nothing
// is solved: the line is
//   gradient problem=NAME n=... processes=... error=...
// with the largest relative error of <g, p> against central differences along random p near the start.
int run_program(int argc, char** argv, const char* name, const char* help, Problem& problem);
