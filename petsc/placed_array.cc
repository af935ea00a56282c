#include "placed_array.h"

#include <algorithm>

namespace loa_tao {

PetscErrorCode can_be_placed(Vec v, bool& result) {
  PetscFunctionBegin;
  PetscBool is_plain = PETSC_FALSE;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)v, &is_plain, VECSEQ, VECMPI, ""));
  Vec local_form = nullptr;
  if (is_plain) {
    PetscCall(VecGhostGetLocalForm(v, &local_form));
    // A sequential vector is its own local form.
    const bool has_ghosts = local_form != nullptr && local_form != v;
    PetscCall(VecGhostRestoreLocalForm(v, &local_form));
    is_plain = has_ghosts ? PETSC_FALSE : PETSC_TRUE;
  }
  result = is_plain == PETSC_TRUE;
  PetscFunctionReturn(0);
}

PetscErrorCode PlacedArray::begin() {
  PetscFunctionBegin;
  if (way_ == Way::kPlace) {
    PetscCall(VecPlaceArray(v_, array_));
    is_placed_ = true;
    PetscFunctionReturn(0);
  }
  PetscInt n = 0;
  PetscScalar* values = nullptr;
  PetscCall(VecGetLocalSize(v_, &n));
  PetscCall(VecGetArrayWrite(v_, &values));
  std::copy_n(array_, n, values);
  PetscCall(VecRestoreArrayWrite(v_, &values));
  PetscFunctionReturn(0);
}

PetscErrorCode PlacedArray::take_back() {
  PetscFunctionBegin;
  if (way_ == Way::kPlace) PetscFunctionReturn(0);
  PetscInt n = 0;
  const PetscScalar* values = nullptr;
  PetscCall(VecGetLocalSize(v_, &n));
  PetscCall(VecGetArrayRead(v_, &values));
  std::copy_n(values, n, array_);
  PetscCall(VecRestoreArrayRead(v_, &values));
  PetscFunctionReturn(0);
}

PlacedArray::~PlacedArray() {
  if (is_placed_) VecResetArray(v_);
}

LockGuard::~LockGuard() {
  PetscInt num_locks = 0;
  PetscErrorCode code = VecLockGet(v_, &num_locks);
  for (; code == 0 && num_locks > num_locks_; --num_locks) code = VecLockReadPop(v_);
}

}  // namespace loa_tao
