// Conversion to a dense matrix, change of variables, save and load.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "linalg/conjugated_inverse_hessian.h"
#include "linalg/dense_inverse_hessian.h"
#include "linalg/index.h"
#include "linalg/pass.h"
#include "linalg/power_of_two.h"
#include "linalg/tensor_file.h"

namespace loa {
namespace {

constexpr PairMemory::Product kSavedProducts[] = {PairMemory::Product::kDDeltaG, PairMemory::Product::kDeltaGDeltaG};

// Whether J is c P, P a permutation up to signs: P then takes the numbers 1, ..., n to themselves in another order. A
// number that is not within half of a whole number would be a doubt; one that is off by more than rounding, n eps in
// products with a matrix, comes from another map. The tolerance is far from both.
bool is_permutation(const LinearMap& J, double c, Index n) {
  constexpr double kTolerance = 1e-8;
  Vector values = J(Vector::LinSpaced(n, 1.0, static_cast<double>(n))).cwiseAbs() / c;
  std::sort(values.begin(), values.end());
  for (Index i = 0; i < n; ++i)
    if (!(std::abs(values(i) - static_cast<double>(i + 1)) <= kTolerance * static_cast<double>(n))) return false;
  return true;
}

}  // namespace

void ConjugatedInverseHessian::make_matrix(DenseInverseHessian& matrix, Scratch& scratch) {
  const double unit = memory_.unit;
  if (uses_diagonal()) {
    pass(dimension(), [&](const Block& block) {
      if (pending_has_curvature_)
        diagonal_.propose_block(block, memory_.d_data(num_pairs()), memory_.delta_g_data(num_pairs()),
                                block.at(scratch.d));
      else
        diagonal_.make_block(block, block.at(scratch.d));
    });
    scratch.d *= unit * scale();
    matrix.reset(scratch.d);
  } else {
    matrix.reset(unit * scale());
  }
  std::vector<double>&made = coefficients_[0], &coefficients = coefficients_[1];
  for (Index i = 0; i < num_pairs(); ++i) {
    std::fill(made.begin(), made.end(), 0.0);
    made[at(i)] = 1.0;
    pairs_.expand(made, coefficients);
    scratch.d.setZero(dimension());
    scratch.delta_g.setZero(dimension());
    for (Index l = i; l < num_used(); ++l) {
      if (coefficients[at(l)] == 0.0) continue;
      scratch.d += (unit * coefficients[at(l)]) * memory_.d(l);
      scratch.delta_g += coefficients[at(l)] * memory_.delta_g(l);
    }
    matrix.apply(scratch.delta_g, scratch.B_delta_g);
    matrix.update({.d = scratch.d, .delta_g = scratch.delta_g, .B_delta_g = scratch.B_delta_g, .y = scratch.d});
  }
}

bool ConjugatedInverseHessian::is_like(const ConjugatedInverseHessian& other) const {
  return capacity() == other.capacity() && has_diagonal() == other.has_diagonal() &&
         has_geometric_scale() == other.has_geometric_scale() && conjugation().depth == other.conjugation().depth &&
         conjugation().damping == other.conjugation().damping;
}

std::unique_ptr<InverseHessian> ConjugatedInverseHessian::congruent(const LinearMap& J, double factor) const {
  // H_0 is the user's, and not in the new variables.
  for (Index i = 0; i < num_pairs(); ++i)
    if (!memory_.y_is_d(i)) return nullptr;
  const double c = length_factor(J, dimension());
  const bool diagonal = options_.diagonal && diagonal_.is_made();
  if (diagonal && !is_permutation(J, c, dimension())) return nullptr;
  auto result = std::make_unique<ConjugatedInverseHessian>(*this);
  result->has_pending_ = result->pending_has_curvature_ = false;
  result->next_unit_ *= power_of_two(1.0 / (factor * c));
  if (!result->memory_.change_variables(J, c, factor)) return nullptr;
  if (diagonal) result->diagonal_.permute([&](const Vector& a) { return Vector((J(a) / c).cwiseAbs()); });
  return result;
}

void ConjugatedInverseHessian::save(TensorFile& file) const {
  file.metadata["B.kind"] = "conjugated";
  file.put_flag("B.has_diagonal", options_.diagonal);
  file.put_flag("B.geometric_scale", options_.geometric_scale);
  file.put_integer("B.depth", options_.conjugation.depth);
  file.put_scalar("B.damping", options_.conjugation.damping);
  file.put_scalar("B.next_unit", next_unit_);
  file.put_scalar("B.log_factor", log_factor_);
  memory_.save(file, kSavedProducts);
  if (options_.diagonal) diagonal_.save(file);
}

Error ConjugatedInverseHessian::load(const TensorFile& file) {
  std::int64_t depth = 0;
  double next_unit = 0.0, log_factor = 0.0;
  ConjugatedOptions options = options_;
  if (!file.get_flag("B.has_diagonal", options.diagonal) ||
      !file.get_flag("B.geometric_scale", options.geometric_scale) || !file.get_integer("B.depth", depth) ||
      !file.get_scalar("B.damping", options.conjugation.damping) || !file.get_scalar("B.next_unit", next_unit) ||
      !file.get_scalar("B.log_factor", log_factor))
    return "one of B.has_diagonal, B.geometric_scale, B.depth, B.damping, B.next_unit, B.log_factor is missing or out "
           "of "
           "range";
  if (depth < 0) return "found a negative B.depth, expected 0 or more";
  options.conjugation.depth = depth;
  PairMemory memory(0, 0, 1);
  if (Error error = memory.load(file, kSavedProducts)) return error;
  AdaptiveDiagonal diagonal(0, options_.adaptive);
  if (options.diagonal)
    if (Error error = diagonal.load(file, memory.dimension())) return error;

  options.capacity = 0;
  ConjugatedInverseHessian loaded(0, options);
  loaded.options_.capacity = memory.capacity();
  loaded.pairs_ = ConjugatedPairs(memory.capacity() + 1, options.conjugation);
  loaded.memory_ = std::move(memory);
  loaded.diagonal_ = std::move(diagonal);
  loaded.next_unit_ = next_unit;
  loaded.log_factor_ = log_factor;
  loaded.make_scratch();
  *this = std::move(loaded);
  return {};
}

}  // namespace loa
