// What PETSc calls in a library that it has loaded: -dll_append libloa_tao.so looks for PetscDLLibraryRegister_ and the
// name of the library.
#include "tao_loa.h"

extern "C" PETSC_VISIBILITY_PUBLIC PetscErrorCode PetscDLLibraryRegister_loa_tao(void);

PetscErrorCode PetscDLLibraryRegister_loa_tao(void) {
  PetscFunctionBegin;
  PetscCall(loa_tao::register_types());
  PetscFunctionReturn(0);
}
