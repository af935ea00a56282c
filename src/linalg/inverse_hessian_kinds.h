// What can be done with an InverseHessian when its kind is known: files, changes of variables, conversions.
//
// The kinds are dense, limited-memory, conjugated, refreshed and self-scaled. Oracle, update and model know none of
// them.
#pragma once

#include <memory>
#include <string>

#include "linalg/linear_map.h"
#include "loa/error.h"
#include "loa/inverse_hessian.h"

namespace loa {

class TensorFile;
struct PairModel;

// To and from named tensors, bit for bit; "B.kind" in the metadata is the kind. load returns an empty string, or what
// is missing or does not fit. Throws std::invalid_argument for a B of another kind.
void save(const InverseHessian& B, TensorFile& file);
Error load(const TensorFile& file, std::unique_ptr<InverseHessian>& B);

// The operator `factor` J B J^T, of the same kind, where J maps a vector to a vector: B in other coordinates. Null when
// it cannot be made.
std::unique_ptr<InverseHessian> congruent(const InverseHessian& B, const LinearMap& J, double factor);

// `fresh`, an operator that knows nothing yet, with what B knows: for a warm start. A B of the same kind and options
// goes on as it is. Of another one the pairs are added again, oldest first, where both are made of pairs, and a matrix
// becomes what B is. Null where a matrix would have to become pairs, or the dimensions differ. REQUIRES: both are of
// kinds above.
std::unique_ptr<InverseHessian> taken_over(const InverseHessian& B, const InverseHessian& fresh,
                                           const Reduction& reduction);
// Whether there will be one for equal dimensions.
bool can_be_taken_over(const InverseHessian& B, const InverseHessian& fresh);

// Whether B_k is B_{k-1} plus one secant term, so that its eigenvalues can be kept in a range (Safeguard::kSpectrum
// needs this). Not so where old pairs are dropped or the scale follows the newest pair, and not known of other kinds.
bool is_incremental(const InverseHessian& B);

// Whether B understands GradientChange::is_pair_alone.
bool can_take_pair_alone(const InverseHessian& B);

// B_k of the last combine() with its pair, as a quadratic model. `pair`: that of the change; null: B as it is, after an
// apply(). False for a B that is not made of pairs with y = d on a scale or a diagonal. REQUIRES: nothing was called
// since.
bool describe(InverseHessian& B, const SecantPair* pair, PairModel& model);

// The same as a matrix, for a B that is one or has become one: the lower triangle of B_k into `matrix`, by a copy of B
// in `next`; that of B_{k-1} where there is no pair (null). False for all others.
bool describe(const InverseHessian& B, const SecantPair* pair, std::unique_ptr<InverseHessian>& next, Matrix& matrix);

// Whether B must have the whole vectors, because it is a matrix or becomes one: a distributed run must refuse it.
bool needs_whole_vectors(const InverseHessian& B);

// The length of the vectors of this slice. REQUIRES: B is of a kind above.
Index dimension(const InverseHessian& B);

}  // namespace loa
