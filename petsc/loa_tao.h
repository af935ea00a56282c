/* For programs that give loa more than TAO's own interface has room for. Not needed otherwise: a program that knows
   nothing of loa runs it by -dll_append PATH/libloa_tao.so -tao_type loa. Nothing is linked for this header. C and C++.
 */
#ifndef LOA_TAO_H
#define LOA_TAO_H

#include <petsctao.h>

/* The name under which a Tao carries its initial metric (PetscObjectCompose; Object.compose() in petsc4py). */
#define LOA_TAO_METRIC "loa_metric"

/* The initial metric of the TAO types of loa: a Mat or a KSP for a symmetric positive definite matrix M. The first
   inverse Hessian is then a multiple of M^{-1} instead of the identity. With M the inner product of the function space
   of which x is a discretization (a Riesz map), the number of iterations does not grow with the mesh. Null takes it
   away. Other types of TAO do not look at it. A Mat gets a KSP with the options prefix tao_loa_metric_. */
static inline PetscErrorCode TaoLoaSetMetric(Tao tao, PetscObject metric) {
  return PetscObjectCompose((PetscObject)tao, LOA_TAO_METRIC, metric);
}

#endif
