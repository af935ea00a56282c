#include "linalg/refreshed_inverse_hessian.h"

#include <utility>

#include "linalg/tensor_file.h"

namespace loa {
namespace {

ConjugatedOptions pairs_options(const RefreshedOptions& options) {
  return {.capacity = options.num_pairs,
          .diagonal = options.diagonal,
          .geometric_scale = true,
          .conjugation = {.damping = options.damping, .depth = options.depth},
          .adaptive = options.adaptive,
          .scale_memory = options.scale_memory};
}

}  // namespace

RefreshedInverseHessian::RefreshedInverseHessian(Index n, const RefreshedOptions& options)
    : options_(options), pairs_(n, pairs_options(options)), matrix_(0, options.rule) {
  if (num_awaited() == pairs_.capacity()) matrix_ = SelfScaledInverseHessian(n, options.rule);
  for (Vector* v : {&scratch_.d, &scratch_.delta_g, &scratch_.B_delta_g}) v->resize(n);
}

void RefreshedInverseHessian::reset(double scale) {
  is_matrix_ = false;
  num_seen_ = 0;
  pairs_.reset(scale);
}

std::span<double> RefreshedInverseHessian::products(const GradientChange& change) {
  return is_matrix_ ? std::span<double>() : pairs_.products(change);
}

void RefreshedInverseHessian::combine(const GradientChange& change, double ratio, const Reduction& reduction,
                                      Vector& B_grad, Vector& B_delta_g, SecantProducts&) {
  // A matrix knows no inner products without another pass: the caller measures them before and after the change.
  SecantProducts not_told;
  if (is_matrix_) {
    matrix_.combine(change, ratio, reduction, B_grad, B_delta_g, not_told);
    return;
  }
  pairs_.combine(change, ratio, reduction, B_grad, B_delta_g, not_told);
  if (num_seen_ >= num_awaited() && change.delta_g != nullptr) {
    if (matrix_.dimension() != dimension()) matrix_ = SelfScaledInverseHessian(dimension(), options_.rule);
    matrix_.continue_from(change.grad, B_grad, change.grad_factor);
  }
}

void RefreshedInverseHessian::update(const SecantPair& pair, const Reduction& reduction) {
  if (!is_matrix_ && num_seen_ < num_awaited()) {
    pairs_.update(pair, reduction);
    ++num_seen_;
    return;
  }
  if (!is_matrix_) {
    pairs_.make_matrix(matrix_.matrix(), scratch_);
    pairs_.reset(1.0);
    is_matrix_ = true;
  }
  matrix_.update(pair, reduction);
}

void RefreshedInverseHessian::become_matrix(const Matrix& lower) {
  if (matrix_.dimension() != dimension()) matrix_ = SelfScaledInverseHessian(dimension(), options_.rule);
  pairs_.reset(1.0);
  matrix_.reset(1.0);
  matrix_.matrix().reset(lower);
  is_matrix_ = true;
}

bool RefreshedInverseHessian::is_like(const RefreshedInverseHessian& other) const {
  const bool stays_pairs = options_.variables_per_pair == 0, other_does = other.options_.variables_per_pair == 0;
  return pairs_.is_like(other.pairs_) && options_.rule == other.options_.rule && stays_pairs == other_does;
}

// The pairs are saved with the matrix, though there are none then: how many and of which kind is for a restart.
void RefreshedInverseHessian::save(TensorFile& file) const {
  pairs_.save(file);
  if (is_matrix_) matrix_.save(file);
  file.metadata["B.kind"] = "refreshed";
  file.put_integer("B.is_matrix", is_matrix_ ? 1 : 0);
  file.put_integer("B.num_seen", num_seen_);
  if (options_.variables_per_pair == 0) file.put_integer("B.stays_pairs", 1);
}

// Without a matrix in the file no memory is taken for one: combine() does that when the matrix is near.
Error RefreshedInverseHessian::load(const TensorFile& file) {
  bool is_matrix = false;
  std::int64_t num_seen = 0;
  if (!file.get_flag("B.is_matrix", is_matrix) || !file.get_count("B.num_seen", num_seen))
    return "B.is_matrix or B.num_seen is missing, or B.is_matrix is neither 0 nor 1";
  ConjugatedInverseHessian pairs(0, pairs_options(options_));
  if (Error error = pairs.load(file)) return error;
  if (pairs.capacity() < 1) return "expected a B.capacity of 1 or more";
  if (!pairs.has_geometric_scale() || pairs.conjugation().depth > 1)
    return "expected a B.geometric_scale of 1 and a B.depth of 0 or 1";
  if (is_matrix && pairs.num_pairs() > 0) return "expected a B.num_pairs of 0 beside a matrix";
  RefreshedOptions options = options_;
  options.num_pairs = pairs.capacity();
  options.damping = pairs.conjugation().damping;
  options.depth = pairs.conjugation().depth;
  options.diagonal = pairs.has_diagonal();
  bool stays_pairs = false;
  if (file.get_flag("B.stays_pairs", stays_pairs) && stays_pairs) options.variables_per_pair = 0;
  RefreshedInverseHessian loaded(0, options);
  loaded.pairs_ = std::move(pairs);
  if (is_matrix) {
    if (Error error = loaded.matrix_.load(file)) return error;
    if (loaded.matrix_.dimension() != loaded.dimension()) return "expected B.rows of the dimension B.dimension";
  }
  for (Vector* v : {&loaded.scratch_.d, &loaded.scratch_.delta_g, &loaded.scratch_.B_delta_g})
    v->resize(loaded.dimension());
  loaded.is_matrix_ = is_matrix;
  loaded.num_seen_ = static_cast<Index>(num_seen);
  *this = std::move(loaded);
  return {};
}

std::unique_ptr<InverseHessian> RefreshedInverseHessian::congruent(const LinearMap& J, double factor) const {
  auto result = std::make_unique<RefreshedInverseHessian>(*this);
  const std::unique_ptr<InverseHessian> other = is_matrix_ ? matrix_.congruent(J, factor) : pairs_.congruent(J, factor);
  if (other == nullptr) return nullptr;
  if (is_matrix_)
    result->matrix_ = std::move(static_cast<SelfScaledInverseHessian&>(*other));
  else
    result->pairs_ = std::move(static_cast<ConjugatedInverseHessian&>(*other));
  return result;
}

}  // namespace loa
