// An array of loa's as the array of a PETSc vector, for the time of a call: nothing is copied where PETSc allows that.
#pragma once

#include <petscvec.h>

#include <type_traits>

#include "loa/vector.h"

namespace loa_tao {

static_assert(std::is_same_v<PetscScalar, double>, "loa needs a PETSc of real numbers in double precision");

// Whether the vector keeps its slice in one array that may be replaced. Vectors with ghost points have a second vector
// that shares the array, and vectors on accelerators have two arrays: those are copied.
PetscErrorCode can_be_placed(Vec v, bool& result);

// Takes away locks on a vector that a call has left behind because it ended by an exception.
class LockGuard {
 public:
  explicit LockGuard(Vec v) : v_(v) { VecLockGet(v, &num_locks_); }
  ~LockGuard();
  LockGuard(const LockGuard&) = delete;
  LockGuard& operator=(const LockGuard&) = delete;

 private:
  [[maybe_unused]] Vec v_;  // a PETSc without debugging has no locks
  PetscInt num_locks_ = 0;
};

class PlacedArray {
 public:
  enum class Way { kPlace, kCopy };

  // REQUIRES: `array` has the local length of v and outlives this object, and v has no other array in place.
  PlacedArray(Vec v, const loa::Vector& array, Way way)
      : v_(v), array_(const_cast<double*>(array.data())), way_(way), guard_(v) {}
  // A call that fails, or an exception, leaves the vector with its own array all the same.
  ~PlacedArray();
  PlacedArray(const PlacedArray&) = delete;
  PlacedArray& operator=(const PlacedArray&) = delete;

  // The vector has these numbers from here on.
  PetscErrorCode begin();
  // The array has what was written into the vector. Called where the vector is a result.
  PetscErrorCode take_back();

 private:
  Vec v_;
  double* array_;
  Way way_;
  bool is_placed_ = false;
  LockGuard guard_;
};

}  // namespace loa_tao
