// An error code of PETSc as an exception, for the way through loa's loop; PETSc has printed its trace already.
#pragma once

#include <petscsys.h>

#include <stdexcept>

namespace loa_tao {

class Failure : public std::runtime_error {
 public:
  explicit Failure(PetscErrorCode code) : std::runtime_error("an error of PETSc"), code_(code) {}
  PetscErrorCode code() const { return code_; }

 private:
  PetscErrorCode code_;
};

}  // namespace loa_tao
