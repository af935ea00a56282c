// The TAO types of loa.
#pragma once

#include <petsctao.h>

namespace loa_tao {

// loa, loa_lbfgs_plus, loa_lbfgs_plus_d, loa_lbfgs, loa_cg. May be called again.
PetscErrorCode register_types();

}  // namespace loa_tao
