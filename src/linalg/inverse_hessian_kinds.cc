#include "linalg/inverse_hessian_kinds.h"

#include <stdexcept>
#include <utility>

#include "base/strict_json.h"
#include "linalg/conjugated_inverse_hessian.h"
#include "linalg/dense_inverse_hessian.h"
#include "linalg/limited_memory_inverse_hessian.h"
#include "linalg/refreshed_inverse_hessian.h"
#include "linalg/self_scaled_inverse_hessian.h"
#include "linalg/tensor_file.h"

namespace loa {
namespace {

// Calls visit with B as what it is. False when B is of none of the kinds.
template <typename Visit>
bool visit_kind(const InverseHessian& B, const Visit& visit) {
  const auto visit_if = [&]<typename Kind>(const Kind* kind) {
    if (kind != nullptr) visit(*kind);
    return kind != nullptr;
  };
  return visit_if(dynamic_cast<const DenseInverseHessian*>(&B)) ||
         visit_if(dynamic_cast<const LimitedMemoryInverseHessian*>(&B)) ||
         visit_if(dynamic_cast<const ConjugatedInverseHessian*>(&B)) ||
         visit_if(dynamic_cast<const RefreshedInverseHessian*>(&B)) ||
         visit_if(dynamic_cast<const SelfScaledInverseHessian*>(&B));
}

template <typename Kind>
Error load_kind(const TensorFile& file, Kind empty, std::unique_ptr<InverseHessian>& B) {
  if (Error error = empty.load(file)) return error;
  B = std::make_unique<Kind>(std::move(empty));
  return {};
}

}  // namespace

void save(const InverseHessian& B, TensorFile& file) {
  if (!visit_kind(B, [&](const auto& kind) { kind.save(file); }))
    throw std::invalid_argument(
        "save: expected an inverse Hessian of the kind dense, limited-memory, conjugated, refreshed or self-scaled, "
        "found another");
}

Error load(const TensorFile& file, std::unique_ptr<InverseHessian>& B) {
  const auto found = file.metadata.find("B.kind");
  const std::string kind = found == file.metadata.end() ? "" : found->second;
  if (kind == "dense") return load_kind(file, DenseInverseHessian(0), B);
  if (kind == "limited-memory") return load_kind(file, LimitedMemoryInverseHessian(0, {}), B);
  if (kind == "conjugated") return load_kind(file, ConjugatedInverseHessian(0, {}), B);
  if (kind == "refreshed") return load_kind(file, RefreshedInverseHessian(0, {}), B);
  if (kind == "self-scaled") return load_kind(file, SelfScaledInverseHessian(0, SelfScalingRule::kBfgs), B);
  return "found an inverse Hessian of kind " + in_quotes(kind) +
         ", expected dense, limited-memory, conjugated, refreshed or self-scaled";
}

std::unique_ptr<InverseHessian> congruent(const InverseHessian& B, const LinearMap& J, double factor) {
  std::unique_ptr<InverseHessian> result;
  visit_kind(B, [&](const auto& kind) { result = kind.congruent(J, factor); });
  return result;
}

void lower_triangle(const InverseHessian& B, Matrix& out) {
  if (const auto* dense = dynamic_cast<const DenseInverseHessian*>(&B)) {
    dense->lower_triangle(out);
    return;
  }
  if (const auto* self_scaled = dynamic_cast<const SelfScaledInverseHessian*>(&B)) {
    self_scaled->lower_triangle(out);
    return;
  }
  const std::unique_ptr<InverseHessian> copy = B.clone();
  const Index n = out.rows();
  Vector column(n);
  for (Index i = 0; i < n; ++i) {
    apply(*copy, Vector::Unit(n, i), column);
    out.col(i) = column;
  }
}

bool is_incremental(const InverseHessian& B) { return dynamic_cast<const DenseInverseHessian*>(&B) != nullptr; }

bool can_take_pair_alone(const InverseHessian& B) {
  return dynamic_cast<const LimitedMemoryInverseHessian*>(&B) != nullptr ||
         dynamic_cast<const ConjugatedInverseHessian*>(&B) != nullptr;
}

bool describe(InverseHessian& B, const SecantPair& pair, PairModel& model) {
  if (auto* limited = dynamic_cast<LimitedMemoryInverseHessian*>(&B)) {
    limited->describe(pair.d, pair.delta_g, model);
    return true;
  }
  auto* conjugated = dynamic_cast<ConjugatedInverseHessian*>(&B);
  auto* refreshed = dynamic_cast<RefreshedInverseHessian*>(&B);
  if (refreshed != nullptr && !refreshed->is_matrix()) conjugated = &refreshed->pairs();
  if (conjugated == nullptr) return false;
  conjugated->describe(model);
  return true;
}

bool describe(const InverseHessian& B, const SecantPair* pair, std::unique_ptr<InverseHessian>& next, Matrix& matrix) {
  const auto* refreshed = dynamic_cast<const RefreshedInverseHessian*>(&B);
  if (refreshed == nullptr || !refreshed->is_matrix()) return false;
  auto* copy = dynamic_cast<SelfScaledInverseHessian*>(next.get());
  if (copy == nullptr) {
    next = refreshed->matrix().clone();
    copy = static_cast<SelfScaledInverseHessian*>(next.get());
  } else {
    *copy = refreshed->matrix();
  }
  if (pair != nullptr) copy->update(*pair);
  matrix.resize(refreshed->dimension(), refreshed->dimension());
  copy->lower_triangle(matrix);
  return true;
}

bool needs_whole_vectors(const InverseHessian& B) {
  return dynamic_cast<const DenseInverseHessian*>(&B) != nullptr ||
         dynamic_cast<const RefreshedInverseHessian*>(&B) != nullptr ||
         dynamic_cast<const SelfScaledInverseHessian*>(&B) != nullptr;
}

Index dimension(const InverseHessian& B) {
  Index n = 0;
  visit_kind(B, [&](const auto& kind) { n = kind.dimension(); });
  return n;
}

}  // namespace loa
