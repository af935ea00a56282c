#include "linalg/inverse_hessian_kinds.h"

#include <stdexcept>
#include <typeinfo>
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

namespace {

// B itself, where it is like the fresh one: null otherwise.
std::unique_ptr<InverseHessian> same(const InverseHessian& B, const InverseHessian& fresh) {
  if (dynamic_cast<const DenseInverseHessian*>(&fresh) != nullptr)
    return dynamic_cast<const DenseInverseHessian*>(&B) != nullptr ? B.clone() : nullptr;
  if (const auto* to = dynamic_cast<const LimitedMemoryInverseHessian*>(&fresh)) {
    const auto* from = dynamic_cast<const LimitedMemoryInverseHessian*>(&B);
    return from != nullptr && from->is_like(*to) ? from->clone() : nullptr;
  }
  if (const auto* to = dynamic_cast<const ConjugatedInverseHessian*>(&fresh)) {
    const auto* from = dynamic_cast<const ConjugatedInverseHessian*>(&B);
    return from != nullptr && from->is_like(*to) ? from->clone() : nullptr;
  }
  if (const auto* to = dynamic_cast<const RefreshedInverseHessian*>(&fresh)) {
    const auto* from = dynamic_cast<const RefreshedInverseHessian*>(&B);
    if (from == nullptr || !from->is_like(*to)) return nullptr;
    auto result = std::make_unique<RefreshedInverseHessian>(*from);
    result->forget_iteration();
    return result;
  }
  const auto *to = dynamic_cast<const SelfScaledInverseHessian*>(&fresh),
             *from = dynamic_cast<const SelfScaledInverseHessian*>(&B);
  if (to == nullptr || from == nullptr || to->rule() != from->rule()) return nullptr;
  auto result = std::make_unique<SelfScaledInverseHessian>(*from);
  result->forget_iteration();
  return result;
}

// Calls visit(d, dg) for the pairs that B is made of. False where B is a matrix.
template <typename Visit>
bool visit_pairs_of(const InverseHessian& B, const Visit& visit) {
  if (const auto* limited = dynamic_cast<const LimitedMemoryInverseHessian*>(&B)) {
    limited->for_each_pair(visit);
    return true;
  }
  if (const auto* conjugated = dynamic_cast<const ConjugatedInverseHessian*>(&B)) {
    conjugated->for_each_pair(visit);
    return true;
  }
  const auto* refreshed = dynamic_cast<const RefreshedInverseHessian*>(&B);
  if (refreshed == nullptr || refreshed->is_matrix()) return false;
  refreshed->pairs().for_each_pair(visit);
  return true;
}

bool has_pairs(const InverseHessian& B) {
  if (const auto* limited = dynamic_cast<const LimitedMemoryInverseHessian*>(&B)) return limited->num_pairs() > 0;
  if (const auto* conjugated = dynamic_cast<const ConjugatedInverseHessian*>(&B)) return conjugated->num_pairs() > 0;
  const auto* refreshed = dynamic_cast<const RefreshedInverseHessian*>(&B);
  return refreshed != nullptr && !refreshed->is_matrix() && refreshed->pairs().num_pairs() > 0;
}

// Of a fresh operator that is made of pairs. The first pair gives the unit of the memory.
bool add_pairs_of(const InverseHessian& B, InverseHessian& fresh, const Reduction& reduction) {
  bool any = false;
  const bool are_there = visit_pairs_of(B, [&](const Vector& d, const Vector& delta_g) {
    const double d_dg = dot(d, delta_g, reduction), dg_dg = dot(delta_g, delta_g, reduction);
    if (!(d_dg > 0.0)) return;
    if (!any) fresh.reset(d_dg / dg_dg);
    any = true;
    fresh.update({.d = d, .delta_g = delta_g, .B_delta_g = d, .y = d}, reduction);
  });
  return are_there && any;
}

}  // namespace

std::unique_ptr<InverseHessian> taken_over(const InverseHessian& B, const InverseHessian& fresh,
                                           const Reduction& reduction) {
  const Index n = dimension(fresh);
  if (dimension(B) != n) return nullptr;
  if (std::unique_ptr<InverseHessian> as_it_is = same(B, fresh)) return as_it_is;
  std::unique_ptr<InverseHessian> result = fresh.clone();
  if (!needs_whole_vectors(fresh) || dynamic_cast<const RefreshedInverseHessian*>(&fresh) != nullptr)
    if (add_pairs_of(B, *result, reduction)) return result;
  if (!needs_whole_vectors(fresh)) return nullptr;
  Matrix lower(n, n);
  lower_triangle(B, lower);
  if (auto* dense = dynamic_cast<DenseInverseHessian*>(result.get()))
    dense->reset(lower);
  else if (auto* self_scaled = dynamic_cast<SelfScaledInverseHessian*>(result.get()))
    self_scaled->matrix().reset(lower);
  else if (auto* refreshed = dynamic_cast<RefreshedInverseHessian*>(result.get()))
    refreshed->become_matrix(lower);
  return result;
}

bool can_be_taken_over(const InverseHessian& B, const InverseHessian& fresh) {
  return needs_whole_vectors(fresh) || typeid(B) == typeid(fresh) || has_pairs(B);
}

bool is_incremental(const InverseHessian& B) { return dynamic_cast<const DenseInverseHessian*>(&B) != nullptr; }

bool can_take_pair_alone(const InverseHessian& B) {
  return dynamic_cast<const LimitedMemoryInverseHessian*>(&B) != nullptr ||
         dynamic_cast<const ConjugatedInverseHessian*>(&B) != nullptr;
}

bool describe(InverseHessian& B, const SecantPair* pair, PairModel& model) {
  if (auto* limited = dynamic_cast<LimitedMemoryInverseHessian*>(&B)) {
    limited->describe(pair, model);
    return true;
  }
  auto* conjugated = dynamic_cast<ConjugatedInverseHessian*>(&B);
  auto* refreshed = dynamic_cast<RefreshedInverseHessian*>(&B);
  if (refreshed != nullptr && !refreshed->is_matrix()) conjugated = &refreshed->pairs();
  if (conjugated == nullptr) return false;
  conjugated->describe(model);
  return true;
}

namespace {

// The lower triangle of B with the pair, by a copy of B in `next`.
template <typename Kind>
void describe_matrix(const Kind& B, const SecantPair* pair, std::unique_ptr<InverseHessian>& next, Matrix& matrix) {
  auto* copy = dynamic_cast<Kind*>(next.get());
  if (copy == nullptr) {
    next = B.clone();
    copy = static_cast<Kind*>(next.get());
  } else {
    *copy = B;
  }
  if (pair != nullptr) copy->update(*pair);
  matrix.resize(B.dimension(), B.dimension());
  copy->lower_triangle(matrix);
}

}  // namespace

bool describe(const InverseHessian& B, const SecantPair* pair, std::unique_ptr<InverseHessian>& next, Matrix& matrix) {
  const auto* dense = dynamic_cast<const DenseInverseHessian*>(&B);
  const auto* refreshed = dynamic_cast<const RefreshedInverseHessian*>(&B);
  if (dense != nullptr) describe_matrix(*dense, pair, next, matrix);
  if (refreshed != nullptr && refreshed->is_matrix()) describe_matrix(refreshed->matrix(), pair, next, matrix);
  return dense != nullptr || (refreshed != nullptr && refreshed->is_matrix());
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
